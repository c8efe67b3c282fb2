"""Watches trees of logs with inotify (man 7 inotify) and reports changed files."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence

from inotify_simple import Event, INotify, flags

from insight_core.ingest.links import Links
from insight_core.ingest.walk import Walk, identity_of, listed

_CAME = flags.CREATE | flags.MOVED_TO
_CAME_OR_WENT = _CAME | flags.DELETE | flags.MOVED_FROM
_SELF = flags.DELETE_SELF | flags.MOVE_SELF
_DIRECTORY = _CAME_OR_WENT | _SELF | flags.MODIFY | flags.ATTRIB | flags.ONLYDIR
_FILE = _SELF | flags.MODIFY | flags.ATTRIB
_ABOVE = _CAME | _SELF | flags.ONLYDIR
_TABLE = "/proc/self/mountinfo"  # man 5 proc: fields 5 (mount point) and, after " - ", the type
_LOCAL = re.compile(
    r"aufs|bcachefs|btrfs|devtmpfs|erofs|exfat|ext[234]|f2fs|fuseblk|hfsplus|iso9660|jfs|nilfs2|ntfs3?"
    r"|overlay|ramfs|reiserfs|rootfs|squashfs|tmpfs|udf|ufs|vfat|xfs|zfs"
)
_ESCAPE = re.compile(rb"\\([0-7]{3})")


class _Silent(OSError):
    """A file system that does not report every change."""


class WatchedTree:
    """The watches of all directories below some roots. Raises OSError if they are not available."""

    def __init__(
        self, roots: Sequence[str], counts: Callable[[str], bool], *, follow_symlinks: bool = False
    ) -> None:
        """``counts`` returns whether a change of the file at a path is relevant."""
        self._counts = counts
        self._roots = roots
        self._everywhere = follow_symlinks
        self._links = Links(roots, everywhere=follow_symlinks)
        self._outdated = False  # other directories must be watched now
        self._paths: dict[int, set[str]] = {}  # all paths of a watched directory, by watch
        self._numbers: dict[str, int] = {}
        self._awaited: dict[
            int, set[str]
        ] = {}  # names on the way to missing roots, by watch of the directory
        self._mounts = mounts()
        self._identities = {root: identity_of(root) for root in roots}
        self._is_set_up = False
        self._inotify = INotify(nonblocking=True)
        self.descriptor = self._inotify.fileno()
        try:
            for root in roots:
                self._watch_root(root)
            self._is_set_up = True
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Ends all watches."""
        self._inotify.close()

    def is_outdated(self) -> bool:
        """Whether the watches must be set up again; a root may have been moved with a parent directory."""
        return self._outdated or any(identity_of(root) != was for root, was in self._identities.items())

    def changes(self) -> frozenset[str] | None:
        """Changed files of the waiting events; None if files were created or deleted."""
        changed: set[str] = set()
        everything = False
        for event in dict.fromkeys(self._inotify.read(timeout=0)):
            told = self._told(event)
            everything |= told is None
            changed.update(told or ())
        return None if everything else frozenset(changed)

    def _told(self, event: Event) -> set[str] | None:
        if event.mask & (flags.Q_OVERFLOW | flags.MOVE_SELF | flags.UNMOUNT):
            self._outdated = True
            return None
        if event.wd in self._awaited and (event.name in self._awaited[event.wd] or not event.name):
            self._outdated = True
            return None
        paths = self._paths.get(event.wd, set())
        if event.mask & (flags.DELETE_SELF | flags.IGNORED):
            return self._told_of_end(event.wd)
        if not event.name:
            return None if event.mask & flags.ATTRIB else set(paths)
        return self._told_of_entry(event, {os.path.join(path, event.name) for path in paths})

    def _told_of_end(self, number: int) -> set[str] | None:
        """Handles the end of a watch because its directory was deleted; inotify reports it twice."""
        gone = self._paths.pop(number, None)
        if gone is None:
            return set()
        for path in gone:
            if self._numbers.get(path) == number:
                del self._numbers[path]
            self._outdated |= path in self._identities
        return None

    def _told_of_entry(self, event: Event, entries: set[str]) -> set[str] | None:
        if event.mask & flags.ISDIR:
            # directories below a moved one are still watched, under outdated names
            self._outdated |= bool(event.mask & flags.MOVED_FROM)
            if event.mask & (_CAME | flags.ATTRIB):
                for entry in entries:
                    self._watch_directory(entry)
            return None
        if not event.mask & _CAME_OR_WENT:
            return {entry for entry in entries if self._counts(entry)}
        if not entries.isdisjoint(self._numbers):  # a symbolic link was something else before
            self._outdated = True
            return None
        links = [entry for entry in entries if event.mask & _CAME and os.path.islink(entry)]
        if links:  # one at the top level brings other places inside
            self._links = Links(self._roots, everywhere=self._everywhere)
        for entry in links:
            self._watch_link(entry)
        return None if links or any(map(self._counts, entries)) else set()

    def _watch_root(self, root: str) -> None:
        while not os.path.isdir(root):
            awaited = os.path.abspath(root)
            while not os.path.isdir(above := os.path.dirname(awaited)):
                awaited = above
            number = self._inotify.add_watch(above, _ABOVE | flags.MASK_ADD)
            self._awaited.setdefault(number, set()).add(os.path.basename(awaited))
            if not os.path.isdir(awaited):  # it is not there, or not yet
                return
        self._expect_told(root)
        self._watch_directory(root)

    def _watch_directory(self, top: str) -> None:
        """Watches a directory and all below it, in the order of the loader's walk.

        Each is watched before it is listed, so that no change is missed.
        """
        walk = Walk(top)
        for path, relative in walk:
            for entry in listed(path) if self._watch(path, _DIRECTORY) else []:
                is_link = entry.is_symlink()
                if os.path.isdir(entry.path) if is_link else entry.is_dir():
                    if is_link:
                        if not self._links.follow(entry.path):
                            continue
                        self._expect_told(entry.path)
                    walk.add(
                        entry.path, f"{relative}/{entry.name}" if relative else entry.name, is_link=is_link
                    )
                elif is_link:
                    self._watch_link(entry.path)

    def _watch_link(self, path: str) -> None:
        if not self._links.follow(path):
            return
        if os.path.isdir(path):
            self._expect_told(path)
            self._watch_directory(path)
        elif self._counts(path):
            self._expect_told(path)
            self._watch(path, _FILE)

    def _watch(self, path: str, mask: int) -> bool:
        """Returns False for a directory that was deleted, is unreadable (the loader reports it), or is
        already watched under another name below the same root."""
        try:
            number = self._inotify.add_watch(path, mask | flags.MASK_ADD)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP, errno.ENAMETOOLONG):
                return False
            raise
        names = self._paths.setdefault(number, set())
        if path not in names and mask & flags.ONLYDIR and self._is_named(path, names):
            self._outdated |= self._is_set_up  # the loader may use the new name from now on
            return False
        names.add(path)
        self._numbers[path] = number
        return True

    def _is_named(self, path: str, names: set[str]) -> bool:
        """Whether a directory has one of these names already below each root that has it at ``path``."""
        roots = [root for root in self._identities if _is_below(path, root)]
        return all(any(_is_below(name, root) for name in names) for root in roots)

    def _expect_told(self, path: str) -> None:
        silent = silent_mount(path, self._mounts)
        if silent is not None:
            raise _Silent(f"the file system of {silent[0]} ({silent[1]}) does not report changes")


def _is_below(path: str, root: str) -> bool:
    return path == root or path.startswith(os.path.join(root, ""))


def mounts(table: str = _TABLE) -> dict[str, str]:
    """The type of the file system at each mount point; empty where the system has no such table."""
    try:
        with open(table, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        place, _, kind = line.partition(b" - ")
        path = _ESCAPE.sub(lambda match: bytes([int(match.group(1), 8)]), place.split()[4])
        found[os.fsdecode(path)] = os.fsdecode(kind.split()[0])  # a later mount covers an earlier one
    return found


def silent_mount(path: str, mounted: dict[str, str]) -> tuple[str, str] | None:
    """Mount point and type of a file system at or below ``path`` that does not report changes; or None."""
    real = os.path.realpath(path)
    holder = max((point for point in mounted if _holds(point, real)), key=len, default=None)
    below = [point for point in mounted if _holds(real, point)]
    for point in ([holder] if holder is not None else []) + below:
        if not _LOCAL.fullmatch(mounted[point]):
            return point, mounted[point]
    return None


def _holds(directory: str, path: str) -> bool:
    return path == directory or path.startswith(directory.rstrip("/") + "/")
