"""Tunes the garbage collector and numpy's threads for the start of a process and for loading logs."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS_BETWEEN_COLLECTIONS = 200_000
_MANY_OBJECTS = 10_000


def prepare_imports() -> None:
    """Called before numpy is imported."""
    # numpy's OpenBLAS would start a busy thread for each core, and nothing here multiplies matrices
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # nearly all objects of a start live until the end


def settle_imports() -> None:
    """Called when the command has imported its modules: enables garbage collection, of new objects only."""
    gc.freeze()
    gc.enable()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Collects cyclic garbage less often within the context.

    Loading creates many long-lived objects: a collection takes longer than creating them.
    """
    before, collections = gc.get_threshold(), gc.get_stats()[0]["collections"]
    if before[0]:  # else collections are disabled
        gc.set_threshold(max(before[0], _OBJECTS_BETWEEN_COLLECTIONS), *before[1:])
    try:
        yield
    finally:
        # the count alone goes back to zero when temporary objects are deleted after a collection
        if gc.get_count()[0] > _MANY_OBJECTS or gc.get_stats()[0]["collections"] > collections:
            gc.freeze()  # later collections need not search the loaded objects either
        gc.set_threshold(*before)
