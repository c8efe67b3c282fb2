"""Reads the ends of spans from JSON lines of structured logs: whole files, or what was appended to them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin.lab import NotCompiled
from insight_profiler.files import Files

try:
    from insight_profiler.reading._step_lines import StepLines as StepLines
except ModuleNotFoundError as error:
    raise NotCompiled("insight_profiler.reading._step_lines") from error

_PIECE = 1 << 20  # bytes read at once
_LONGEST = 1 << 20  # bytes of a line
_SAME = 4096  # bytes before the place up to which a file was read, which tell that it is the same
_END_SUFFIX = "_end"


@frozen(eq=False)
class Ends:
    """Ends of spans: steps, ns since the epoch, numbers of texts of the names, ns that each took."""

    step: NDArray[np.int64]
    time: NDArray[np.int64]
    span: NDArray[np.int32]
    took: NDArray[np.float64]

    @classmethod
    def joined(cls, pieces: list[Ends]) -> Ends:
        """Joins the columns of all pieces; needs at least one piece."""
        if len(pieces) == 1:
            return pieces[0]
        return cls(
            np.concatenate([one.step for one in pieces]),
            np.concatenate([one.time for one in pieces]),
            np.concatenate([one.span for one in pieces]),
            np.concatenate([one.took for one in pieces]),
        )


@define
class ReadFile:
    """How far a file was read: ``read`` bytes, that end with a whole line; ``check`` tells whether it is the
    same file, ``odd`` counts malformed lines."""

    read: int = 0
    check: int = 0
    odd: int = 0
    _tail: bytes = field(default=b"", init=False)  # those that ``check`` is of

    def open(self, files: Files, name: str) -> BinaryIO:
        """A file from where it was read to; from its beginning if it is not the same any more."""
        if 0 < self.read <= files.names()[name]:
            size = min(_SAME, self.read)
            stream = files.open_at(name, self.read - size)
            self._tail = stream.read(size)
            if _check(self._tail) == self.check:
                return stream
            stream.close()
        self.read, self.odd, self._tail = 0, 0, b""
        return files.open(name)

    def ends(self, stream: BinaryIO, lines: StepLines) -> Iterator[Ends]:
        """Ends of spans in the rest of a file; names have the numbers of ``lines``. The last line may still
        be being written."""
        left = b""
        while piece := stream.read(_PIECE):
            whole, mark, left = (left + piece).rpartition(b"\n")
            self._passes(whole, mark)
            if len(left) > _LONGEST:
                self._passes(left)
                left = b""
                self.odd += 1
            if whole:
                yield self._of_piece(whole, lines)
        self.check = _check(self._tail)

    def _passes(self, *parts: bytes) -> None:
        """Counts bytes that were read."""
        for part in parts:
            self.read += len(part)
            self._tail = (self._tail + part[-_SAME:])[-_SAME:]

    def _of_piece(self, whole: bytes, lines: StepLines) -> Ends:
        step, time, span, value, others = lines.read(whole)
        found = Ends(step, time * 1000, span, value * 1e6)
        if not others:
            return found
        rows = list(self._of_lines(others, lines))
        if not rows:
            return found
        steps, times, spans, values = zip(*rows, strict=True)
        more = Ends(
            np.array(steps, np.int64),
            np.array(times, np.int64) * 1000,
            np.array(spans, np.int32),
            np.array(values, np.float64) * 1e6,
        )
        return Ends.joined([found, more])

    def _of_lines(self, others: Iterable[bytes], lines: StepLines) -> Iterator[tuple[int, int, int, float]]:
        """Step, us, number of the name and ms of lines that have no step, are damaged, or unusual."""
        for line in others:
            try:
                held: Any = json.loads(line)
                kind, step = held.get("log_type_name"), held.get("step")
                time, value = held.get("time_us"), held.get("value")
            except (ValueError, AttributeError, RecursionError):
                self.odd += 1
                continue
            if (
                not isinstance(kind, str)
                or not kind.endswith(_END_SUFFIX)
                or held.get("log_type") == "instant"
            ):
                continue
            if not all(isinstance(one, int) and 0 <= one < 1 << 53 for one in (step, time)):
                continue  # a span outside of steps
            if isinstance(value, int | float) and 0 <= value < 1e12:
                name = kind.removesuffix(_END_SUFFIX).encode("utf-8", "surrogatepass")
                yield step, time, lines.number(name), float(value)


def _check(data: bytes) -> int:
    """int64: the digest of some bytes."""
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little", signed=True)
