"""Directories of which one process uses each at a time: others take the next."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path

_LOCK = "lock"  # a file in the directory


def first_locked(places: Iterable[Path]) -> tuple[Path, int] | None:
    """The first of these directories that no other process uses, made if need be, and a descriptor that holds
    it until it is closed; None if all are used. Raises OSError."""
    for place in places:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (descriptor := locked(place)) is not None:
            return place, descriptor
    return None


def locked(place: Path) -> int | None:
    """A descriptor that holds a directory; None if another process does, or if the file system has no locks.

    Raises OSError.
    """
    descriptor = os.open(place / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor
