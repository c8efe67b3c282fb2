"""Frames a second while the map of Layer health is moved: 500 layers x 10,000 steps.

``python -m benchmarks.page_health [--python .venv/bin/python]``. A Chromium without a graphics card draws.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.chromium import frames_recorded, launched, python_with_tab, record_frames
from benchmarks.page_scrolling import host, write

_WINDOWS = ((1280, 800), (1920, 1080))
_LAYERS, _STEPS = 500, 10_000
_MAP = "[data-testid=heat-map]"
_ALL_READ = "() => document.querySelector('[data-testid=health]')?.getAttribute('aria-busy') === 'false'"
_MOVES = 300  # of the pointer, to and fro; the browser takes one with each frame


def _middle(page: Page) -> tuple[float, float]:
    box = page.locator(_MAP).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@contextmanager
def opened(browser: Browser, url: str, width: int, height: int) -> Iterator[Page]:
    """The tab in a window of this size, with everything read."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{url}&tab=health")
    page.wait_for_selector(f"{_MAP}[data-ready]", timeout=120_000)
    page.wait_for_function(_ALL_READ, timeout=120_000)
    yield page
    page.close()


def drag(page: Page) -> None:
    """The map, zoomed by eight, to and fro."""
    x, y = _middle(page)
    page.mouse.move(x, y)
    page.mouse.down()
    for move in range(_MOVES):
        page.mouse.move(x + 2 * (75 - abs(move % 300 - 150)), y)
    page.mouse.up()


def zoom(page: Page) -> None:
    """The wheel, in and out."""
    page.mouse.move(*_middle(page))
    for turn in range(_MOVES):
        page.mouse.wheel(0, -40 if turn % 60 < 30 else 40)


def main() -> None:
    python = python_with_tab(__doc__)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        write(Path(place), 1, [f"grad_norm/layer{number:03d}" for number in range(_LAYERS)], _STEPS)
        browser = launched(playwright)
        with host(python, Path(place)) as url:
            for width, height in _WINDOWS:
                with opened(browser, url, width, height) as page:
                    page.focus(_MAP)
                    for _ in range(3):
                        page.keyboard.press("+")
                    page.wait_for_timeout(1000)  # finer columns are asked for when it rests
                    for move in (drag, zoom):
                        record_frames(page)
                        move(page)
                        print(f"{move.__name__}, {width} x {height}: {frames_recorded(page)}")
        browser.close()


if __name__ == "__main__":
    main()
