"""Frames a second while 100,000 points of an embedding turn, and what UMAP of 5,000 x 64 costs the page.

``python -m benchmarks.page_embeddings [--python .venv/bin/python]``. Chromium draws without a graphics card.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, sync_playwright

from benchmarks.chromium import frames_recorded, launched, python_with_tab, record_frames
from benchmarks.page_scrolling import host

_WINDOWS = ((1280, 800), (1920, 1080))
_MANY, _FEW, _DIMENSIONS = 100_000, 5_000, 64
_LONG_TASKS = """() => { window.longTasks = []; new PerformanceObserver(list => {
    for (const one of list.getEntries()) window.longTasks.push(one.duration);
}).observe({type: 'longtask'}) }"""


def write(run: Path, points: int) -> None:
    """An embedding of ten clusters, as files of a projector."""
    run.mkdir(parents=True)
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(10, _DIMENSIONS)) * 3
    values = centres[chance.integers(0, 10, points)] + chance.normal(size=(points, _DIMENSIONS))
    values.astype("<f4").tofile(run / "points.bytes")
    shape = f'tensor_path: "points.bytes" tensor_shape: [{points}, {_DIMENSIONS}]'
    (run / "projector_config.pbtxt").write_text(f'embeddings {{ tensor_name: "points" {shape} }}')


def turning(browser: Browser, url: str, width: int, height: int) -> str:
    """Frames a second and between frames, and the size of the picture, in a window of this size."""
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{url}&tab=embeddings&embeddings.run=many")
    page.wait_for_selector(f'[data-drawn="{_MANY}"]', timeout=60_000)
    page.click("[data-action=turn]")
    page.wait_for_timeout(3000)  # the size of the picture follows what a frame takes
    record_frames(page)
    page.wait_for_timeout(5000)
    frames = frames_recorded(page)
    size: dict[str, Any] = page.evaluate(
        "() => { const one = document.querySelector('[data-testid=plain]');"
        " return {drawn: [one.width, one.height], shown: [one.clientWidth, one.clientHeight]} }"
    )
    page.close()
    return f"{frames}, {size}"


def umap(browser: Browser, url: str) -> str:
    """Seconds until all steps are done, and tasks of the page that take over 50 ms."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{url}&tab=embeddings&embeddings.run=few")
    page.wait_for_selector(f'[data-drawn="{_FEW}"]', timeout=60_000)
    page.evaluate(_LONG_TASKS)
    begun = time.monotonic()
    page.click("[data-control=method] [data-value=umap]")
    page.wait_for_selector('progress[data-done="1"]', timeout=300_000, state="attached")
    seconds = time.monotonic() - begun
    tasks: list[float] = page.evaluate("longTasks")
    page.close()
    return f"{seconds:.1f} s, {len(tasks)} long tasks of the page, longest {max(tasks, default=0):.0f} ms"


def main() -> None:
    python = python_with_tab(__doc__)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        write(Path(place, "many"), _MANY)
        write(Path(place, "few"), _FEW)
        browser = launched(playwright)
        with host(python, Path(place)) as url:
            for width, height in _WINDOWS:
                print(f"turn 100,000 points, {width} x {height}: {turning(browser, url, width, height)}")
            print(f"UMAP of 5,000 x 64: {umap(browser, url)}")
        browser.close()


if __name__ == "__main__":
    main()
