"""Bytes and requests of the Scalars tab while runs are selected and while they grow.

``python -m benchmarks.page_traffic [--runs 100] [--steps 20000]`` prints one line per action.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.processes import free_port, started
from insight_core.plugin.testing import EventWriter

_QUIET = 1500  # ms without a request: the page has everything
_GROWING, _TAGS, _SECONDS, _APPENDS_PER_SECOND = 8, 6, 10, 5


class Traffic:
    """Requests for series, and bytes of their answers as sent."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self.requests = self.bytes = 0
        self.last = time.monotonic()
        self._page = page
        self._series: set[str] = set()
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.loadingFinished", self._finished)

    def _sent(self, event: dict[str, dict[str, str]]) -> None:
        if "/data/plugin/scalar/" in event["request"]["url"] and "/tags" not in event["request"]["url"]:
            self.requests += 1
            self.last = time.monotonic()
            self._series.add(str(event["requestId"]))

    def _finished(self, event: dict[str, object]) -> None:
        if event["requestId"] in self._series:
            self.bytes += int(float(str(event["encodedDataLength"])))
            self.last = time.monotonic()

    def settle(self, what: str, seconds: float | None = None) -> None:
        """Waits until no request is left; prints and resets the counters."""
        while time.monotonic() - self.last < _QUIET / 1000:
            self._page.wait_for_timeout(100)
        rate = f"  {self.bytes / 1e3 / seconds:10.1f} kB/s" if seconds else ""
        print(f"{what:34} {self.requests:6} requests {self.bytes / 1e3:10.1f} kB{rate}", flush=True)
        self.requests = self.bytes = 0
        self.last = time.monotonic()


def _write(place: Path, runs: int, tags: list[str], steps: int) -> list[EventWriter]:
    chance = np.random.default_rng(1)
    writers = []
    for number in range(runs):
        writer = EventWriter(place / f"run_{number:03d}", start_time=1_700_000_000.0 + number)
        writer.scalar_block(tags, range(steps), chance.random((steps, len(tags))))
        writer.flush()
        writers.append(writer)
    return writers


def _select(page: Page, number: int) -> None:
    page.locator(f'[data-run="run_{number:03d}"]').click()


def _selection(page: Page, traffic: Traffic, runs: int) -> None:
    traffic.settle("first load")
    for what in ("deselect one run", "select it again"):
        _select(page, runs - 3)
        page.wait_for_timeout(300)
        traffic.settle(what)
    for number in (runs - 5, runs - 6, runs - 7):
        _select(page, number)
    traffic.settle("deselect three more")
    for number in (runs - 5, runs - 6, runs - 7):
        _select(page, number)
    traffic.settle("select these three again")


def _appends(page: Page, traffic: Traffic, writers: list[EventWriter], tags: list[str], steps: int) -> None:
    traffic.settle("first load")
    begun = time.monotonic()
    for step in range(steps, steps + _SECONDS * _APPENDS_PER_SECOND):
        for writer in writers:
            writer.scalar_block(tags, [step], np.random.random((1, len(tags))))
            writer.flush()
        ahead = begun + (step - steps + 1) / _APPENDS_PER_SECOND - time.monotonic()
        page.wait_for_timeout(max(0.0, 1000 * ahead))
    traffic.settle(f"{_APPENDS_PER_SECOND} appends a second", time.monotonic() - begun)


def is_loaded(port: int) -> bool:
    """Whether the host there has read all of its logs once."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/run_table", timeout=5) as answer:
            return bool(json.load(answer)["progress"]["loaded_once"])
    except OSError:
        return False


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--steps", type=int, default=5000)
    options = parser.parse_args()
    tags = [f"t{number:02d}" for number in range(_TAGS)]
    for what in ("selection", "appends, decimated", "appends, every point"):
        steps = 200 if what.endswith("point") else options.steps
        with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
            logs = Path(place) / "logs"
            writers = _write(logs, options.runs if what == "selection" else _GROWING, tags, steps)
            port = free_port()
            command = [sys.executable, "-m", "insight_core.cli", "--logdir", str(logs), "--port", str(port)]
            command += ["--state-dir", f"{place}/state"]
            with started(command, port=port) as program:
                program.wait(lambda: is_loaded(port), pause=0.1, patience=60.0)  # noqa: B023  # called at once
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox"]
                )
                page = browser.new_page(viewport={"width": 1280, "height": 1600}, locale="en-US")
                traffic = Traffic(page, page.context.new_cdp_session(page))
                print(f"{what}: {len(writers)} runs, {_TAGS} tags, {steps} steps")
                page.goto(f"http://127.0.0.1:{port}/#runs=all&locale=en")
                page.get_by_test_id("card-status").first.wait_for()
                if what == "selection":
                    _selection(page, traffic, options.runs)
                else:
                    _appends(page, traffic, writers, tags, steps)
                browser.close()
            for writer in writers:
                writer.close()


if __name__ == "__main__":
    main()
