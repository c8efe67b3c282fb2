"""Many pages on one host: 200 runs that grow while 20 pages follow them, then 100 clients at once.

    python -m benchmarks.many_pages [--runs 200] [--pages 20] [--clients 100] [--seconds 20]

Every second each run gets a step of 6 tags. Prints the host's share of a core, kB/s that a page receives, and
the time from the flush to the next frame in which a chart of a page was drawn (all pages are tabs of one
Chromium: on few cores that is mostly Chromium's time). Then so many clients ask for the cards of the page,
without a pause and with connections that stay open: processor time of the host for a request, its bytes, and
the time that an answer takes. The clock tells little where other programs run.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attrs import Factory, define
from playwright.sync_api import Page, Request, sync_playwright

from benchmarks.chromium import launched
from benchmarks.page_scrolling import is_loaded
from benchmarks.processes import Failed, Program, free_port, started
from insight_core.plugin.testing import EventWriter

_TAGS = [f"t{number}" for number in range(6)]
_STEPS = 200  # of each series at first
_SETTLING = 5.0  # seconds after the pages have drawn
_REQUESTS = 20  # of each client
_PATIENCE = 120.0
_CARDS = "/data/plugin/scalar/cards?"
_DRAWN = """
window.drawn = [];
const begin = CanvasRenderingContext2D.prototype.clearRect;
CanvasRenderingContext2D.prototype.clearRect = function (...box) {
  requestAnimationFrame((now) => window.drawn.push(performance.timeOrigin + now));
  begin.apply(this, box);
};
"""


@define(eq=False)
class _Watched:
    """A page, the bytes that it has received, and the path of its last request for cards."""

    page: Page
    received: int = 0
    cards: str = ""
    _sizes: dict[str, int] = Factory(dict)

    @classmethod
    def opened(cls, page: Page, address: str) -> _Watched:
        watched = cls(page)
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.dataReceived", lambda event: watched._note(event))
        page.on("request", lambda request: watched._note_cards(request))
        page.add_init_script(_DRAWN)
        page.goto(address)
        return watched

    def _note(self, event: dict[str, object]) -> None:
        self.received += int(float(str(event["encodedDataLength"])))

    def _note_cards(self, request: Request) -> None:
        _, found, query = request.url.partition(_CARDS)
        if found:
            self.cards = _CARDS + query


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--pages", type=int, default=20)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as name:
        place = Path(name)
        writers = [_begun(place / f"logs/run_{number:03d}", number) for number in range(options.runs)]
        port = free_port()
        command = [sys.executable, "-m", "insight_core.cli", "--logdir", str(place / "logs"), "--no-cache"]
        command += ["--state-dir", str(place / "state"), "--port", str(port)]
        with started(command, port=port) as program:
            program.wait(lambda: is_loaded(port), pause=0.2, patience=_PATIENCE)
            cards = _follow(program, port, writers, options.pages, options.seconds)
            _ask(program, port, cards, options.clients)
        for writer in writers:
            writer.close()


def _begun(place: Path, number: int) -> EventWriter:
    writer = EventWriter(place, start_time=1_700_000_000.0 + number)
    values = np.random.default_rng(number).random((_STEPS, len(_TAGS)))
    writer.scalar_block(_TAGS, range(_STEPS), values)
    writer.flush()
    return writer


def _follow(program: Program, port: int, writers: Sequence[EventWriter], pages: int, seconds: int) -> str:
    """Has pages follow growing runs; returns the path of a request for all cards of a page."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        address = f"http://127.0.0.1:{port}/#runs=all&locale=en"
        opened = [_Watched.opened(browser.new_page(), address) for _ in range(pages)]
        for each in opened:
            each.page.get_by_test_id("card-status").first.wait_for(timeout=1000 * _PATIENCE)
        last = opened[-1].page
        last.wait_for_timeout(1000 * _SETTLING)
        cards = opened[-1].cards
        before, worked, began = sum(each.received for each in opened), program.processor_time(), time.time()
        flushed = []
        for step in range(_STEPS, _STEPS + seconds):
            last.wait_for_timeout(max(0.0, 1000 * (began + step - _STEPS - time.time())))
            for writer in writers:
                writer.scalar_block(_TAGS, [step], np.random.random((1, len(_TAGS))))
                writer.flush()
            flushed.append(1000 * time.time())
        last.wait_for_timeout(1000)
        took, used = time.time() - began, program.processor_time() - worked
        received = sum(each.received for each in opened) - before
        waits = [wait for each in opened for wait in _waits(each.page, flushed)]
        browser.close()
    if not cards:
        raise Failed("the page asked for no cards")
    print(f"{len(writers)} runs grow, {pages} pages: host {100 * used / took:.0f} % of a core, ", end="")
    print(f"{received / 1e3 / took / pages:.1f} kB/s a page, flush to frame ", end="")
    print(f"p50 {np.quantile(waits, 0.5):.0f} ms, p95 {np.quantile(waits, 0.95):.0f} ms", flush=True)
    return cards


def _waits(page: Page, flushed: Sequence[float]) -> list[float]:
    """Milliseconds from each flush to the next frame that was drawn."""
    drawn = np.array(page.evaluate("window.drawn"))
    places = np.searchsorted(drawn, flushed)
    return [drawn[place] - at for place, at in zip(places, flushed, strict=True) if place < len(drawn)]


def _ask(program: Program, port: int, path: str, clients: int) -> None:
    for count in (1, clients):
        times: list[float] = []
        sizes: list[int] = []
        go = threading.Barrier(count)

        def client(times: list[float] = times, sizes: list[int] = sizes, go: threading.Barrier = go) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
            go.wait()
            for _ in itertools.repeat(None, _REQUESTS):
                began = time.perf_counter()
                connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
                answer = connection.getresponse()
                sizes.append(len(answer.read()))
                times.append(1000 * (time.perf_counter() - began))
                if answer.status != http.client.OK:
                    raise Failed(f"{answer.status} for {path}")
            connection.close()

        threads = [threading.Thread(target=client) for _ in range(count)]
        worked, began = program.processor_time(), time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took, used = time.perf_counter() - began, program.processor_time() - worked
        if len(times) != count * _REQUESTS:
            raise Failed(f"{len(times)} answers to {count * _REQUESTS} requests")
        print(
            f"{count} clients, cards of a page: host {1000 * used / len(times):.1f} ms of a processor and ",
            end="",
        )
        print(f"{np.mean(sizes) / 1e3:.1f} kB a request, {len(times) / took:.0f} requests/s, ", end="")
        print(f"p50 {np.quantile(times, 0.5):.0f} ms, p95 {np.quantile(times, 0.95):.0f} ms", flush=True)


if __name__ == "__main__":
    main()
