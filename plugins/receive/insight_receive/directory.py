"""Appends to files below a directory: no link is followed, nothing is overwritten or cut."""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from insight_receive.errors import NotReceived
from insight_receive.usage import Usage
from insight_record.sending.names import BLOCK, digest

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NO_PLACE = {errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EMLINK}
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class ReceivedFiles:
    """Files by the parts of their paths, which were checked. Thread-safe."""

    def __init__(self, directory: Path, usage: Usage) -> None:
        self._directory, self._usage = directory, usage

    def length(self, parts: Sequence[str]) -> int:
        """The length of a file in bytes, 0 if it does not exist. Raises NotReceived."""
        try:
            with self._opened(parts) as (file, _):
                return os.fstat(file).st_size
        except FileNotFoundError:
            return 0

    def append(
        self, parts: Sequence[str], offset: int, data: bytes, before: str, *, is_complete: bool
    ) -> int:
        """Appends bytes if the file ends at the offset, after bytes with the digest ``before``.

        Returns the new length, with ``is_complete`` once the file is on the disk. Raises NotReceived, with
        the length in its details where that is what does not fit.
        """
        run = "/".join(parts[:-1])
        self._usage.take(run, len(data))
        left = len(data)
        try:
            with self._opened(parts, appends=True, makes=offset == 0) as (file, is_new):
                if is_new:
                    self._usage.count_file()
                size = os.fstat(file).st_size
                if size != offset:
                    raise _ends_at(size)
                known = os.pread(file, min(offset, BLOCK), max(0, offset - BLOCK))
                if not secrets.compare_digest(digest(known), before):
                    raise NotReceived("the file has other bytes here: send it as another one", 409, "differs")
                try:
                    _write(file, data)
                finally:
                    end = os.fstat(file).st_size
                    left -= end - size
                if is_complete:
                    os.fsync(file)
                return end
        except FileNotFoundError:
            raise _ends_at(0) from None
        except OSError as error:
            raise _refusal(error) from error
        finally:
            self._usage.give_back(run, left)

    @contextmanager
    def _opened(
        self, parts: Sequence[str], *, appends: bool = False, makes: bool = False
    ) -> Iterator[tuple[int, bool]]:
        """The descriptor of a file that no other request has, and whether it is new."""
        place = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        file = -1
        try:
            for part in parts[:-1]:
                if makes:
                    _make(part, place)
                below = os.open(part, _DIRECTORY, dir_fd=place)
                os.close(place)
                place = below
            file, is_new = _file(parts[-1], place, makes=makes)
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1:
                raise NotReceived("something else has this name here", 409, "differs")
            if appends:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_new:
                os.fsync(place)
            yield file, is_new
        except BlockingIOError:
            raise NotReceived("another sender appends to this file", 503, "busy") from None
        except OSError as error:
            if error.errno in _NO_PLACE:
                raise NotReceived("something else has this name here", 409, "differs") from None
            raise
        finally:
            os.close(place)
            if file >= 0:
                os.close(file)


def _write(file: int, data: bytes) -> None:
    """What was written before the disk is full are bytes of the sender, which goes on behind them."""
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]


def _make(name: str, place: int) -> None:
    try:
        os.mkdir(name, dir_fd=place)
    except FileExistsError:
        return
    os.fsync(place)


def _file(name: str, place: int, *, makes: bool) -> tuple[int, bool]:
    try:
        return os.open(name, _FILE, dir_fd=place), False
    except FileNotFoundError:
        if not makes:
            raise
    try:
        return os.open(name, _FILE | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=place), True
    except FileExistsError:
        return os.open(name, _FILE, dir_fd=place), False


def _ends_at(size: int) -> NotReceived:
    return NotReceived(f"the file has {size} bytes here: go on from there", 409, "offset", length=size)


def _refusal(error: OSError) -> NotReceived:
    cause = error.strerror or str(error)
    if error.errno in _FULL:
        return NotReceived(f"the disk of the host is full: {cause}", 507, "full")
    return NotReceived(f"the host cannot write: {cause}", 500, "failed")
