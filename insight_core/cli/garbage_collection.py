"""Tunes Python's garbage collector for a process that loads logs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS_BETWEEN_COLLECTIONS = 200_000
_MANY_OBJECTS = 10_000


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collects cyclic garbage less often within the context.

    Loading creates many long-lived objects: a collection takes longer than creating them.
    """
    before = gc.get_threshold()
    if before[0]:  # else collections are disabled
        gc.set_threshold(max(before[0], _OBJECTS_BETWEEN_COLLECTIONS), *before[1:])
    try:
        yield
    finally:
        if gc.get_count()[0] > _MANY_OBJECTS:
            gc.freeze()  # later collections need not search the loaded objects either
        gc.set_threshold(*before)
