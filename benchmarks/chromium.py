"""The browser in which pages are measured."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # as in the tests


def launched(playwright: Playwright) -> Browser:
    """The first Chromium on PATH, without a window; FileNotFoundError where there is none."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise FileNotFoundError(f"no Chromium on PATH: {', '.join(_PROGRAMS)} (`make browser` installs one)")
    return playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
