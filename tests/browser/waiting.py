"""Waiting for what Playwright's expectations do not see."""

from __future__ import annotations

import time
from collections.abc import Callable

from playwright.sync_api import Page

from tests.waiting import PATIENCE


def until(page: Page, holds: Callable[[], object]) -> None:
    """Looks again and again, until something holds."""
    ends = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < ends, "it never held"
        page.wait_for_timeout(20)
