"""The files of one profile: opens them by name, unpacks them, counts bytes."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, cast

_GZIP = b"\x1f\x8b"
# header of a gzip member: deflated, no reserved flag, a level and a system that exist (RFC 1952)
_MEMBER = re.compile(rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]", re.DOTALL)
_HEADER = 10  # bytes of it
_PIECE = 1 << 20  # bytes read at once
_BUFFER = 1 << 16
_MOST_TIMES = 100  # as large as it is packed; logs are mostly 10 to 30 times as large
_ALLOWANCE = 64 << 20  # unpacked bytes beyond that, for small files
_STEPS = 4096, 1  # packed bytes at once up to the place of damage: the second finds it within the first
TOO_MUCH = f"it unpacks to more than {_MOST_TIMES} times its size; the rest is not read"
WRONG_SUM = "its checksum is wrong"


class Files:
    """Names within the profile, and how each is opened.

    ``opener`` gives the bytes of a file as they are; what is packed by gzip, which its first bytes tell,
    comes unpacked. ``bytes_read`` counts bytes as they are in the files. ``cut`` names packed files that end
    before they should, are damaged, or unpack to far more bytes than a log would (``TOO_MUCH``): of these
    comes what there is up to that place, and after damage the next members of the file. Where only a
    checksum is wrong (``WRONG_SUM``), all bytes come that unpack. ``scratch`` is a directory for copies, None
    for that of the system. ``opener_at`` gives the bytes from a place on; without it what is before is
    passed over.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        opener: Callable[[str], BinaryIO],
        scratch: Path | None = None,
        opener_at: Callable[[str, int], BinaryIO] | None = None,
    ) -> None:
        self._sizes = dict(sizes)
        self._opener = opener
        self._opener_at = opener_at
        self._packed: set[str] = set()
        self.scratch = scratch
        self.bytes_read = 0
        self.cut: dict[str, str] = {}

    @classmethod
    def of_directory(cls, directory: Path, *names: str) -> Files:
        """The files below a directory, or these of them."""
        sizes = {name: (directory / name).stat().st_size for name in names}
        for path in [] if names else sorted(directory.rglob("*")):
            with suppress(FileNotFoundError):  # gone since it was listed, as the journal of a database goes
                if S_ISREG((state := path.stat()).st_mode):
                    sizes[path.relative_to(directory).as_posix()] = state.st_size
        return cls(sizes, lambda name: (directory / name).open("rb"))

    def names(self) -> Mapping[str, int]:
        """Bytes of each file by its name."""
        return self._sizes

    def open(self, name: str) -> BinaryIO:
        """The bytes of a file, unpacked; to be closed. Raises KeyError for a name that is not there, and
        OSError when the file cannot be read."""
        if name not in self._sizes:
            raise KeyError(name)
        return self.open_now(name)

    def open_now(self, name: str) -> BinaryIO:
        """The same, also for a file next to these that may have come into being since they were listed."""
        stream: io.RawIOBase = _Counted(self._opener(name), self)
        head = stream.read(2) or b""
        if len(head) == 1:
            head += stream.read(1) or b""
        stream = _Joined(head, stream)
        if head == _GZIP:
            self._packed.add(name)
            stream = _Unpacked(stream, name, self.cut)
        return cast(BinaryIO, io.BufferedReader(stream, _BUFFER))

    def open_at(self, name: str, offset: int) -> BinaryIO:
        """The bytes of a file from a place on, as they are. Raises like ``open``."""
        if name not in self._sizes:
            raise KeyError(name)
        if self._opener_at is not None:
            opened = self._opener_at(name, offset)
        else:
            opened = self._opener(name)
            pass_over(opened, offset)
        return cast(BinaryIO, io.BufferedReader(_Counted(opened, self), _BUFFER))

    def is_packed(self, name: str) -> bool:
        """Whether a file came unpacked when it was opened."""
        return name in self._packed

    def peek(self, name: str, size: int = 1) -> bytes:
        """The first bytes of a file, unpacked."""
        with self.open(name) as stream:
            return stream.read(size)

    def text(self, name: str, limit: int = 64 << 20) -> str:
        """The first ``limit`` bytes of a file as UTF-8; what is none shows as U+FFFD. A byte order mark
        is left out."""
        with self.open(name) as stream:
            return stream.read(limit).decode("utf-8-sig", "replace")


def pass_over(file: BinaryIO, offset: int) -> None:
    """Goes on to a place in a file that was just opened, or to its end."""
    if file.seekable():
        file.seek(offset)
        return
    while offset and (piece := file.read(min(offset, _PIECE))):
        offset -= len(piece)


class _Counted(io.RawIOBase):
    def __init__(self, file: BinaryIO, files: Files) -> None:
        self._file = file
        self._files = files

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._files.bytes_read += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


class _Joined(io.RawIOBase):
    """A few bytes, and then the rest."""

    def __init__(self, head: bytes, rest: io.RawIOBase) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._head:
            return self._rest.readinto(buffer) or 0
        part, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def close(self) -> None:
        if not self.closed:
            self._rest.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """Unpacks the members of a gzip file, one after another. Notes in ``cut`` what is missing or damaged."""

    def __init__(self, packed: io.RawIOBase, name: str, cut: dict[str, str]) -> None:
        self._packed = packed
        self._name = name
        self._cut = cut
        self._zlib = zlib.decompressobj(wbits=31)
        self._ready = memoryview(b"")
        self._left = b""  # packed bytes not looked at yet
        self._allowed = _ALLOWANCE  # bytes that may still come
        self._is_over = False
        self._is_lost = False  # damage ended a member, and the next one is not found yet

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._ready and not self._is_over:
            self._ready = memoryview(self._more())
        part = self._ready[: len(buffer)]
        buffer[: len(part)] = part
        self._ready = self._ready[len(part) :]
        return len(part)

    def _more(self) -> bytes:
        packed = self._left
        if not packed or (self._is_lost and len(packed) < _HEADER):
            more = self._packed.read(_PIECE // 4) or b""
            self._allowed += _MOST_TIMES * len(more)
            packed = packed + more if more else b""
        self._left = b""
        if not packed:
            self._is_over = True
            if not (self._zlib.eof or self._is_lost):
                self._say("it ends before its packed data do")
            return b""
        if self._is_lost and not (packed := self._found(packed)):
            return b""
        if self._zlib.eof:
            if not packed.lstrip(b"\0"):  # padding after the last member
                return b""
            self._zlib = zlib.decompressobj(wbits=31)
        before = self._zlib.copy()
        try:
            data = self._zlib.decompress(packed, _PIECE)
        except zlib.error as error:
            is_sum = "incorrect data check" in str(error) or "incorrect length check" in str(error)
            self._say(WRONG_SUM if is_sum else "its packed data are damaged")
            self._is_lost = True
            data, self._left = _up_to_damage(before, packed)
        else:
            self._left = self._zlib.unconsumed_tail or self._zlib.unused_data
        self._allowed -= len(data)
        if self._allowed < 0:
            self._is_over = True
            self._cut[self._name] = TOO_MUCH
            return b""
        return data

    def _say(self, what: str) -> None:
        """Keeps the first thing that is wrong, but rather what costs bytes than a wrong checksum."""
        if self._cut.get(self._name, WRONG_SUM) == WRONG_SUM:
            self._cut[self._name] = what

    def _found(self, packed: bytes) -> bytes:
        """``packed`` from the header of the next member on; empty if it does not have one."""
        found = _MEMBER.search(packed)
        if found is None:
            self._left = packed[-_HEADER + 1 :]
            return b""
        self._is_lost = False
        self._zlib = zlib.decompressobj(wbits=31)
        return packed[found.start() :]

    def close(self) -> None:
        if not self.closed:
            self._packed.close()
        super().close()


def _up_to_damage(member: zlib._Decompress, packed: bytes) -> tuple[bytes, bytes]:
    """The bytes that unpack before the damage of ``packed``, and the packed ones from there on."""
    made, at = bytearray(), 0
    for step in _STEPS:
        while at < len(packed):
            trial = member.copy()
            try:
                made += trial.decompress(packed[at : at + step])
            except zlib.error:
                break
            member, at = trial, at + step
    return bytes(made), packed[at + 1 :]
