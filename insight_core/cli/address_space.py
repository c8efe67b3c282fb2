"""Has a process get along with a limited address space (``ulimit -v``, ``prlimit --as``)."""

from __future__ import annotations

import resource
import threading
from contextlib import suppress

_STACK = 1 << 20  # bytes
_M_ARENA_MAX = -8  # of mallopt(3)


def spare_address_space() -> None:
    """Reserves less for each thread if the address space is limited. Called before threads are started.

    A thread reserves a stack of 8 MB and, with glibc, an arena of 64 MB, and uses next to nothing of them. A
    few threads would reach the limit, and no further thread could start.
    """
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    threading.stack_size(_STACK)
    import ctypes  # only here: a start without a limit does not need it

    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
