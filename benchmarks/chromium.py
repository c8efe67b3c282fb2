"""The browser in which pages are measured."""

from __future__ import annotations

import argparse
import shutil

import numpy as np
from playwright.sync_api import Browser, Page, Playwright

_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # as in the tests

_RECORD = """() => {
    window.frames_seen = [];
    const frame = now => { window.frames_seen.push(now); window.recorder = requestAnimationFrame(frame) };
    window.recorder = requestAnimationFrame(frame);
}"""
_RECORDED = "() => { cancelAnimationFrame(window.recorder); return window.frames_seen }"


def launched(playwright: Playwright) -> Browser:
    """The first Chromium on PATH, without a window; raises FileNotFoundError without one."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise FileNotFoundError(f"no Chromium on PATH: {', '.join(_PROGRAMS)} (`make browser` installs one)")
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])


def record_frames(page: Page) -> None:
    """Begins to note when the page draws."""
    page.evaluate(_RECORD)


def frames_recorded(page: Page) -> str:
    """Frames a second since `record_frames`, and the time between two."""
    waits = np.diff(np.array(page.evaluate(_RECORDED)))  # ms
    return f"{1000 / waits.mean():.0f} frames/s, p95 {np.quantile(waits, 0.95):.0f} ms between two"


def python_with_tab(description: str | None) -> str:
    """The Python of an environment that has the tab, from ``--python``."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", default=".venv/bin/python", help="that has the tab")
    python: str = parser.parse_args().python
    return python
