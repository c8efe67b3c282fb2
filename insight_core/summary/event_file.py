"""One event file on disk, that only ever has whole records."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import socket
import time
from pathlib import Path

from insight_core.summary.dialects import Dialect
from insight_core.summary.fields import Pieces, size_of
from insight_core.summary.frames import version_record, whole_records

_JOINED = 1 << 20  # bytes; fewer are written at once
_numbers = itertools.count()
_PRINTABLE_HOST = re.compile(r"[^A-Za-z0-9.-]")


class EventFile:
    """Appends records to a new file. Not thread-safe.

    Every error is an OSError whose ``filename`` is the file, and leaves whole records behind; nothing can
    be written after one.
    """

    def __init__(self, path: Path, dialect: Dialect, wall_time: float) -> None:
        """Raises FileExistsError where there is such a file."""
        self.path = path
        self.size = 0  # bytes of whole records
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self._identity = os.fstat(self._descriptor)
        self.write([version_record(dialect.version, wall_time)])
        self._first = self.size

    @property
    def is_new(self) -> bool:
        """Whether nothing but the version was written."""
        return self.size <= self._first

    def write(self, records: Pieces) -> None:
        """Appends whole records, in pieces that may be of any size."""
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
        except OSError as error:
            self._cut(records, written)
            raise self._said(error) from None
        self.size += written

    def sync(self) -> None:
        """Returns when what was written outlives a crash of the machine."""
        try:
            self._check_place()
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._said(error) from None

    def close(self) -> None:
        if self._descriptor >= 0:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def _check_place(self) -> None:
        """A file whose directory was removed takes whatever is written, for nobody."""
        if not os.path.samestat(os.stat(self.path), self._identity):
            raise FileNotFoundError(2, "another file has taken the place of this one", str(self.path))

    def _cut(self, records: Pieces, written: int) -> None:
        """Takes back the part of a record that was written."""
        kept = whole_records(b"".join(records)[:written]) if written else 0
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, self.size + kept)
        self.size += kept
        self.close()

    def _said(self, error: OSError) -> OSError:
        return type(error)(error.errno, error.strerror or str(error), str(self.path))


def new_event_file(
    directory: Path, dialect: Dialect, prefix: str, suffix: str, rank: int, *, after: int = 0
) -> tuple[EventFile, int]:
    """A new file in ``directory``, which is made if need be, and the seconds that its name says.

    Readers take the files of a run in the order of these seconds: they are later than ``after``, and no
    other file of this name has them. OSError when the directory cannot be written to.
    """
    directory.mkdir(parents=True, exist_ok=True)
    now = time.time()
    seconds = max(int(now), after + 1)
    host = _PRINTABLE_HOST.sub("-", socket.gethostname())
    while True:
        name = dialect.file_name(prefix, suffix, seconds, rank, host, os.getpid(), next(_numbers))
        try:
            return EventFile(directory / name, dialect, now), seconds
        except FileExistsError:
            seconds += 1
