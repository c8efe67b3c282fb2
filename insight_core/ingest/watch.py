"""Waits for changes of files below the logdirs."""

from __future__ import annotations

import errno
import logging
import math
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insight_core.ingest.inotify import WatchedTree


log = logging.getLogger(__name__)

_APART = 0.02  # seconds between two reads of events: limits wake-ups by writers that flush often


class Watcher:
    """Waits for changes of files below ``paths`` for which ``counts`` returns True. One thread may wait.

    The paths may not exist yet. The watch begins with the first ``wait``, which immediately reports that
    anything may have changed, so that no change before is missed. Symbolic links are followed as the loader
    does, with ``follow_symlinks`` wherever they lead. A change is reported by the path at which the loader
    finds the file below each root; for a linked file by each link.

    ``follows`` becomes False if changes are not reported: on network file systems, without inotify, or beyond
    its limits. Then each wait lasts until its timeout and reports that anything may have changed.
    """

    def __init__(
        self, paths: Sequence[str], counts: Callable[[str], bool], *, follow_symlinks: bool = False
    ) -> None:
        self._roots = tuple(paths)
        self._counts = counts
        self._follow_symlinks = follow_symlinks
        self.follows = True
        self._tree: WatchedTree | None = None
        self._read = -math.inf  # when events were read last
        self._waiting = threading.Lock()
        self._closed = False
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(self._bell, False)

    def wait(self, timeout: float) -> frozenset[str] | None:
        """Files that changed since the last call; empty after ``timeout`` seconds or ``wake``.

        None if files were created or deleted, or if changes were lost: walk the logdirs.
        """
        until = time.monotonic() + timeout
        with self._waiting:
            try:
                if self.follows:
                    return self._changes(until)
                self._sleep(until)
            except OSError as error:
                self._give_up(error)
            return None

    def wake(self) -> None:
        """Ends the current wait, or the next one."""
        with suppress(OSError):  # full: already awake; closed: no thread waits
            os.write(self._bell, b"!")

    def close(self) -> None:
        """Ends the current wait; later ones return immediately."""
        self._closed = True
        self.wake()
        with self._waiting:
            self._drop_tree()
            for end in (self._alarm, self._bell):
                with suppress(OSError):  # closed before
                    os.close(end)
            self._alarm = self._bell = -1

    def _changes(self, until: float) -> frozenset[str] | None:
        if self._closed:
            return frozenset()
        if self._tree is None or self._tree.is_outdated():
            self._drop_tree()
            self._tree = _watch(self._roots, self._counts, self._follow_symlinks)
            return None
        while True:
            woken = self._sleep(min(until, self._read + _APART)) or self._sleep(until, self._tree.descriptor)
            if self._closed:
                return frozenset()
            self._read = time.monotonic()
            changed = self._tree.changes()
            if changed is None or changed or woken or self._read >= until:
                return changed

    def _sleep(self, until: float, descriptor: int | None = None) -> bool:
        """Sleeps until then, or until the descriptor is readable; returns True after ``wake``."""
        if self._closed:
            return True
        poll = select.poll()
        poll.register(self._alarm, select.POLLIN)
        if descriptor is not None:
            poll.register(descriptor, select.POLLIN)
        ready = poll.poll(1000 * max(0.0, until - time.monotonic()))
        if all(number != self._alarm for number, _ in ready):
            return False
        with suppress(BlockingIOError):
            os.read(self._alarm, 4096)
        return True

    def _give_up(self, error: OSError) -> None:
        self.follows = False
        self._drop_tree()
        log.info("polling for new data: %s", _reason(error))

    def _drop_tree(self) -> None:
        if self._tree is not None:
            self._tree.close()
            self._tree = None


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "there are more directories than fs.inotify.max_user_watches allows to watch"
    if error.errno == errno.EMFILE:
        return "fs.inotify.max_user_instances is reached"
    return str(error)


def _watch(roots: Sequence[str], counts: Callable[[str], bool], follow_symlinks: bool) -> WatchedTree:
    try:
        from insight_core.ingest.inotify import WatchedTree
    except ImportError as error:
        raise OSError(f"this system has no inotify ({error})") from error
    return WatchedTree(roots, counts, follow_symlinks=follow_symlinks)
