"""The annotation file: one JSON object per line, append-only, compacted occasionally.

The first line identifies the format and has an id, by which readers detect a replaced file. Every other
line sets one field of one run; the last line for a field counts. Truncated lines and other objects are
ignored. Hosts that share the file synchronise with a lock; in addition, an append is a single write.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from insight_core.plugin import InsightError, Unavailable
from insight_core.plugin.annotations import FIELDS, FieldValue, checked

log = logging.getLogger(__name__)

FILE_NAME = "annotations.jsonl"
FORMAT = 1
_TIDY_FROM = 2000  # lines: a file with fewer is left as it is
_TIDY_RATIO = 4  # lines for each field that still counts
_HEAD = 256  # bytes that hold the first line
_PATIENCE = 5.0  # seconds that a write waits for the lock: a suspended host keeps it
_PROBE = 1 << 12  # bytes that must find room for annotations to count as writable
_AGAIN = 0.01  # seconds until the next attempt


class AnnotationFile:
    """The fields in a file, by key (whatever names a run) and name of the field.

    ``refresh`` reads lines appended by any host; ``append`` writes. Not thread-safe.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        self.fields: dict[str, dict[str, FieldValue]] = {}
        self._lines = 0
        self._seen: tuple[int, int, int] | None = None  # inode, size, mtime at the last refresh
        self._id: tuple[int, str] | None = None  # inode and id of the file that was read
        self._end = 0  # end of the last complete line read

    def refresh(self) -> bool:
        """Reads new lines; returns whether there were any. Raises Unavailable if the file cannot be read."""
        try:
            info = os.stat(self._path)
        except FileNotFoundError:
            missing = self._seen is not None
            self._forget()
            self._seen = None
            return missing
        except OSError as error:
            raise self._unavailable("read", error) from error
        seen = (info.st_ino, info.st_size, info.st_mtime_ns)
        if seen == self._seen:
            return False
        try:
            with open(self._path, "rb") as file:
                self._read(file.fileno())
        except FileNotFoundError:  # deleted meanwhile: the next refresh reports it
            return False
        except OSError as error:
            raise self._unavailable("read", error) from error
        self._seen = seen
        return True

    def append(self, key: str, values: Mapping[str, FieldValue]) -> None:
        """Sets fields of one key; on disk when this returns. Raises Unavailable if they cannot be written."""
        try:
            with self._locked() as (number, locked):
                self._read(number)
                text = "".join(_line(key, name, value) for name, value in values.items())
                if not self._ends_whole(number):
                    text = "\n" + text  # a truncated line stays a separate line
                _write(number, text.encode("ascii"))
                os.fsync(number)
                self._read(number)
                if locked and self._lines > max(_TIDY_FROM, _TIDY_RATIO * self._counting()):
                    self._tidy()
        except OSError as error:
            raise self._unavailable("written", error) from error

    def check_writable(self) -> None:
        """Raises Unavailable if ``append`` would fail now; leaves nothing on disk.

        Permission bits are not sufficient: root ignores them, and they do not cover a full or read-only
        file system. So the file is opened, and some bytes are written into an unnamed file.
        """
        exists = False
        try:
            with suppress(FileNotFoundError):
                os.close(os.open(self._path, os.O_RDWR | os.O_APPEND))
                exists = True
            try:
                with tempfile.TemporaryFile(dir=_existing(self._path.parent), buffering=0) as probe:
                    _write(probe.fileno(), bytes(_PROBE))
            except PermissionError:
                if not exists:  # an append needs no permission for the directory
                    raise
        except OSError as error:
            raise self._unavailable("written", error) from error

    @contextmanager
    def _locked(self) -> Iterator[tuple[int, bool]]:
        """The descriptor of the file, created if necessary, and whether this host has the lock."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            number = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                locked = _lock(number)
                try:
                    same = os.path.samestat(os.fstat(number), os.stat(self._path))
                except FileNotFoundError:
                    same = False
                if same:  # otherwise it was replaced while waiting for the lock
                    if os.fstat(number).st_size == 0:
                        _write(number, _first_line())
                        _sync_directory(self._path.parent)
                    yield number, locked
                    return
            finally:
                os.close(number)  # releases the lock

    def _read(self, number: int) -> None:
        head = os.pread(number, _HEAD, 0)
        described = _parsed(head.partition(b"\n")[0])
        if described.get("format", FORMAT) != FORMAT:
            raise Unavailable(f"{self._path} was written by a newer insight-host")
        info = os.fstat(number)
        name = info.st_ino, str(described.get("id", ""))
        if name != self._id or info.st_size < self._end:
            self._forget()
            self._id = name
        data = bytearray()
        while piece := os.pread(number, 1 << 20, self._end + len(data)):
            data += piece
        whole = data.rfind(b"\n") + 1
        self._end += whole
        for line in bytes(data[:whole]).split(b"\n"):
            if line:
                self._lines += 1
                self._take(_parsed(line))

    def _take(self, line: Mapping[str, object]) -> None:
        key, name = line.get("run"), line.get("field")
        if not isinstance(key, str) or not isinstance(name, str) or name not in FIELDS:
            return
        with suppress(InsightError):  # not written by insight-host
            self.fields.setdefault(key, {})[name] = checked(name, line.get("value"))

    def _forget(self) -> None:
        self.fields = {}
        self._lines = self._end = 0
        self._id = None

    def _counting(self) -> int:
        return sum(value is not None for values in self.fields.values() for value in values.values())

    def _ends_whole(self, number: int) -> bool:
        size = os.fstat(number).st_size
        return size == 0 or os.pread(number, 1, size - 1) == b"\n"

    def _tidy(self) -> None:
        """Compacts the file to the current fields. The lock must be held."""
        compacted = self._path.with_name(f"{FILE_NAME}.{os.getpid()}.new")
        number = os.open(compacted, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            _write(number, _first_line())
            for key, values in self.fields.items():
                said = {name: value for name, value in values.items() if value is not None}
                _write(number, "".join(_line(key, *item) for item in said.items()).encode("ascii"))
            os.fsync(number)
            os.replace(compacted, self._path)
            _sync_directory(
                self._path.parent
            )  # otherwise a crash could restore the old file without later lines
            self._read(number)
        except OSError:  # the old file still exists and is valid
            log.warning("the annotations in %s could not be compacted", self._path, exc_info=True)
            with suppress(OSError):
                os.unlink(compacted)
        finally:
            os.close(number)

    def _unavailable(self, verb: str, error: OSError) -> Unavailable:
        return Unavailable(f"annotations cannot be {verb}: {self._path}: {error.strerror or error}")


def _existing(directory: Path) -> Path:
    """The directory, or its nearest existing parent."""
    return next(place for place in (directory, *directory.parents) if os.path.lexists(place))


def _lock(number: int) -> bool:
    """Raises OSError if another host does not release the lock in time."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= until:
                raise OSError(error.errno, "another host has locked it and does not go on") from error
            time.sleep(_AGAIN)
        except OSError:  # no locks on this file system: an append is a single write anyway
            return False
        else:
            return True


def _first_line() -> bytes:
    described = {"insight-host": "annotations", "format": FORMAT, "id": secrets.token_hex(8)}
    return json.dumps(described).encode("ascii") + b"\n"


def _line(key: str, name: str, value: FieldValue) -> str:
    return json.dumps({"run": key, "field": name, "value": value}) + "\n"


def _parsed(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _write(number: int, data: bytes) -> None:
    written = os.write(number, data)
    if written != len(data):
        raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes were written")


def _sync_directory(directory: Path) -> None:
    """Makes new and renamed files of the directory durable, if the file system supports it."""
    number = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(number)
    finally:
        os.close(number)
