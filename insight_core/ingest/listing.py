"""Lists directories of a walk, many at a time where each lets the walk wait, as on network file systems."""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from insight_core.formats.compiled import NotCompiled

try:
    from insight_core.ingest import _waits
except ImportError as error:
    raise NotCompiled("insight_core.ingest._waits") from error

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

_LOOKED_AT = 16  # directories between two looks whether listing waits
_LOOKED_AGAIN = 64 * _LOOKED_AT  # directories after a look that found no waits
_WAITING = (
    4.0  # times a thread's own time that its work takes when it is the disk or network that it waits for
)
_THREADS = 64
_AHEAD = 4 * _THREADS  # directories that are listed before the walk comes to them, at most


class SystemWaits:
    """Whether the work of a thread since then has mostly waited for a disk or network."""

    def __init__(self) -> None:
        self._began, self._worked, self._count = time.perf_counter(), time.thread_time(), _thread_waits()

    def are_long(self, pieces: int) -> bool:
        """Of work in so many pieces; waiting for the processor does not count."""
        is_slow = time.perf_counter() - self._began > _WAITING * (time.thread_time() - self._worked)
        return is_slow and _thread_waits() - self._count >= pieces


class DirectoryListing:
    """Returns the entries of directories, with the state of files that the walk will ask for.

    Used in one thread, in a ``with`` statement.
    """

    def __init__(self, wanted: Callable[[str], bool], upcoming: Callable[[int], Sequence[str]]) -> None:
        """``wanted`` says of a file name whether the walk asks for the state of the file, ``upcoming``
        returns the paths of directories that it visits next."""
        self._wanted, self._upcoming = wanted, upcoming
        self._count = self._quiet_until = 0
        self._waits = SystemWaits()
        self._pool: ThreadPoolExecutor | None = None
        self._futures: dict[str, Future[list[os.DirEntry[str]]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def entries(self, path: str) -> list[os.DirEntry[str]]:
        """Raises OSError."""
        if self._pool is None:
            self._count += 1
            if self._count % _LOOKED_AT == 0:
                if self._count >= self._quiet_until and self._waits.are_long(_LOOKED_AT):
                    self._decide()
                self._waits = SystemWaits()
            with os.scandir(path) as entries:
                return list(entries)
        if len(self._futures) <= _AHEAD // 2:
            for each in self._upcoming(_AHEAD):
                if each not in self._futures:
                    self._futures[each] = self._pool.submit(self._looked, each)
        future = self._futures.pop(path, None)
        return self._looked(path) if future is None else future.result()

    def _decide(self) -> None:
        """Begins threads if listing the next directories waits where nothing else can: what was measured so
        far has waits for the interpreter too, which other threads keep while the host starts."""
        paths = [os.fsencode(path) for path in self._upcoming(_LOOKED_AT)]
        if not paths:  # nothing could be listed ahead
            return
        if _waits.waits_of_listing(paths) >= len(paths):
            self._begin_threads()
        else:
            self._quiet_until = self._count + _LOOKED_AGAIN

    def _begin_threads(self) -> None:
        from concurrent.futures import ThreadPoolExecutor  # not needed on a local disk

        self._pool = ThreadPoolExecutor(_THREADS, "insight-listing")

    def _looked(self, path: str) -> list[os.DirEntry[str]]:
        """The entries, which remember what the system says of them."""
        with os.scandir(path) as entries:
            found = list(entries)
        for entry in found:
            if entry.is_symlink() or self._wanted(entry.name):
                with suppress(OSError):  # the walk asks again, and reports it
                    if not entry.is_dir():
                        entry.stat()
        return found


def _thread_waits() -> int:
    """The number of waits of this thread so far (voluntary context switches)."""
    of_thread = getattr(resource, "RUSAGE_THREAD", resource.RUSAGE_SELF)  # not on every system
    return resource.getrusage(of_thread).ru_nvcsw
