"""Bytes and requests of the Metrics tab: first load, selection, smoothing, growing runs.

``python -m benchmarks.page_traffic [--runs 100] [--steps 1000] [--peer]`` prints one line per action:
requests for series, bytes of their answers, and bytes of everything that the browser receives, with page
code, changes and heads of answers. ``--peer`` loads the same logs with TensorBoard, too.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import CDPSession, Page, sync_playwright

from benchmarks.chromium import launched
from benchmarks.page_scrolling import is_loaded
from benchmarks.processes import free_port, started
from insight_core.plugin.testing import EventWriter

_QUIET = 1500  # ms without a request: the page has everything
_TAGS = 20
_GROWING, _GROWING_TAGS, _GROWING_STEPS, _SECONDS = 8, 6, 3000, 20
_LONG = 10_000  # steps of a series that is not drawn with every point
_POSITIONS, _MOVES = 20, (50, 200, 600)  # of a drag, and ms between two of them


class Traffic:
    """What the browser asks for, and the bytes that it receives."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self.requests = self.series_bytes = self.bytes = 0
        self.last = time.monotonic()
        self._page = page
        self._series: set[str] = set()
        self._streams: set[str] = set()
        self._open: set[str] = set()
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._received)
        session.on("Network.loadingFinished", self._finished)
        session.on("Network.loadingFailed", self._failed)

    def _sent(self, event: dict[str, dict[str, str]]) -> None:
        url = event["request"]["url"]
        if "/data/plugin/scalar/" in url and "/tags" not in url and "/static/" not in url:
            self.requests += 1
            self._series.add(str(event["requestId"]))
        self._open.add(str(event["requestId"]))
        self.last = time.monotonic()

    def _answered(self, event: dict[str, object]) -> None:
        response = event["response"]
        assert isinstance(response, dict)
        if "event-stream" in str(response["mimeType"]):  # it never finishes: its bytes count as they come
            self._streams.add(str(event["requestId"]))
            self._open.discard(str(event["requestId"]))

    def _received(self, event: dict[str, object]) -> None:
        if event["requestId"] in self._streams:
            self.bytes += int(float(str(event["encodedDataLength"])))

    def _finished(self, event: dict[str, object]) -> None:
        size = int(float(str(event["encodedDataLength"])))
        self.bytes += size
        if event["requestId"] in self._series:
            self.series_bytes += size
        self._failed(event)

    def _failed(self, event: dict[str, object]) -> None:
        self._open.discard(str(event["requestId"]))
        self.last = time.monotonic()

    def settle(self, what: str, seconds: float | None = None) -> None:
        """Waits until no request is left; prints and resets the counters."""
        while self._open or time.monotonic() - self.last < _QUIET / 1000:
            self._page.wait_for_timeout(100)
        rate = f"  {self.bytes / 1e3 / seconds:8.1f} kB/s" if seconds else ""
        print(
            f"{what:34} {self.requests:5} requests {self.series_bytes / 1e3:9.1f} kB of series"
            f" {self.bytes / 1e3:9.1f} kB in all{rate}",
            flush=True,
        )
        self.requests = self.series_bytes = self.bytes = 0
        self.last = time.monotonic()


def _write(place: Path, runs: int, tags: list[str], steps: int) -> list[EventWriter]:
    """Falling losses with noise."""
    chance = np.random.default_rng(1)
    falling = np.exp(-np.arange(steps) / (steps / 5))[:, None]
    writers = []
    for number in range(runs):
        writer = EventWriter(place / f"run_{number:03d}", start_time=1_700_000_000.0 + number)
        noise = chance.normal(0, 0.03, (steps, len(tags)))
        writer.scalar_block(tags, range(steps), falling + 0.1 * chance.random() + noise)
        writer.flush()
        writers.append(writer)
    return writers


def _is_selected(number: int) -> bool:
    return number % 5 < 2


def _toggle_one(page: Page, *, selected: bool) -> None:
    """A run near the head of the list, which holds the runs that are in sight."""
    listed = page.locator("[data-run]").evaluate_all("rows => rows.map((row) => row.dataset.run)")
    name = next(name for name in listed if _is_selected(int(name[-3:])) == selected)
    page.locator(f'[data-run="{name}"]').click()


def _selection(page: Page, traffic: Traffic) -> None:
    traffic.settle("first load")
    page.reload()
    page.get_by_test_id("card-status").first.wait_for()
    traffic.settle("load it again")
    for what in ("deselect one run", "select it again"):
        _toggle_one(page, selected=True)
        page.wait_for_timeout(300)
        traffic.settle(what)
    _toggle_one(page, selected=False)
    traffic.settle("select a new run")


def _smooth(page: Page, traffic: Traffic) -> None:
    """Drags the slider from its low end to its high one, quickly and slowly."""
    traffic.settle("first load")
    for pause in _MOVES:
        box = page.locator("#smoothing").bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + 5, middle)
        page.mouse.down()
        for position in range(1, _POSITIONS + 1):
            page.mouse.move(box["x"] + box["width"] * position / (_POSITIONS + 1), middle)
            page.wait_for_timeout(pause)
        page.mouse.up()
        page.wait_for_timeout(3000)  # the page asks when the slider rests
        traffic.settle(f"smoothing, {_POSITIONS} positions in {_POSITIONS * pause / 1000:g} s")


def _appends(page: Page, traffic: Traffic, writers: list[EventWriter], tags: list[str], steps: int) -> None:
    traffic.settle("first load")
    begun = time.monotonic()
    for step in range(steps, steps + _SECONDS):
        for writer in writers:
            writer.scalar_block(tags, [step], np.random.random((1, len(tags))))
            writer.flush()
        page.wait_for_timeout(max(0.0, 1000 * (begun + step - steps + 1 - time.monotonic())))
    traffic.settle("a step a second", time.monotonic() - begun)


def _is_listening(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/plugin/scalars/tags", timeout=5) as answer:
            return len(json.load(answer)) > 0
    except OSError:
        return False


def _measure(
    logs: Path,
    state: Path,
    address: str,
    height: int,
    act: Callable[[Page, Traffic], None],
    *,
    peer: bool = False,
) -> None:
    port = free_port()
    command = [sys.executable, "-m", "insight_core.cli", "--state-dir", str(state)]
    if peer:
        command = [sys.executable, "-m", "tensorboard.main"]
    with (
        sync_playwright() as playwright,
        started([*command, "--logdir", str(logs), "--port", str(port)], port=port) as program,
    ):
        program.wait(lambda: (_is_listening if peer else is_loaded)(port), pause=0.2, patience=120.0)
        browser = launched(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": height}, locale="en-US")
        traffic = Traffic(page, page.context.new_cdp_session(page))
        page.goto(f"http://127.0.0.1:{port}/{address}")
        act(page, traffic)
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--height", type=int, default=800, help="of the window, which is 1280 wide")
    parser.add_argument("--peer", action="store_true", help="measure TensorBoard's first load, too")
    options = parser.parse_args()
    tags = [f"t{number:02d}" for number in range(_TAGS)]
    selected = ",".join(f"run_{number:03d}" for number in range(options.runs) if _is_selected(number))
    with tempfile.TemporaryDirectory() as place:
        logs, state = Path(place) / "logs", Path(place) / "state"
        for writer in _write(logs, options.runs, tags, options.steps):
            writer.close()
        print(f"{options.runs} runs, {_TAGS} tags, {options.steps} steps; 40 % selected")
        _measure(logs, state, f"#runs={selected}&locale=en", options.height, _selection)
        if options.peer:
            print("TensorBoard, all of these runs")
            act = lambda _, traffic: traffic.settle("first load")  # noqa: E731
            _measure(logs, state, "#timeseries", options.height, act, peer=True)
    for steps in (options.steps, _LONG):
        with tempfile.TemporaryDirectory() as place:
            logs = Path(place) / "logs"
            for writer in _write(logs, options.runs, tags, steps):
                writer.close()
            for more in ("", "&scalar.raw=0", "&scalar.smoother=gaussian"):
                print(f"smoothing: {options.runs} runs, {steps} steps {more}")
                _measure(logs, Path(place) / "state", f"#runs=all&locale=en{more}", options.height, _smooth)
    for steps in (_GROWING_STEPS, 200):
        with tempfile.TemporaryDirectory() as place:
            logs = Path(place) / "logs"
            own = tags[:_GROWING_TAGS]
            writers = _write(logs, _GROWING, own, steps)
            print(f"growing: {_GROWING} runs, {_GROWING_TAGS} tags, {steps} steps")
            _measure(
                logs,
                Path(place) / "state",
                "#runs=all&locale=en",
                1600,
                lambda page, traffic: _appends(page, traffic, writers, own, steps),  # noqa: B023  # called at once
            )
            for writer in writers:
                writer.close()


if __name__ == "__main__":
    main()
