"""Many pages on one host: 200 runs that grow while 20 pages follow them, then 100 clients at once.

    python -m benchmarks.many_pages [--runs 200] [--pages 20] [--clients 100] [--seconds 20]

Every second each run gets a step of 6 tags. Prints the host's share of a core, kB/s that a page receives, and
the time from the flush to the next frame in which a chart of a page was drawn (all pages are tabs of one
Chromium: on few cores that is mostly Chromium's time).

Then the logs rest, and clients ask for the cards of that page: one, and so many, without a pause, which is
the most that the host can do; and so many that each ask once a second, as open pages do, first for the whole
answer and then with the tag of the one that they have. Prints processor time of the host for a request, its
bytes, and the time that an answer takes, by the clock, which tells little where other programs run.
"""

from __future__ import annotations

import argparse
import http.client
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
_REQUESTS = 1000  # of one client, or of all together that ask without a pause
_PATIENCE = 120.0
_IDLE = 0.03  # seconds of a processor in a second that the host takes when nobody asks
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
            _rest(program)
            _ask(program, port, cards, 1)
            _ask(program, port, cards, options.clients)
            for has_tag in (False, True):
                _ask(program, port, cards, options.clients, options.seconds, has_tag=has_tag)
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


def _rest(program: Program) -> None:
    """Waits until the host has done what the pages have left it: that belongs to no request."""
    before = -1.0
    while (now := program.processor_time()) - before > _IDLE:
        before = now
        time.sleep(1.0)


def _ask(
    program: Program, port: int, path: str, clients: int, seconds: int = 0, *, has_tag: bool = False
) -> None:
    """Has clients ask for so many seconds, each once a second, or without a pause."""
    _Client(port, path).ask()  # the answer is made by it, and is warm for the others
    asking = [_Client(port, path, has_tag=has_tag) for _ in range(clients)]
    count = seconds or max(10, _REQUESTS // clients)
    go = threading.Barrier(clients + 1)

    def ask(client: _Client, place: int) -> None:
        client.ask()
        go.wait()
        for turn in range(count):
            if seconds:
                time.sleep(max(0.0, began + turn + place / clients - time.perf_counter()))
            client.ask()

    threads = [threading.Thread(target=ask, args=(one, place)) for place, one in enumerate(asking)]
    for thread in threads:
        thread.start()
    while go.n_waiting < clients:
        time.sleep(0.1)
    worked, began = program.processor_time(), time.perf_counter()
    go.wait()
    for thread in threads:
        thread.join()
    took, used = time.perf_counter() - began, program.processor_time() - worked
    times = [each for one in asking for each in one.times[1:]]
    if len(times) != count * clients:
        raise Failed(f"{len(times)} answers to {count * clients} requests")
    size = np.mean([one.size for one in asking])
    how = f"once a second{', with a tag' if has_tag else ''}" if seconds else "without a pause"
    print(f"{clients} clients, {how}: host {100 * used / took:.0f} % of a core, ", end="")
    print(f"{1000 * used / len(times):.2f} ms of it and {size / 1e3:.1f} kB a request, ", end="")
    print(f"{len(times) / took:.0f} requests/s, ", end="")
    print(f"p50 {np.quantile(times, 0.5):.0f} ms, p95 {np.quantile(times, 0.95):.0f} ms", flush=True)


class _Client:
    """A connection that stays open, and how long its requests took (ms)."""

    def __init__(self, port: int, path: str, *, has_tag: bool = False) -> None:
        self.times: list[float] = []
        self.size = 0  # bytes of the last answer
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        self._path = path
        self._has_tag = has_tag
        self._tag = ""

    def ask(self) -> None:
        headers = {"Accept-Encoding": "gzip"} | ({"If-None-Match": self._tag} if self._tag else {})
        began = time.perf_counter()
        self._connection.request("GET", self._path, headers=headers)
        answer = self._connection.getresponse()
        self.size = len(answer.read())
        self.times.append(1000 * (time.perf_counter() - began))
        if answer.status != (http.client.NOT_MODIFIED if self._tag else http.client.OK):
            raise Failed(f"{answer.status} for {self._path}")
        if self._has_tag and not self._tag:
            self._tag = answer.headers["ETag"]


if __name__ == "__main__":
    main()
