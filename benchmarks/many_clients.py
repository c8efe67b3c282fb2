"""Many clients of one host that rests: ``python -m benchmarks.many_clients [--runs 200] [--clients 100]``.

They ask for the cards of a page of the runs, which have 6 tags: one, and so many, without a pause, which is
the most that the host can do; and so many that each ask once a second, as open pages do, first for the whole
answer and then with the tag of the one that they have. Prints processor time of the host for a request, its
bytes, and the time that an answer takes, by the clock, which tells little where other programs run.
"""

from __future__ import annotations

import argparse
import http.client
import threading
import time

import numpy as np
from playwright.sync_api import sync_playwright

from benchmarks.chromium import launched
from benchmarks.followed_page import FollowedPage
from benchmarks.many_pages import growing_host, page_address
from benchmarks.processes import Failed, Program

_REQUESTS = 1000  # of one client, or of all together that ask without a pause
_PATIENCE = 120.0
_IDLE = 0.03  # seconds of a processor in a second that the host takes when nobody asks


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    with growing_host(options.runs) as (program, port, _):
        cards = _cards_of_a_page(port)
        _rest(program)
        _ask(program, port, cards, 1)
        _ask(program, port, cards, options.clients)
        for has_tag in (False, True):
            _ask(program, port, cards, options.clients, options.seconds, has_tag=has_tag)


def _cards_of_a_page(port: int) -> str:
    """The path at which a page that opens asks for its cards."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        followed = FollowedPage.opened(browser.new_page(), page_address(port))
        browser.close()
    if not followed.cards:
        raise Failed("the page asked for no cards")
    return followed.cards


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
