"""Searches the texts of samples slice by slice, so that hits come as they are found."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import PluginContext
from insight_samples.all_formats import format_of
from insight_samples.indexes import IndexedPart, SampleIndexes, SourceIndex
from insight_samples.rows import layout_of
from insight_samples.sample import sample_of
from insight_samples.selection import Chosen, chosen, parts_at, rows_of
from insight_samples.sources import opened, rows_in_order

SECONDS = 0.4  # that one answer searches
MOST_HITS = 100  # of one answer
_TOGETHER = 64  # rows that are matched at a time
_PIECE = 1 << 18  # bytes that are looked at together: as many as stay in the cache of a processor
_PLAIN = set(range(32, 127)) - set(b'"\\')  # characters that JSON writes as they are

Matching: TypeAlias = Callable[[Sequence[str]], Iterable[int]]  # places of the texts that match


@frozen
class FoundSamples:
    """Samples that match in a slice, and where the next slice begins: the row of ``rows`` that it counts
    from; ``next`` is None at the end."""

    found: Chosen
    next: int | None
    rows: int


def search(
    ctx: PluginContext,
    indexes: SampleIndexes,
    index: SourceIndex,
    matching: Matching,
    *,
    needle: str,
    step: int | None,
    conditions: Sequence[str],
    start: int,
) -> FoundSamples:
    """Samples whose prompt or completion matches, from the row ``start`` on.

    ``needle`` is a text in small letters that every match has; empty where there is none.
    """
    ends = time.monotonic() + SECONDS
    raw = needle.encode() if needle.isascii() and set(needle.encode()) <= _PLAIN else b""
    parts = parts_at(index, step)
    hits: list[NDArray[np.intp]] = [np.zeros(0, np.intp) for _ in parts]
    before = count = 0  # rows of parts before, hits
    for number, one in enumerate(parts):
        rows = one.part.rows
        is_searched = before + rows > start
        if is_searched:
            of = chosen(evolve(index, parts=[one]), indexes, step, conditions, ["offset", "size"])
            at = int(np.searchsorted(of.row, start - before))
            at, found = _in_part(ctx, one, of, at, raw, matching, ends)
            hits[number] = of.row[found]
            count += len(found)
            if at < len(of):
                return FoundSamples(rows_of(parts, indexes, hits), before + int(of.row[at]), _rows(parts))
        before += rows
        is_over = is_searched and (time.monotonic() > ends or count >= MOST_HITS)
        if is_over and number + 1 < len(parts):
            return FoundSamples(rows_of(parts, indexes, hits), before, _rows(parts))
    return FoundSamples(rows_of(parts, indexes, hits), None, _rows(parts))


def _in_part(
    ctx: PluginContext, one: IndexedPart, of: Chosen, first: int, raw: bytes, matching: Matching, ends: float
) -> tuple[int, list[int]]:
    """The places of ``of`` that match from ``first`` on, and that at which the time was over."""
    if first >= len(of):
        return len(of), []
    places = list(zip(of.columns["offset"].tolist(), of.columns["size"].tolist(), strict=True))
    wanted: Sequence[int] = range(first, len(places))
    if raw and layout_of(one.file.path) == "lines":
        wanted = _having(ctx, one, places, first, raw)
    found: list[int] = []
    with closing(rows_in_order(ctx, one.file, [places[place] for place in wanted])) as rows:
        for at in range(0, len(wanted), _TOGETHER):
            some = wanted[at : at + _TOGETHER]
            texts = [_text(one.file.path, row) for row in itertools.islice(rows, len(some))]
            found += [some[int(hit)] for hit in matching(texts)]
            if (time.monotonic() > ends or len(found) >= MOST_HITS) and at + _TOGETHER < len(wanted):
                return wanted[at + _TOGETHER], found
    return len(of), found


def _having(
    ctx: PluginContext, one: IndexedPart, places: Sequence[tuple[int, int]], first: int, raw: bytes
) -> Sequence[int]:
    """The places from ``first`` on whose line has these bytes, without parsing any."""
    starts = np.array([offset for offset, _ in places[first:]])
    ends = np.array([offset + size for offset, size in places[first:]])
    at, end = int(starts[0]), int(ends[-1])
    found: list[int] = []
    held = b""  # the end of the piece before, in which the bytes may begin
    seen = at  # up to here lines are found
    with opened(ctx, one.file, at, end - at) as stream:
        while piece := stream.read(min(_PIECE, end - at)):
            block, begin = held + piece.lower(), at - len(held)
            while (hit := block.find(raw, max(0, seen - begin))) >= 0:
                place = int(np.searchsorted(ends, begin + hit, side="right"))
                is_inside = starts[place] <= begin + hit  # and not in a line that is not looked for
                if is_inside:
                    found.append(first + place)
                seen = int(ends[place] if is_inside else starts[place])
            at += len(piece)
            held = block[max(0, len(block) - len(raw) + 1) :]
    return found


def _rows(parts: Sequence[IndexedPart]) -> int:
    return sum(one.part.rows for one in parts)


def _text(path: str, row: object) -> str:
    of = format_of(path, row) if isinstance(row, dict) else None
    if of is None:
        return ""
    sample = sample_of(row, of)  # type: ignore[arg-type]
    return f"{sample.prompt_text}\n{sample.completion_text}"
