"""How fast the page follows choices among many runs: what is drawn, read and listed.

``python -m benchmarks.page_choosing [--runs 1000] [--listed 10000] [--rounds 5]`` prints milliseconds, each
from the event to the end of the first frame that shows its effect, in headless Chromium.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.chromium import launched
from benchmarks.page_scrolling import host, write

_TAG = "loss"
_READY = "[data-testid=card] [data-ready]"
# Starts `act`, and returns the milliseconds until a frame is painted in which `shown` is true.
_PAINTED = """
    async ([act, shown]) => {
        const acts = {
            all: () => document.querySelector('.ih-sidebar input[type=checkbox]').click(),
            sort: () => document.querySelector('[data-testid=run-table] [data-column="name"] button').click(),
            filter: () => {
                const field = document.querySelector('#run-filter');
                field.value = 'run_00012';
                field.dispatchEvent(new Event('input', { bubbles: true }));
            },
        };
        const first = () => document.querySelector('[data-run]')?.dataset.run;
        const before = first();
        const holds = {
            all: () => /,000 points/.test(document.querySelector('[data-testid=card-status]')?.textContent) &&
                !document.querySelector('[data-testid=card] .busy'),
            other: () => first() !== before,
        };
        const began = performance.now();
        acts[act]();
        for (;;) {
            await new Promise(requestAnimationFrame);
            if (!holds[shown]()) continue;
            await new Promise((done) => setTimeout(done)); // painted
            return performance.now() - began;
        }
    }
"""
_HOVER = """
    () => {
        window.hovers = [];
        addEventListener('pointermove', ({ timeStamp }) => requestAnimationFrame(
            () => setTimeout(() => window.hovers.push(performance.now() - timeStamp))), true);
    }
"""


def _opened(browser: Browser, url: str) -> Page:
    """The page with one run selected, and the modules that it loads when it is idle."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(url.replace("runs=all", "runs=run_00000"))
    page.locator(_READY).first.wait_for(timeout=120_000)
    page.wait_for_timeout(2000)
    return page


def _curves(browser: Browser, url: str) -> dict[str, list[float]]:
    page = _opened(browser, url)
    found = {"select all": [float(page.evaluate(_PAINTED, ["all", "all"]))]}
    chart = page.locator("[data-testid=card] [tabindex='0'][role=img]").first
    box = chart.bounding_box()
    assert box is not None
    page.evaluate(_HOVER)
    for share in np.linspace(0.1, 0.9, 60):
        page.mouse.move(
            box["x"] + share * box["width"], box["y"] + box["height"] * (0.5 + 0.3 * np.sin(9 * share))
        )
        page.wait_for_timeout(60)
    found["hover"] = [float(one) for one in page.evaluate("() => window.hovers")]
    page.close()
    return found


def _list(browser: Browser, url: str) -> dict[str, list[float]]:
    page = _opened(browser, f"{url}&table=1")
    page.locator("[data-testid=run-table] [data-run]").first.wait_for(timeout=120_000)
    page.wait_for_timeout(2000)
    found = {name: [float(page.evaluate(_PAINTED, [name, "other"]))] for name in ("sort", "filter")}
    page.close()
    return found


def _line(name: str, found: Sequence[float]) -> str:
    p50, p95 = np.quantile(found, [0.5, 0.95])
    return f"{name:28} {len(found):4} times  least {min(found):6.1f} ms  p50 {p50:6.1f} ms  p95 {p95:6.1f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--listed", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    figures: dict[str, list[float]] = {}
    with (
        tempfile.TemporaryDirectory() as few,
        tempfile.TemporaryDirectory() as many,
        sync_playwright() as playwright,
    ):
        write(Path(few), options.runs, [_TAG], options.steps)
        write(Path(many), options.listed, [_TAG], 3)
        browser = launched(playwright)
        for logs, measure, count in ((few, _curves, options.runs), (many, _list, options.listed)):
            with host(sys.executable, Path(logs)) as url:
                for _ in range(options.rounds):
                    for name, found in measure(browser, url).items():
                        figures.setdefault(f"{name}, {count:,} runs", []).extend(found)
        browser.close()
    for name, found in figures.items():
        print(_line(name, found))


if __name__ == "__main__":
    main()
