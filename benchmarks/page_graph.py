"""Time until the page shows a large graph; the host has just loaded the log.

``python -m benchmarks.page_graph [--rounds 3]`` prints seconds from the start of the navigation to the end of
the first frame with a node in it, in headless Chromium, and when the host answered.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.bench_graphs import CORPORA
from benchmarks.chromium import launched
from benchmarks.corpus import WrittenCorpus, kept_corpus
from benchmarks.hosts import our_host
from benchmarks.table import median

_SETTLED_MS = 1000  # after the host knows the log
_NODE = "[data-testid=stage] [data-testid=node]"
_WATCH = f"""
    new MutationObserver(() => {{
        if (window.painted_at === undefined && document.querySelector('{_NODE}')) {{
            window.painted_at = null;
            requestAnimationFrame(() => setTimeout(() => {{ window.painted_at = performance.now(); }}));
        }}
    }}).observe(document, {{ childList: true, subtree: true }});
"""
_ANSWERED = """
    () => performance.getEntriesByType('resource')
        .find(({ name }) => name.includes('graph/scope')).responseEnd
"""


def _shown(browser: Browser, corpus: WrittenCorpus) -> tuple[float, float]:
    """Seconds from the start of the navigation to the answer of the host, and to the first painted node."""
    with our_host(corpus, "--no-cache") as (program, _):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.wait_for_timeout(_SETTLED_MS)
        page.add_init_script(_WATCH)
        page.goto(f"http://127.0.0.1:{program.port}/#runs=all&tab=graph")
        page.wait_for_function("() => Boolean(window.painted_at)", timeout=120_000)
        answered, painted = page.evaluate(_ANSWERED), page.evaluate("() => window.painted_at")
        page.close()
    return answered / 1000, painted / 1000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--corpora", type=Path, help="a folder that keeps them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launched(playwright)
        for name in CORPORA:
            corpus = kept_corpus(name, options.corpora or Path(folder))
            found = [_shown(browser, corpus) for _ in range(options.rounds)]
            for what, seconds in zip(("answered", "painted"), zip(*found, strict=True), strict=True):
                print(
                    f"{name:14} {what:9} {median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"
                )
        browser.close()


if __name__ == "__main__":
    main()
