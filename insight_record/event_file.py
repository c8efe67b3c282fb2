"""Writes one event file that always ends with a complete record."""

from __future__ import annotations

import contextlib
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

from insight_record.formats.framing import whole_records
from insight_record.formats.protobuf import Pieces, size_of
from insight_record.locks import lock, unlock

_JOINED = 1 << 20  # bytes; fewer are written at once
_NO_HOST = re.compile(r"[^A-Za-z0-9.-]")


class EventFileWriter:
    """Appends records to a new file, which is locked until it is closed. Not thread-safe.

    Every error is an OSError with the file as ``filename``. After an error the file ends with a complete
    record, and nothing more can be written.
    """

    def __init__(self, path: Path, first: bytes) -> None:
        """``first`` is the optional first record. Raises FileExistsError if the file exists."""
        self.path = path
        self.size = 0  # bytes of whole records
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self._identity = os.fstat(self._descriptor)
        lock(self._descriptor)
        self.write([first])
        self._beginning = self.size

    @property
    def is_new(self) -> bool:
        """Whether only the first record was written."""
        return self.size <= self._beginning

    def write(self, records: Pieces) -> None:
        """Appends complete records, given in pieces of any size."""
        if self._descriptor < 0:
            raise ValueError(f"{self.path} is closed")
        written = 0
        try:
            self._check_place()
            for data in [b"".join(records)] if size_of(records) < _JOINED else records:
                view = memoryview(data)
                while len(view):
                    count = os.write(self._descriptor, view)
                    written += count
                    view = view[count:]
        except BaseException as error:
            self._cut(records, written)
            if isinstance(error, OSError):
                raise self._said(error) from None
            raise
        self.size += written

    def sync(self) -> None:
        """Returns when the written records are on disk (fsync)."""
        try:
            self._check_place()
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._said(error) from None

    def close(self) -> None:
        """Closes the file and releases its lock, without ``sync``. Can be called again."""
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            unlock(descriptor)
            os.close(descriptor)

    def remove(self) -> None:
        """Closes and deletes the file."""
        self.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    def _check_place(self) -> None:
        """Raises OSError if the directory was deleted: writes would succeed but be lost."""
        if not os.path.samestat(os.stat(self.path), self._identity):
            raise FileNotFoundError(2, "another file has taken the place of this one")

    def _cut(self, records: Pieces, written: int) -> None:
        """Truncates a partly written record."""
        kept = whole_records(b"".join(records)[:written]) if written else 0
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, self.size + kept)
        self.size += kept
        self.close()

    def _said(self, error: OSError) -> OSError:
        return type(error)(error.errno, error.strerror or str(error), str(self.path))


def host_name() -> str:
    """The name of this machine, in a form fit for file names."""
    return _NO_HOST.sub("-", socket.gethostname())


def new_file(path: Callable[[int, str], Path], seconds: int, first: bytes) -> tuple[EventFileWriter, int]:
    """A file at ``path(seconds, host)``, its directory made if need be, and the seconds in its name.

    If the file exists, later seconds are used. Raises OSError if the directory is not writable.
    """
    host = host_name()
    path(seconds, host).parent.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            return EventFileWriter(path(seconds, host), first), seconds
        except FileExistsError:
            seconds += 1
