"""What changed below the logdirs, as soon as it does."""

from __future__ import annotations

import errno
import logging
import math
import os
import select
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from insight_core.loading.inotify import Event, Inotify, Mask
from insight_core.loading.logdir import may_count
from insight_core.loading.mounts import mounts, silent_mount

log = logging.getLogger(__name__)

_APART = 0.05  # seconds between two reads of events: a writer that flushes all the time wakes us no oftener
_CAME = Mask.CREATE | Mask.MOVED_TO
_CAME_OR_WENT = _CAME | Mask.DELETE | Mask.MOVED_FROM
_SELF = Mask.DELETE_SELF | Mask.MOVE_SELF
_DIRECTORY = _CAME_OR_WENT | _SELF | Mask.MODIFY | Mask.ATTRIB | Mask.ONLYDIR
_FILE = _SELF | Mask.MODIFY | Mask.ATTRIB
_ABOVE = _CAME | _SELF | Mask.ONLYDIR


class Watcher:
    """Waits for changes of event files below ``paths``, which may not exist yet. One thread may wait.

    The watch begins with the first ``wait``, which answers at once that anything may have changed:
    what was looked at before is to be looked at again, and nothing is missed. Directories and files are
    followed through symbolic links; a change is told by every path that leads to it.

    ``follows`` turns False where changes are not told: network file systems, no inotify, its limits
    reached. Then each wait lasts as long as it may, and says that anything may have changed.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._roots = tuple(paths)
        self.follows = True
        self._tree: _Tree | None = None
        self._read = -math.inf  # when events were read last
        self._waiting = threading.Lock()
        self._closed = False
        self._alarm, self._bell = os.pipe()
        os.set_blocking(self._alarm, False)
        os.set_blocking(self._bell, False)

    def wait(self, timeout: float) -> frozenset[str] | None:
        """Event files that changed since the last call; none when the time (s) is over or somebody woke us.

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
            self._tree = _Tree(self._roots)
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


class _Silent(OSError):
    """A file system that does not tell of every change."""


def _reason(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "there are more directories than fs.inotify.max_user_watches allows to watch"
    if error.errno == errno.EMFILE:
        return "fs.inotify.max_user_instances is reached"
    return str(error)


class _Tree:
    """The watches of all directories below some roots; OSError where they cannot be had."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._outdated = False  # something else is to be watched now
        self._paths: dict[int, set[str]] = {}  # what is watched under each number, by all its names
        self._numbers: dict[str, int] = {}
        self._awaited: dict[
            int, set[str]
        ] = {}  # names on the way to missing roots, by watch of the directory
        self._mounts = mounts()
        self._identities = {root: _identity(root) for root in roots}
        self._inotify = Inotify()
        self.descriptor = self._inotify.descriptor
        try:
            for root in roots:
                self._watch_root(root)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        self._inotify.close()

    def is_outdated(self) -> bool:
        """Whether all is to be watched anew; a root may have been moved with a directory above it."""
        return self._outdated or any(_identity(root) != was for root, was in self._identities.items())

    def changes(self) -> frozenset[str] | None:
        """Event files that changed, by the events that wait; None when files came or went."""
        changed: set[str] = set()
        everything = False
        for event in dict.fromkeys(self._inotify.read()):
            told = self._told(event)
            everything |= told is None
            changed.update(told or ())
        return None if everything else frozenset(changed)

    def _told(self, event: Event) -> set[str] | None:
        if event.mask & (Mask.Q_OVERFLOW | Mask.MOVE_SELF | Mask.UNMOUNT):
            self._outdated = True
            return None
        if event.watch in self._awaited and (event.name in self._awaited[event.watch] or not event.name):
            self._outdated = True
            return None
        paths = self._paths.get(event.watch, set())
        if event.mask & (Mask.DELETE_SELF | Mask.IGNORED):
            return self._told_of_end(event.watch)
        if not event.name:
            return None if event.mask & Mask.ATTRIB else set(paths)
        return self._told_of_entry(event, {os.path.join(path, event.name) for path in paths})

    def _told_of_end(self, number: int) -> set[str] | None:
        """The watch has ended with what it was on; an end is told twice."""
        gone = self._paths.pop(number, None)
        if gone is None:
            return set()
        for path in gone:
            if self._numbers.get(path) == number:
                del self._numbers[path]
            self._outdated |= path in self._identities
        return None

    def _told_of_entry(self, event: Event, entries: set[str]) -> set[str] | None:
        if event.mask & Mask.ISDIR:
            # all that is below a directory that was moved is still watched, under names that are wrong now
            self._outdated |= bool(event.mask & Mask.MOVED_FROM)
            if event.mask & (_CAME | Mask.ATTRIB):
                for entry in entries:
                    self._watch_directory(entry)
            return None
        if not event.mask & _CAME_OR_WENT:
            return entries if may_count(event.name) else set()
        if not entries.isdisjoint(self._numbers):  # a symbolic link was something else before
            self._outdated = True
            return None
        links = [entry for entry in entries if event.mask & _CAME and os.path.islink(entry)]
        for entry in links:
            self._watch_link(entry)
        return None if links or may_count(event.name) else set()

    def _watch_root(self, root: str) -> None:
        while not os.path.isdir(root):
            awaited = os.path.abspath(root)
            while not os.path.isdir(above := os.path.dirname(awaited)):
                awaited = above
            number = self._inotify.add(above, _ABOVE | Mask.MASK_ADD)
            self._awaited.setdefault(number, set()).add(os.path.basename(awaited))
            if not os.path.isdir(awaited):  # it is not there, or not yet
                return
        self._expect_told(root)
        self._watch_directory(root)

    def _watch_directory(self, top: str) -> None:
        """Watches a directory and all below it; each before it is listed, so that nothing is missed."""
        pending = [top]
        while pending:
            path = pending.pop()
            for entry in _listed(path) if self._watch(path, _DIRECTORY) else []:
                if entry.is_symlink():
                    self._watch_link(entry.path)
                elif entry.is_dir():
                    pending.append(entry.path)

    def _watch_link(self, path: str) -> None:
        if os.path.isdir(path):
            self._expect_told(path)
            self._watch_directory(path)
        elif may_count(os.path.basename(path)):
            self._expect_told(path)
            self._watch(path, _FILE)

    def _watch(self, path: str, mask: int) -> bool:
        """False for what is gone, cannot be read (the loader says so), or leads back to what is above."""
        try:
            number = self._inotify.add(path, mask | Mask.MASK_ADD)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP, errno.ENAMETOOLONG):
                return False
            raise
        names = self._paths.setdefault(number, set())
        if any(path.startswith(name + os.sep) for name in names):
            return False
        names.add(path)
        self._numbers[path] = number
        return True

    def _expect_told(self, path: str) -> None:
        silent = silent_mount(path, self._mounts)
        if silent is not None:
            raise _Silent(f"the file system of {silent[0]} ({silent[1]}) does not tell of changes")


def _listed(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except OSError:  # gone again
        return []


def _identity(path: str) -> tuple[int, int] | None:
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino
