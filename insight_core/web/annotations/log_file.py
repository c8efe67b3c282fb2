"""The file of all annotations: one JSON object a line, only ever appended to, until it is written anew.

The first line says what the file is and has an id, by which a reader sees that it is another file. Every
other line sets one field of one run; of several lines for the same field the last one counts. A line that
was cut off, or that is no such object, counts for nothing. Hosts that share the file take turns by a lock;
an append is a single write besides.
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
_PATIENCE = 5.0  # seconds that a write waits for its turn: a host that was stopped holds its lock
_PROBE = 1 << 12  # bytes that must find room for annotations to count as writable
_AGAIN = 0.01  # seconds until the next attempt


class AnnotationFile:
    """The fields in a file, by key (whatever names a run) and name of the field.

    ``refresh`` takes in what was appended, by whomever; ``append`` writes. Not for several threads at once.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE_NAME
        self.fields: dict[str, dict[str, FieldValue]] = {}
        self._lines = 0
        self._seen: tuple[int, int, int] | None = None  # inode, size, mtime at the last look
        self._id: tuple[int, str] | None = None  # inode and id of the file that was read
        self._end = 0  # of the last whole line that was read

    def refresh(self) -> bool:
        """Reads what is new. Whether anything was. Raises Unavailable where the file cannot be read."""
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
        except FileNotFoundError:  # gone since: the next look says so
            return False
        except OSError as error:
            raise self._unavailable("read", error) from error
        self._seen = seen
        return True

    def append(self, key: str, values: Mapping[str, FieldValue]) -> None:
        """Sets fields of one key, on disk when this returns. Raises Unavailable where that cannot be."""
        try:
            with self._locked() as (number, locked):
                self._read(number)
                text = "".join(_line(key, name, value) for name, value in values.items())
                if not self._ends_whole(number):
                    text = "\n" + text  # what somebody could not finish stays a line of its own
                _write(number, text.encode("ascii"))
                os.fsync(number)
                self._read(number)
                if locked and self._lines > max(_TIDY_FROM, _TIDY_RATIO * self._counting()):
                    self._tidy()
        except OSError as error:
            raise self._unavailable("written", error) from error

    def check_writable(self) -> None:
        """Raises Unavailable where ``append`` would fail now; leaves nothing on disk.

        Permission bits say too little: root ignores them, and they know nothing of a full or read-only
        file system. So the file is opened, and some bytes are written into a file without a name.
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
        """The descriptor of the file, made if there is none, and whether no other host writes it now."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            number = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                locked = _lock(number)
                try:
                    same = os.path.samestat(os.fstat(number), os.stat(self._path))
                except FileNotFoundError:
                    same = False
                if same:  # else it was replaced while we waited for the lock
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
        with suppress(InsightError):  # what no host of ours writes
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
        """Writes the file anew with what counts. The lock is held."""
        beside = self._path.with_name(f"{FILE_NAME}.{os.getpid()}.new")
        number = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            _write(number, _first_line())
            for key, values in self.fields.items():
                said = {name: value for name, value in values.items() if value is not None}
                _write(number, "".join(_line(key, *item) for item in said.items()).encode("ascii"))
            os.fsync(number)
            os.replace(beside, self._path)
            _sync_directory(
                self._path.parent
            )  # else a crash could bring back the old one without later lines
            self._read(number)
        except OSError:  # the file as it was is still there, and right
            log.warning("the annotations in %s could not be written anew", self._path, exc_info=True)
            with suppress(OSError):
                os.unlink(beside)
        finally:
            os.close(number)

    def _unavailable(self, verb: str, error: OSError) -> Unavailable:
        return Unavailable(f"annotations cannot be {verb}: {self._path}: {error.strerror or error}")


def _existing(directory: Path) -> Path:
    """The directory, or that above it in which it would be made."""
    return next(place for place in (directory, *directory.parents) if os.path.lexists(place))


def _lock(number: int) -> bool:
    """Raises OSError where another host does not give the lock back."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= until:
                raise OSError(error.errno, "another host has locked it and does not go on") from error
            time.sleep(_AGAIN)
        except OSError:  # a file system without locks: an append is one write all the same
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
    """What was made or renamed in it is there after a crash, where the file system knows how."""
    number = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):
            os.fsync(number)
    finally:
        os.close(number)
