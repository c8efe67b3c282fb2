"""Waiting for what Playwright's expectations do not see."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page

_PATIENCE = 60.0  # seconds, on a machine that does much else


def until(page: Page, holds: Callable[[], object]) -> None:
    """Looks again and again, until something holds."""
    ends = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < ends, "it never held"
        page.wait_for_timeout(20)
