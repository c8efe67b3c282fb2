"""Work of a frame while the Metrics tab is scrolled through thousands of tags.

``python -m benchmarks.page_scrolling [--tags 2000] [--rounds 3]`` prints one line per host and speed. More
hosts are compared in turns: ``--host before=/other/checkout/.venv/bin/python``.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.chromium import launched
from benchmarks.processes import Program, free_port, started
from insight_core.plugin.testing import EventWriter

_SPEEDS = {"slow, 120 px": 120, "fast, 480 px": 480}  # pixels of a turn of the wheel, one in each frame
_TURNS = 100
_CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel"]


def write(place: Path, runs: int, tags: Sequence[str], steps: int) -> None:
    """Runs ``run_00000`` and so on, which begin one after the other."""
    chance = np.random.default_rng(1)
    for number in range(runs):
        with EventWriter(place / f"run_{number:05d}", start_time=1_700_000_000.0 + number) as writer:
            writer.scalar_block(tags, range(steps), chance.random((steps, len(tags))).cumsum(axis=0))


@contextmanager
def hosting(python: str, logs: Path) -> Iterator[tuple[Program, str]]:
    """A host that has read all of ``logs``, and its page; all runs are selected."""
    port = free_port()
    with tempfile.TemporaryDirectory() as place:
        command = [python, "-m", "insight_core.cli", "--logdir", str(logs), "--port", str(port)]
        kept = ["--state-dir", f"{place}/state", "--cache-dir", f"{place}/cache"]
        with started([*command, *kept], port=port) as program:
            program.wait(lambda: is_loaded(port), pause=0.1, patience=600.0)
            yield program, f"http://127.0.0.1:{port}/#runs=all&locale=en"


@contextmanager
def host(python: str, logs: Path) -> Iterator[str]:
    """The page of such a host."""
    with hosting(python, logs) as (_, url):
        yield url


def is_loaded(port: int) -> bool:
    """Whether the host there has read all of its logs once."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/run_table", timeout=5) as answer:
            return bool(json.load(answer)["progress"]["loaded_once"])
    except OSError:
        return False


def _scroll(browser: Browser, page: Page, pixels: int) -> list[dict[str, Any]]:
    """The trace of a scroll by wheel, a turn in each frame."""
    page.mouse.move(700, 500)
    browser.start_tracing(page=page, categories=_CATEGORIES)
    for _ in range(_TURNS):
        page.mouse.wheel(0, pixels)
        page.evaluate("() => new Promise(requestAnimationFrame)")
    found: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    return found


def _frames(events: list[dict[str, Any]]) -> list[float]:
    """Milliseconds of processor time that the main thread needed from one frame to the next."""
    commits = [event for event in events if event["name"] == "Commit"]
    threads = Counter((event["pid"], event["tid"]) for event in commits)
    own = threads.most_common(1)[0][0]
    edges = sorted(event["ts"] for event in commits if (event["pid"], event["tid"]) == own)
    tasks = [event for event in events if event["name"] == "RunTask" and (event["pid"], event["tid"]) == own]
    places = np.searchsorted(edges, [event["ts"] for event in tasks], side="right")
    spent = np.bincount(places, weights=[event.get("tdur", 0) / 1000 for event in tasks])
    return [float(one) for one in spent[1:-1]]


def _measured(browser: Browser, url: str, pixels: int) -> list[float]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    try:
        page.goto(url)
        page.locator('[data-testid="card"] [data-ready]').first.wait_for()
        page.wait_for_timeout(1000)
        return _frames(_scroll(browser, page, pixels))
    finally:
        page.close()


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tags", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=4)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--host", action="append", default=[], metavar="NAME=PYTHON")
    options = parser.parse_args()
    hosts = dict(one.split("=", 1) for one in options.host) | {"this": sys.executable}
    tags = [f"layer_{number // 20:03d}/weight_{number % 20:02d}" for number in range(options.tags)]
    frames: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        write(Path(place), options.runs, tags, options.steps)
        browser = launched(playwright)
        for _ in range(options.rounds):
            for name, python in hosts.items():
                with host(python, Path(place)) as url:
                    for speed, pixels in _SPEEDS.items():
                        frames.setdefault((name, speed), []).extend(_measured(browser, url, pixels))
        browser.close()
    for (name, speed), found in sorted(frames.items()):
        quantiles = "  ".join(f"p{share:g} {_quantile(found, share / 100):6.1f} ms" for share in (50, 95, 99))
        print(f"{name:12} {speed:14} {len(found):5} frames  {quantiles}")


if __name__ == "__main__":
    main()
