"""Searches a log slice by slice, so that an answer comes soon and says where the next one goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from attrs import frozen

from insight_console.source import OpenLog
from insight_console.texts import plain, text_of

MOST_HITS = 500  # of one answer
SECONDS = 0.5  # that one answer searches
_LONGEST = 1 << 20  # bytes of a line that are searched together
_SHOWN = 300  # characters of a hit


Rows: TypeAlias = Callable[[Sequence[str]], Iterable[int]]  # places of the texts that match


@frozen
class Hits:
    """Numbers and texts of the lines that match in a slice, and where the next slice begins: in which line,
    at which byte. ``is_end``: the log ends there."""

    lines: Sequence[tuple[int, str]]
    offset: int
    line: int
    is_end: bool


def search(log: OpenLog, offset: int, line: int, rows: Rows, needle: bytes = b"") -> Hits:
    """Lines that match from the byte ``offset`` on, where line ``line`` begins.

    ``needle``: bytes in small letters that every match has, by which most pieces are skipped.
    """
    ends = time.monotonic() + SECONDS
    found: list[tuple[int, str]] = []
    held = b""  # of a line that is not whole
    start = offset  # of what is not searched
    for at, piece in log.pieces(offset, log.size):
        block = held + piece
        cut = block.rfind(b"\n") + 1
        if not cut and len(block) < _LONGEST and at + len(piece) < log.size:
            held = block
            continue
        cut = cut if cut and at + len(piece) < log.size else len(block)
        whole, held = block[:cut], block[cut:]
        shown = plain(whole)
        if needle in shown.lower():
            hits = _hits_in(shown, line, rows)
            found += hits[1:] if found and hits and hits[0][0] == found[-1][0] else hits  # of one long line
        line += whole.count(b"\n")
        start += len(whole)
        if len(found) >= MOST_HITS or time.monotonic() > ends:
            break
    is_end = start >= log.size
    return Hits(found, start, line, is_end)


def _hits_in(whole: bytes, line: int, rows: Rows) -> list[tuple[int, str]]:
    lines = [one.rstrip(b"\r") for one in whole.removesuffix(b"\n").split(b"\n")]
    texts = [one.decode("utf-8", "replace") for one in lines]
    return [(line + int(row), text_of(lines[row])[0][:_SHOWN]) for row in rows(texts)]
