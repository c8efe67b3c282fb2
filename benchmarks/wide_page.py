"""The Metrics tab on many runs with many tags: ``python -m benchmarks.wide_page``.

Prints for each round, with a warm index: seconds from the address to the first chart, all bytes received by
then, and what a text in the tag filter costs until the frame that shows the tags it leaves: milliseconds, and
CPU of the main thread. 1000 runs x 1000 tags unless told; from files, and from a data server.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, CDPSession, sync_playwright

from benchmarks.chromium import launched
from benchmarks.machine import describe_machine
from benchmarks.wide_routes import Served, hosted, tag_names, write_logs

# Types into the tag filter, and resolves with the milliseconds until the frame after the first card of `tag`
# has been drawn.
_FILTER = """
([text, tag]) => new Promise((resolve) => {
  const filter = document.querySelector('[data-control="tag-filter"]');
  const input = filter.matches('input') ? filter : filter.querySelector('input');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text);
  const began = performance.now();
  input.dispatchEvent(new Event('input', { bubbles: true }));
  const look = () => {
    const card = document.querySelector('[data-testid="card"]');
    if (card?.dataset.tag === tag) requestAnimationFrame((now) => resolve(now - began));
    else requestAnimationFrame(look);
  };
  look();
})
"""


class _Received:
    """Bytes that a page received, of all requests."""

    def __init__(self, session: CDPSession) -> None:
        self.bytes = 0
        session.send("Network.enable")
        session.on("Network.loadingFinished", self._finished)

    def _finished(self, event: dict[str, object]) -> None:
        self.bytes += int(float(str(event["encodedDataLength"])))


def _cpu(session: CDPSession) -> float:
    """Milliseconds that the main thread of the page has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1e3 * float(next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration"))


def _measure(browser: Browser, served: Served, tag: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    try:
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Performance.enable")
        received = _Received(session)
        began = time.perf_counter()
        page.goto(f"http://localhost:{served.port}/#locale=en")
        page.locator('[data-testid="card"] [data-ready]').first.wait_for(timeout=120_000)
        first, size, work = time.perf_counter() - began, received.bytes, _cpu(session)
        page.wait_for_timeout(2000)  # what is loaded when the page is idle
        before = _cpu(session)
        milliseconds = page.evaluate(_FILTER, [tag.rpartition("/")[2], tag])
        print(
            f"{served.name:7}first chart {first:6.2f} s, {work:6.0f} ms CPU, {size / 1e3:7.1f} kB received;"
            f"  filter {milliseconds:6.0f} ms, {_cpu(session) - before:6.0f} ms CPU",
            flush=True,
        )
    finally:
        context.close()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--tags", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    tags = tag_names(options.tags)
    with tempfile.TemporaryDirectory(prefix="insight-bench-") as directory, sync_playwright() as playwright:
        place = Path(directory)
        print(describe_machine(place))
        write_logs(place / "logs", options.runs, tags).close()
        browser = launched(playwright)
        for source in ("local", "local", "grpc"):  # the first host writes the index
            with hosted(source, place / "logs", place / "cache") as served:
                served.await_loaded()
                for _ in range(options.rounds):
                    _measure(browser, served, tags[len(tags) // 2])
        browser.close()


if __name__ == "__main__":
    main()
