"""Waiting for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 60.0  # seconds, on a machine that does much else


def eventually(value: Callable[[], T | None]) -> T:
    """Asks again and again until the value is true, and returns it."""
    until = time.monotonic() + _PATIENCE
    while not (found := value()):
        assert time.monotonic() < until, "it never held"
        time.sleep(0.02)
    return found
