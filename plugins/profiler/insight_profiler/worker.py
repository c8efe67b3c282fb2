"""The process that reads profiles, so that the host's memory and responsiveness are not affected.

It receives orders and requests bytes: lines of JSON go out, the first line of each order and then
pieces of files come in (``Piece``). It ends when its input does.
"""

from __future__ import annotations

import contextlib
import csv
import gc
import io
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from attrs import evolve

from insight_core.plugin import physical_memory
from insight_profiler.analysis.rank_summary import summary_of
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import TOO_MUCH, Files
from insight_profiler.model import Note, Source
from insight_profiler.reading import READERS
from insight_profiler.storage import save

PIECE = 1 << 20  # bytes asked for at once
HEAD = 4  # bytes before each piece: its size, or FAILED
FAILED = 0xFFFFFFFF  # what follows is a piece that says why the file cannot be read
_AHEAD = 2  # pieces of a file on their way

_CELL = 1 << 26  # characters: hccl_raw has a JSON object of all operators of a step in one cell
_MEMORY_SHARE = 0.5  # of the machine's memory that reading may take

_SECONDS = 120.0  # of processor time that reading a profile may take,
_SECONDS_A_BYTE = 10e-6  # and what it may take for each byte: logs take a hundredth, packed ones a third
_AGAIN = 1.0  # seconds after which a reader that goes on is ended again

_FIRST_LOOK = 8 << 20  # bytes after which there is something to see
_NEXT_LOOK = 4  # times as many for each following look


class _Host:
    """The other end of the pipes."""

    def __init__(self, orders: BinaryIO, answers: BinaryIO) -> None:
        self._orders = orders
        self._answers = answers
        self._coming: deque[_Asked] = deque()  # in the order in which pieces come

    def order(self) -> dict[str, Any] | None:
        while self._coming:  # what the last reader did not want any more
            self.receive()
        line = self._orders.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def say(self, **message: object) -> None:
        self._answers.write(json.dumps(message).encode() + b"\n")
        self._answers.flush()

    def ask(self, file: _Asked) -> None:
        self.say(read=file.name, stream=file.number)
        self._coming.append(file)

    def receive(self) -> None:
        """The next piece, for whichever file it is."""
        file = self._coming.popleft()
        size = int.from_bytes(self._exactly(HEAD), "little")
        if size == FAILED:
            size = int.from_bytes(self._exactly(HEAD), "little")
            file.error = self._exactly(size).decode("utf-8", "replace")
        else:
            file.pieces.append(self._exactly(size))
        file.awaited -= 1

    def _exactly(self, size: int) -> bytes:
        data = self._orders.read(size)
        if len(data) < size:
            raise EOFError("the host is gone")
        return data


class _Asked(io.RawIOBase):
    """A file that comes in pieces; an empty one is its end."""

    _number = 0

    def __init__(self, host: _Host, name: str) -> None:
        _Asked._number += 1
        self.number = _Asked._number
        self.name = name
        self.pieces: deque[bytes] = deque()
        self.awaited = 0
        self.error = ""
        self._host = host
        self._piece = memoryview(b"")
        self._is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._piece and not self._is_over:
            while self.awaited + len(self.pieces) < _AHEAD:
                self._host.ask(self)
                self.awaited += 1
            while not self.pieces and not self.error:
                self._host.receive()
            if self.error:
                raise OSError(self.error)
            self._piece = memoryview(self.pieces.popleft())
            self._is_over = not self._piece
        count = min(len(buffer), len(self._piece))
        buffer[:count] = self._piece[:count]
        self._piece = self._piece[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            self._host.say(close=self.number)
        super().close()


class _OutOfTime(Exception):
    """Reading a profile took more processor time than it may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"reading took more than {seconds:.0f} s of processor time")
        self.seconds = seconds


@contextlib.contextmanager
def _limited_time(seconds: float) -> Iterator[None]:
    """Raises _OutOfTime in a block that takes more processor time than this."""

    def end(*_: object) -> None:
        raise _OutOfTime(seconds)

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class _Looks:
    """Says now and then what there is so far: first soon, then each time there is a multiple of it."""

    def __init__(self, host: _Host, files: Files, directory: Path) -> None:
        self._host = host
        self._files = files
        self._directory = directory
        self._next = _FIRST_LOOK
        self._count = 0

    def __call__(self, building: Building) -> None:
        if self._files.bytes_read < self._next:
            return
        self._next = _NEXT_LOOK * max(self._next, self._files.bytes_read)
        self._count += 1
        where = self._directory / f"look-{self._count}"
        save(building.finish(is_complete=False), where)
        self._host.say(look=str(where))


def _read(host: _Host, order: Mapping[str, Any]) -> None:
    files = Files(order["files"], lambda name: cast(BinaryIO, _Asked(host, name)))
    source = Source(order["source"])
    building = Building(source, _Looks(host, files, Path(order["looks"])))
    building.rank = order["rank"]
    building.worker = order["worker"]
    began = time.monotonic()
    READERS[source](files, building)
    told = {note.values.get("file") for note in building.notes if note.code == "truncated"}
    for name, reason in files.cut.items():
        if name in told and reason != TOO_MUCH:
            continue
        code = "unpacked_limit" if reason == TOO_MUCH else "truncated"
        building.note(code, f"{name} is cut: {reason}", file=name)
    profile = building.finish()
    directory = Path(order["directory"])
    try:
        try:
            save(profile, directory, summary_of(profile))
        except (
            OSError
        ) as error:  # the disk of the cache is full: it is shown, and read again at the next start
            text = f"the profile is not kept for the next start: {error}"
            building.note("not_cached", text, reason=str(error))
            directory = Path(order["looks"]) / "whole"
            save(evolve(profile, notes=tuple(building.notes)), directory)
    except OSError as error:
        text = f"what was read cannot be kept: {error}"
        host.say(failed={"code": "not_kept", "values": {"reason": str(error)}, "text": text})
        return
    host.say(done=str(directory), seconds=time.monotonic() - began)


def _failure(error: Exception) -> Note:
    if isinstance(error, Unreadable):
        return error.note
    if isinstance(error, _OutOfTime):
        return Note("out_of_time", {"seconds": round(error.seconds)}, str(error))
    if isinstance(error, MemoryError):
        return Note("out_of_memory", {}, "there is not enough memory to read it")
    if isinstance(error, OSError):
        return Note("unreadable_file", {"reason": str(error)}, f"a file cannot be read: {error}")
    traceback.print_exc()
    reason = f"{type(error).__name__}: {error}"
    return Note("reader_failed", {"reason": reason}, f"the reader failed: {reason}")


def _limit_memory(size: int) -> None:
    """Has allocations fail with MemoryError beyond ``size`` bytes more than are mapped now: a profile that
    does not fit fails alone, where otherwise the system might end the host."""
    with contextlib.suppress(OSError, ValueError):  # no /proc, or a lower limit that may not be raised
        with open("/proc/self/statm", encoding="ascii") as file:
            mapped = int(file.read().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (mapped + size, most))


def main() -> None:
    """Runs the reading process: orders on standard input, answers on standard output.

    Arguments: bytes of memory, and seconds of processor time besides those for each byte of a profile.
    """
    seconds = float(sys.argv[2]) if sys.argv[2:] else _SECONDS
    _limit_memory(int(sys.argv[1]) if sys.argv[1:] else int(_MEMORY_SHARE * physical_memory()))
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # prints must not mix with answers
    sys.stdin = io.StringIO()
    csv.field_size_limit(_CELL)
    gc.disable()  # events form no cycles; a collection would take as long as reading
    host = _Host(orders, answers)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while (order := host.order()) is not None:
            try:
                with _limited_time(seconds + _SECONDS_A_BYTE * sum(order["files"].values())):
                    _read(host, order)
            except (EOFError, BrokenPipeError):  # the host is gone, and asks for nothing any more
                shutil.rmtree(order["looks"], ignore_errors=True)
                return
            except Exception as error:
                note = _failure(error)
                host.say(failed={"code": note.code, "values": dict(note.values), "text": note.text})
            gc.collect()


if __name__ == "__main__":
    main()
