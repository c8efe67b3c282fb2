"""A file of values under two names: one JSON object per line, append-only, compacted occasionally.

The first line identifies the format and has an id, by which readers detect a replaced file. Every other
line sets one value; the last line for it counts, and null removes it. Where the user is known, a line also
has ``by`` and ``at``, which older hosts ignore. Truncated lines and other objects are ignored, but never
deleted. Hosts that share the file synchronise with a lock; in addition, an append is a single write.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from insight_core.plugin import InsightError, Unavailable
from insight_core.plugin.annotations import Authorship
from insight_record.formats.reason import ReasonKind, system_reason

log = logging.getLogger(__name__)

Value: TypeAlias = str | int | None  # None stands for a missing value

FORMAT = 1
_TIDY_FROM = 1 << 18  # bytes: a shorter file is left as it is
_TIDY_RATIO = 2  # bytes for each byte that still counts
_HEAD = 256  # bytes that hold the first line
_PATIENCE = 5.0  # seconds that a write waits for the lock: a suspended host keeps it
_PROBE = 1 << 12  # bytes that must find room for the file to count as writable
_AGAIN = 0.01  # seconds until the next attempt
_NEWER_STATE = ReasonKind("newer_state", "{path} was written by a newer insight-host")


class StateFile:
    """The values in a file, by two names that each line has.

    ``keys`` are what a line calls the two names and the value. ``checked`` raises InsightError for a value
    that no host writes. ``refresh`` reads lines appended by any host; ``append`` writes. Not thread-safe.
    """

    def __init__(
        self,
        path: Path,
        what: str,
        keys: tuple[str, str, str],
        checked: Callable[[str, Value], Value],
    ) -> None:
        self.path = path
        self.values: dict[str, dict[str, Value]] = {}
        self.written: dict[str, dict[str, Authorship]] = {}  # of values that known users set
        self._what = what
        self._keys = keys
        self._checked = checked
        self._seen: tuple[int, int, int] | None = None  # inode, size, mtime at the last refresh
        self._id: tuple[int, str] | None = None  # inode and id of the file that was read
        self._end = 0  # end of the last complete line read
        self._odd: list[bytes] = []  # lines that cannot be read
        self._tidied = 0  # bytes that counted when the file was last found long

    @property
    def unreadable(self) -> int:
        """How many lines cannot be read."""
        return len(self._odd)

    def refresh(self) -> bool:
        """Reads new lines; returns whether there were any. Raises Unavailable if the file cannot be read."""
        try:
            info = os.stat(self.path)
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
            with open(self.path, "rb") as file:
                self._read(file.fileno())
        except FileNotFoundError:  # deleted meanwhile: the next refresh reports it
            return False
        except OSError as error:
            raise self._unavailable("read", error) from error
        self._seen = seen
        return True

    def append(
        self,
        key: str,
        values: Mapping[str, Value],
        allow: Callable[[], None] = lambda: None,
        *,
        by: str | None = None,
    ) -> None:
        """Sets values under one key; on disk when this returns. Raises Unavailable if they cannot be written.

        ``allow`` is called when no other host can write, after all lines were read; what it raises ends the
        call before anything is written. ``by`` is the user, if known.
        """
        written = None if by is None else Authorship(by, round(time.time(), 3))
        try:
            with self._locked() as (number, locked):
                self._read(number)
                allow()
                text = "".join(self._line(key, name, value, written) for name, value in values.items())
                if not self._ends_whole(number):
                    text = "\n" + text  # a truncated line stays a separate line
                _write(number, text.encode("ascii"))
                os.fsync(number)
                self._read(number)
                if locked and self._end > max(_TIDY_FROM, _TIDY_RATIO * self._tidied):
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
                os.close(os.open(self.path, os.O_RDWR | os.O_APPEND))
                exists = True
            try:
                with tempfile.TemporaryFile(dir=_existing(self.path.parent), buffering=0) as probe:
                    _write(probe.fileno(), bytes(_PROBE))
            except PermissionError:
                if not exists:  # an append needs no permission for the directory
                    raise
        except OSError as error:
            raise self._unavailable("written", error) from error

    @contextmanager
    def _locked(self) -> Iterator[tuple[int, bool]]:
        """The descriptor of the file, created if necessary, and whether this host has the lock."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            number = os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                locked = _lock(number)
                try:
                    same = os.path.samestat(os.fstat(number), os.stat(self.path))
                except FileNotFoundError:
                    same = False
                if same:  # otherwise it was replaced while waiting for the lock
                    if os.fstat(number).st_size == 0:
                        _write(number, self._first_line())
                        _sync_directory(self.path.parent)
                    yield number, locked
                    return
            finally:
                os.close(number)  # releases the lock

    def _read(self, number: int) -> None:
        head = os.pread(number, _HEAD, 0)
        described = _parsed(head.partition(b"\n")[0])
        if described.get("format", FORMAT) != FORMAT:
            raise Unavailable(_NEWER_STATE(path=str(self.path)))
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
            if line and not self._take(_parsed(line)):
                self._odd.append(line)

    def _take(self, line: Mapping[str, object]) -> bool:
        if not line.keys() >= set(self._keys):
            return "insight-host" in line  # the first line
        key, name, value = (line[each] for each in self._keys)
        if not (isinstance(key, str) and isinstance(name, str) and isinstance(value, str | int | None)):
            return False
        try:
            self.values.setdefault(key, {})[name] = self._checked(name, value)
        except InsightError:  # not written by insight-host
            return False
        by, at = line.get("by"), line.get("at")
        if isinstance(by, str) and isinstance(at, int | float):
            self.written.setdefault(key, {})[name] = Authorship(by, at)
        else:
            self.written.get(key, {}).pop(name, None)
        return True

    def _forget(self) -> None:
        self.values, self.written = {}, {}
        self._odd = []
        self._end = self._tidied = 0
        self._id = None

    def _ends_whole(self, number: int) -> bool:
        size = os.fstat(number).st_size
        return size == 0 or os.pread(number, 1, size - 1) == b"\n"

    def _tidy(self) -> None:
        """Compacts the file to the current values, if that halves it. The lock must be held."""
        lines = [
            self._line(key, name, value, self.written.get(key, {}).get(name))
            for key, values in self.values.items()
            for name, value in values.items()
            if value is not None
        ]
        odd = b"".join(line + b"\n" for line in self._odd)
        content = self._first_line() + odd + "".join(lines).encode("ascii")
        if self._end <= _TIDY_RATIO * len(content):
            self._tidied = len(content)
            return
        compacted = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        number = os.open(compacted, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            _write(number, content)
            os.fsync(number)
            os.replace(compacted, self.path)
            # otherwise a crash could restore the old file without later lines
            _sync_directory(self.path.parent)
            self._read(number)
            self._tidied = len(content)
        except OSError:  # the old file still exists and is valid
            log.warning("%s could not be compacted", self.path, exc_info=True)
            with suppress(OSError):
                os.unlink(compacted)
        finally:
            os.close(number)

    def _unavailable(self, verb: str, error: OSError) -> Unavailable:
        cause = system_reason(error)
        text = f"{self._what} cannot be {verb}: {self.path}: {cause}"
        return Unavailable(text, code=f"state_not_{verb}", path=str(self.path), cause=cause)

    def _first_line(self) -> bytes:
        described = {"insight-host": self._what, "format": FORMAT, "id": secrets.token_hex(8)}
        return json.dumps(described).encode("ascii") + b"\n"

    def _line(self, key: str, name: str, value: Value, written: Authorship | None) -> str:
        line: dict[str, object] = dict(zip(self._keys, (key, name, value), strict=True))
        if written is not None:
            line |= {"by": written.by, "at": written.at}
        return json.dumps(line) + "\n"


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
