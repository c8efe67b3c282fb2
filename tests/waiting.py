"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 60.0  # seconds, on a machine that does much else
FOR_EVER = 5 * PATIENCE  # a limit that nothing may wait for


def eventually(value: Callable[[], T | None], pause: float = 0.02) -> T:
    """Asks again and again until the value is true, and returns it; ``pause``: seconds between two."""
    until = time.monotonic() + PATIENCE
    while not (found := value()):
        assert time.monotonic() < until, "it never held"
        time.sleep(pause)
    return found
