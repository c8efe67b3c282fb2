"""Pages that follow growing runs.

    python -m benchmarks.many_pages [--runs 200] [--pages 20] [--seconds 20] [--together]

Every second each run gets a step of 6 tags, at a moment of its own (``--together``: one run right after the
other). One page in Chromium follows, and so many clients that each have its stream of events and repeat each
request of that page when it asks: what a user sees whose colleagues have the page open on their machines.
``--real 20`` opens pages in tabs of one Chromium instead, which then has the most to do on few cores.

Prints the host's share of a core, that of the main thread of the page, kB/s that the page receives, and for
the points of runs that it draws the time from the flush to the next frame with a chart after the answer, with
its stages; by the clock, which tells little where other programs run.
"""

from __future__ import annotations

import argparse
import http.client
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import CDPSession, sync_playwright

from benchmarks.chromium import launched
from benchmarks.followed_page import Asked, FollowedPage
from benchmarks.page_scrolling import is_loaded
from benchmarks.processes import Program, free_port, started
from insight_core.plugin.testing import EventWriter

TAGS = [f"t{number}" for number in range(6)]
_STEPS = 200  # of each series at first
_SETTLING = 5.0  # seconds after the pages have drawn
_BEFORE = 5  # seconds of growth that do not count: files grow for the first time, findings are looked for
_LOOK = 10.0  # ms between two looks at what the page has asked
_PATIENCE = 120.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--real", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--python", default=sys.executable, help="of the host")
    options = parser.parse_args()
    with growing_host(options.runs, options.python) as (program, port, writers):
        _follow(program, port, writers, options)


@contextmanager
def growing_host(
    runs: int, python: str = sys.executable
) -> Iterator[tuple[Program, int, Sequence[EventWriter]]]:
    """A host that has read so many runs, its port, and their writers."""
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as name, ExitStack() as open_writers:
        place = Path(name)
        writers = [_begun(place / f"logs/run_{number:03d}", number) for number in range(runs)]
        for writer in writers:
            open_writers.callback(writer.close)
        port = free_port()
        command = [python, "-P", "-m", "insight_core.cli", "--logdir", str(place / "logs"), "--no-cache"]
        command += ["--state-dir", str(place / "state"), "--port", str(port)]
        with started(command, port=port) as program:
            program.wait(lambda: is_loaded(port), pause=0.2, patience=_PATIENCE)
            yield program, port, writers


def _begun(place: Path, number: int) -> EventWriter:
    writer = EventWriter(place, start_time=1_700_000_000.0 + number)
    writer.scalar_block(TAGS, range(_STEPS), _values(number, np.arange(_STEPS)))
    writer.flush()
    return writer


def _values(number: int, steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Curves that fall and have some noise, as losses: pure noise takes a browser much longer to draw."""
    noise = np.random.default_rng([number, int(steps[0])]).random((len(steps), len(TAGS)))
    return np.exp(-steps[:, None] / 60) + 0.001 * number + 0.05 * noise


def page_address(port: int) -> str:
    """The Metrics tab with all runs."""
    return f"http://127.0.0.1:{port}/#runs=all&locale=en"


def _follow(program: Program, port: int, writers: Sequence[EventWriter], options: argparse.Namespace) -> None:
    with sync_playwright() as playwright:
        browser = launched(playwright)
        pages = [FollowedPage.opened(browser.new_page(), page_address(port)) for _ in range(options.real)]
        clients = [_Client(port) for _ in range(options.pages - options.real)]
        seen = pages[-1]
        seen.page.wait_for_timeout(1000 * _SETTLING)
        session = seen.page.context.new_cdp_session(seen.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        flushed: dict[tuple[str, int], float] = {}
        writing = threading.Thread(target=_write, args=(writers, options.seconds, options.together, flushed))
        writing.start()
        _repeat(seen, clients, lambda: not flushed)
        for each in pages:
            each.forget()
        worked, busy, began = program.processor_time(), _busy(session), time.time()
        count = _repeat(seen, clients, writing.is_alive)
        took = time.time() - began
        used, drew = program.processor_time() - worked, _busy(session) - busy
        seen.page.wait_for_timeout(1000)
        stages = seen.stages(flushed)
        received = sum(each.received for each in pages) / len(pages)
        browser.close()
    how = "together" if options.together else "each at a moment of its own"
    print(f"{len(writers)} runs grow, {how}; {options.real} pages and {len(clients)} clients:")
    print(
        f"  host {100 * used / took:.0f} % of a core, main thread of the page {100 * drew / took:.0f} %, ",
        end="",
    )
    print(f"{received / 1e3 / took:.1f} kB/s and {count / took:.1f} requests a second")
    for name, times in stages.items():
        known = [each for each in times if np.isfinite(each)]
        p50, p95 = np.quantile(known, [0.5, 0.95])
        print(f"  {name}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, of {len(known)} of {len(times)} points")


def _repeat(seen: FollowedPage, clients: Sequence[_Client], goes_on: Callable[[], bool]) -> int:
    """Has the clients send what the page does; returns the number of its requests."""
    count = 0
    seen.requests.clear()
    while goes_on():
        seen.page.wait_for_timeout(_LOOK)
        for request in seen.requests:
            for client in clients:
                client.asks.put(request)
        count += len(seen.requests)
        seen.requests.clear()
    return count


def _write(
    writers: Sequence[EventWriter], seconds: int, together: bool, flushed: dict[tuple[str, int], float]
) -> None:
    """Writes a step of each run a second; notes when (ms since the epoch) one that counts was flushed."""
    chance = np.random.default_rng(1)
    began = time.time()
    for step in range(_BEFORE + seconds):
        moments = np.sort(chance.random(len(writers))) if not together else np.zeros(len(writers))
        for moment, number in zip(moments, chance.permutation(len(writers)), strict=True):
            time.sleep(max(0.0, began + step + moment - time.time()))
            writers[number].scalar_block(TAGS, [_STEPS + step], _values(number, np.array([_STEPS + step])))
            writers[number].flush()
            if step >= _BEFORE:
                flushed[f"run_{number:03d}", _STEPS + step] = 1000 * time.time()
    time.sleep(max(0.0, began + _BEFORE + seconds - time.time()))


def _busy(session: CDPSession) -> float:
    """Seconds of a processor that the main thread of the page has taken."""
    found: Mapping[str, Any] = session.send("Performance.getMetrics")
    return next(float(each["value"]) for each in found["metrics"] if each["name"] == "TaskDuration")


class _Client:
    """Has the stream of events of a page, and sends the requests that are put into ``asks``."""

    def __init__(self, port: int) -> None:
        self.asks: queue.SimpleQueue[Asked] = queue.SimpleQueue()
        self._port = port
        for work in (self._listen, self._ask):
            threading.Thread(target=work, daemon=True).start()

    def _listen(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        connection.request("GET", "/data/events", headers={"Accept": "text/event-stream"})
        answer = connection.getresponse()
        while answer.read1(1 << 16):
            pass

    def _ask(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_PATIENCE)
        while True:
            asked = self.asks.get()
            headers = {**asked.headers, "Accept-Encoding": "gzip"}
            connection.request(asked.method, asked.url, asked.body, headers)
            connection.getresponse().read()


if __name__ == "__main__":
    main()
