"""What changed below the logdirs, as soon as it does."""

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

_APART = 0.05  # seconds between two reads of events: a writer that flushes all the time wakes us no oftener


class Watcher:
    """Waits for changes below ``paths``, which may not exist yet, of files whose paths ``counts``. One thread
    may wait.

    The watch begins with the first ``wait``, which answers at once that anything may have changed:
    what was looked at before is to be looked at again, and nothing is missed. Directories and files are
    followed through symbolic links. A change is told by the path at which the loader finds it below each
    root, that of a linked file by each of its links.

    ``follows`` turns False where changes are not told: network file systems, no inotify, its limits
    reached. Then each wait lasts as long as it may, and says that anything may have changed.
    """

    def __init__(self, paths: Sequence[str], counts: Callable[[str], bool]) -> None:
        self._roots = tuple(paths)
        self._counts = counts
        self.follows = True
        self._tree: WatchedTree | None = None
        self._read = -math.inf  # when events were read last
        self._waiting = threading.Lock()
        self._closed = False
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(self._bell, False)

    def wait(self, timeout: float) -> frozenset[str] | None:
        """Files that changed since the last call; none when the time (s) is over or somebody woke us.

        None: look at everything, because files came or went, or because changes were lost.
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
        """Ends the wait that goes on, or else the next one."""
        with suppress(OSError):  # full: it is awake; closed: nobody waits
            os.write(self._bell, b"!")

    def close(self) -> None:
        """Ends the wait that goes on; later ones end at once."""
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
            self._tree = _watch(self._roots, self._counts)
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
        """Until then, or until the descriptor has something to read; True if somebody woke us."""
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
        log.info("new data is looked for at intervals: %s", _reason(error))

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


def _watch(roots: Sequence[str], counts: Callable[[str], bool]) -> WatchedTree:
    try:
        from insight_core.ingest.inotify import WatchedTree
    except ImportError as error:
        raise OSError(f"this system has no inotify ({error})") from error
    return WatchedTree(roots, counts)
