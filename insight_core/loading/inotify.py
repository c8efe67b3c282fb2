"""Linux's inotify (man 7 inotify), as much of it as a watch of directories needs.

Bound here because a reader that blocks in poll() costs nothing while nothing happens; watchfiles wakes up
every few milliseconds to see whether something did.
"""

from __future__ import annotations

import ctypes
import os
import struct
from enum import IntFlag

from attrs import frozen

_EVENT = struct.Struct("iIII")  # struct inotify_event: wd, mask, cookie, length of the name
_READ = 1 << 18  # bytes; larger than the longest event


class Mask(IntFlag):
    """IN_... of <sys/inotify.h>."""

    MODIFY = 0x2
    ATTRIB = 0x4
    MOVED_FROM = 0x40
    MOVED_TO = 0x80
    CREATE = 0x100
    DELETE = 0x200
    DELETE_SELF = 0x400
    MOVE_SELF = 0x800
    UNMOUNT = 0x2000
    Q_OVERFLOW = 0x4000
    IGNORED = 0x8000
    ONLYDIR = 0x1000000
    MASK_ADD = 0x20000000
    ISDIR = 0x40000000


@frozen
class Event:
    watch: int  # which watch it belongs to, -1 for an overflow
    mask: int
    name: str  # in the watched directory; empty for the watched thing itself


class Inotify:
    """One inotify instance; ``descriptor`` is readable when events wait. Raises OSError."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        try:
            begin = self._libc.inotify_init1
        except AttributeError:
            raise OSError("this system has no inotify") from None
        self.descriptor = self._checked(begin(os.O_CLOEXEC | os.O_NONBLOCK))

    def add(self, path: str, mask: int) -> int:
        """Watches ``path``; a thing that is watched already keeps its number, whatever path leads to it."""
        number = self._libc.inotify_add_watch(self.descriptor, os.fsencode(path), ctypes.c_uint32(mask))
        return self._checked(number, path)

    def read(self) -> list[Event]:
        """All events that wait; none is no reason to block."""
        events: list[Event] = []
        while True:
            try:
                data = os.read(self.descriptor, _READ)
            except BlockingIOError:
                return events
            at = 0
            while at < len(data):
                watch, mask, _, length = _EVENT.unpack_from(data, at)
                at += _EVENT.size + length
                name = data[at - length : at].split(b"\0", 1)[0]
                events.append(Event(watch, mask, os.fsdecode(name)))

    def close(self) -> None:
        os.close(self.descriptor)

    def _checked(self, result: int, path: str | None = None) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), path)
        return result
