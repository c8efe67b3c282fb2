"""From a writer's flush to a point on the screen: ``python -m benchmarks.bench_live``.

Ours: an open page in headless Chromium with three cards in view. A writer appends one step to one run at odd
moments; measured is the time from its flush until the frame after the one in which the chart of the first
card was redrawn, with that step counted below it. Two logdirs: one run, and 100 runs x 20 tags of which
one grows. TensorBoard has nothing to compare: its page asks every 30 s at most, so that half of all points
wait longer than 15 s. What is measured of it is the time from the flush until ``/scalars`` answers with the
step, asked again and again, with ``--reload_interval 1``, which is the least that it takes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from attrs import frozen
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Page, sync_playwright

from benchmarks.chromium import launched
from benchmarks.processes import free_port, peer_environment, started
from benchmarks.table import OURS, TENSORBOARD, AtMost, Row, render
from insight_core.plugin.testing import EventWriter

_APPENDS = 50
_PATIENCE = 60.0  # seconds
_LIMIT = 300.0  # milliseconds that 95 of 100 points may take
_STEPS = 200  # of each series before the first append
# Notes when a canvas was drawn on, and resolves with the time (ms since the epoch) at which the frame that
# showed `count` points on the card of `tag` was over. A chart is drawn after the words below it.
_WATCH = """
() => {
  const begin = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    this.canvas.drawnAt = performance.now();
    begin.apply(this, box);
  };
  window.shown = ([tag, count]) => new Promise((resolve) => {
    let counted = 0;
    const look = () => {
      const card = document.querySelector(`[data-testid="card"][data-tag="${tag}"]`);
      const words = card?.querySelector('[data-testid="card-status"]')?.textContent ?? '';
      if (!counted && words.replaceAll(',', '').includes(`${count} points`)) counted = performance.now();
      const drawn = card?.querySelector('canvas')?.drawnAt ?? 0;
      if (counted && drawn >= counted - 1) {
        requestAnimationFrame((now) => resolve(performance.timeOrigin + now));
      } else requestAnimationFrame(look);
    };
    look();
  });
}
"""


@frozen
class Logs:
    """A logdir of which the last run grows. Tags are ``t00``, ``t01``, ..."""

    name: str
    runs: int
    tags: int

    @property
    def tag_names(self) -> list[str]:
        return [f"t{number:02d}" for number in range(self.tags)]

    @property
    def growing(self) -> str:
        return f"run_{self.runs - 1:03d}"


LOGS = (Logs("1 run x 3 tags", 1, 3), Logs("100 runs x 20 tags", 100, 20))


class Growing:
    """Writes a logdir, then a step at a time of its last run."""

    def __init__(self, logs: Logs, place: Path) -> None:
        self.logs = logs
        self.step = _STEPS - 1
        values = np.random.default_rng(1).random((_STEPS, logs.tags))
        for number in range(logs.runs):
            writer = EventWriter(place / f"run_{number:03d}", start_time=1_700_000_000.0 + number)
            writer.scalar_block(logs.tag_names, range(_STEPS), values)
            writer.flush()
            if number + 1 < logs.runs:
                writer.close()
        self._writer = writer

    def append(self) -> float:
        """Writes and flushes one more step of all tags; returns the time of the flush, s since the epoch."""
        self.step += 1
        self._writer.scalar_block(self.logs.tag_names, [self.step], np.random.random((1, self.logs.tags)))
        flushed = time.time()
        self._writer.flush()
        return flushed

    def close(self) -> None:
        self._writer.close()


@contextmanager
def _growing(logs: Logs) -> Iterator[tuple[Growing, Path]]:
    with tempfile.TemporaryDirectory() as place:
        growing = Growing(logs, Path(place))
        try:
            yield growing, Path(place)
        finally:
            growing.close()


def _latencies(appends: int, append: Callable[[], float]) -> list[float]:
    """Milliseconds of each append, at moments that keep no time with anybody's clock."""
    chance = random.Random(1)
    found = []
    for _ in range(appends):
        time.sleep(0.3 + chance.random())
        found.append(append())
    return sorted(found)


def ours(logs: Logs, appends: int) -> list[float]:
    """Milliseconds from flush to frame, sorted."""
    port = free_port()
    with _growing(logs) as (growing, place), tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "insight_core.cli", "--logdir", str(place), "--port", str(port)]
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        with started(command, port=port, environment=environment) as program, sync_playwright() as playwright:
            program.wait(lambda: _answers(f"http://127.0.0.1:{port}/healthz"), pause=0.05, patience=_PATIENCE)
            browser = launched(playwright)
            try:
                page = browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-US")
                page.add_init_script(f"({_WATCH})()")
                page.goto(f"http://127.0.0.1:{port}/#runs={growing.logs.growing}&locale=en")
                return _in_page(page, growing, appends)
            finally:
                browser.close()


def _in_page(page: Page, growing: Growing, appends: int) -> list[float]:
    card = page.locator('[data-testid="card"]').first
    tag = card.get_attribute("data-tag")
    counted = card.locator('[data-testid="card-status"]')
    counted.wait_for(timeout=1000 * _PATIENCE)
    before = int(counted.inner_text().split(" points")[0].replace(",", ""))
    page.wait_for_timeout(1000)

    def append() -> float:
        count = before + growing.step + 2 - _STEPS
        page.evaluate("(wanted) => { window.coming = window.shown(wanted); }", [tag, count])
        flushed = growing.append()
        return float(page.evaluate("() => window.coming")) - 1000 * flushed

    return _latencies(appends, append)


def theirs(python: str, logs: Logs, appends: int) -> list[float]:
    """Milliseconds until TensorBoard's HTTP answer has the step, sorted."""
    port = free_port()
    with _growing(logs) as (growing, place), tempfile.TemporaryDirectory() as home:
        command = [python, "-m", "tensorboard.main", "--logdir", str(place), "--port", str(port)]
        command += ["--host", "127.0.0.1", "--load_fast", "true", "--reload_interval", "1"]
        url = f"http://127.0.0.1:{port}/data/plugin/scalars/scalars?run={growing.logs.growing}&tag=t00"
        with started(command, port=port, environment=peer_environment(Path(home))) as program:
            program.wait(lambda: _last_step(url) == growing.step, pause=0.1, patience=_PATIENCE)

            def append() -> float:
                flushed = growing.append()
                while _last_step(url) != growing.step:
                    if time.time() > flushed + _PATIENCE:
                        return math.nan
                    time.sleep(0.005)
                return 1000 * (time.time() - flushed)

            return _latencies(appends, append)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _last_step(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            points = json.load(answer)
    except (urllib.error.URLError, ConnectionError, TimeoutError, json.JSONDecodeError):
        return -1
    return int(points[-1][1]) if points else -1


def measure(appends: int = _APPENDS) -> list[Row]:
    """A row for the median and one for the 95th percentile of each logdir."""
    peer = os.environ.get("INSIGHT_PEER_TENSORBOARD", "")
    rows = []
    for logs in LOGS:
        found = {OURS: _try(lambda: ours(logs, appends))}  # noqa: B023  # called at once
        if peer:
            found[TENSORBOARD] = _try(lambda: theirs(peer, logs, appends))  # noqa: B023
        for percent, wanted in ((50, None), (95, AtMost(_LIMIT))):
            figures = {who: float(np.percentile(each, percent)) for who, each in found.items()}
            rows.append(Row(logs.name, f"append to screen, p{percent}", "ms", figures, wanted))
    return rows


def _try(contender: Callable[[], list[float]]) -> list[float]:
    try:
        return contender()
    except (OSError, RuntimeError, BrowserError) as error:
        print(f"append to screen: {error}", file=sys.stderr)
        return [math.nan]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--appends", type=int, default=_APPENDS)
    print(render(measure(parser.parse_args().appends)))


if __name__ == "__main__":
    main()
