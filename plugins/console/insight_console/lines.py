"""Reads lines of a log as they are shown: bounded, decoded, and what a carriage return overwrote left out."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from insight_console.line_index import LineIndex
from insight_console.source import OpenLog
from insight_console.steps import step_of
from insight_console.texts import plain, text_of

LONGEST = 4096  # characters of a line that are shown
_ENDS = 16 << 10  # bytes at both ends of a longer line that are looked at


@frozen
class Line:
    """A line without its end: ``number`` and ``offset`` count from 0, ``size`` is in bytes.

    ``states`` are those that were overwritten, as by a progress bar; ``is_cut`` that the text is not whole;
    ``step`` is the one that it names.
    """

    number: int
    offset: int
    size: int
    text: str
    states: int = 0
    is_cut: bool = False
    step: int | None = None


def read_lines(log: OpenLog, index: LineIndex, first: int, count: int) -> list[Line]:
    """Lines from ``first`` on, at most ``count``, of what is indexed."""
    found: list[Line] = []
    for number, offset, size, data in _raw_lines(log, index, first):
        if number >= first + count:
            break
        found.append(_shown(number, offset, size, data))
    return found


def line_at(log: OpenLog, index: LineIndex, offset: int) -> int:
    """The number of the line that the byte at ``offset`` is in."""
    begins, number = index.before(offset)
    return number + sum(data.count(b"\n") for _, data in log.pieces(begins, min(offset, index.size)))


def _raw_lines(log: OpenLog, index: LineIndex, first: int) -> Iterator[tuple[int, int, int, bytes]]:
    """Number, offset, size and bytes of each line from ``first`` on; of a long line only its two ends."""
    offset, number = index.near(first)
    begins, size = offset, 0  # of the line that is being read
    head, tail = b"", b""
    for at, piece in log.pieces(offset, index.size):
        start = 0
        while (end := piece.find(b"\n", start)) >= 0:
            head, tail, size = _longer(head, tail, size, piece[start:end])
            if number >= first:
                yield number, begins, size, head + tail
            number, begins, start = number + 1, at + end + 1, end + 1
            head, tail, size = b"", b"", 0
        head, tail, size = _longer(head, tail, size, piece[start:])
    if size and number >= first:
        yield number, begins, size, head + tail


def _longer(head: bytes, tail: bytes, size: int, more: bytes) -> tuple[bytes, bytes, int]:
    size += len(more)
    if len(head) < _ENDS:
        taken = _ENDS - len(head)
        head, more = head + more[:taken], more[taken:]
    if more:
        tail = (tail + more[-_ENDS:])[-_ENDS:]
    return head, tail, size


def _shown(number: int, offset: int, size: int, data: bytes) -> Line:
    left_out = size > len(data)
    text, states = text_of(data)
    if left_out and states and b"\r" not in data[_ENDS:]:
        states = 0  # of the beginning alone: it is one long line
        text = data[:_ENDS].decode("utf-8", "replace")
    is_cut = len(text) > LONGEST or (left_out and not states)
    text = text[:LONGEST]
    return Line(number, offset, size, text, states, is_cut, step_of(plain(text.encode("utf-8", "replace"))))
