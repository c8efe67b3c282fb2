"""Searches the texts of samples slice by slice, so that hits come as they are found."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from insight_core.plugin import PluginContext
from insight_samples.all_formats import format_of
from insight_samples.indexes import IndexedPart, SampleIndexes, SourceIndex, parts_at
from insight_samples.rows import layout_of
from insight_samples.sample import sample_of
from insight_samples.selection import Chosen, chosen, rows_of
from insight_samples.sources import opened, rows_at

SECONDS = 0.4  # that one answer searches
MOST_HITS = 100  # of one answer
_TOGETHER = 64  # rows that are matched at a time
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
    parts = list(parts_at(index, step))
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
    for at in range(0, len(wanted), _TOGETHER):
        some = wanted[at : at + _TOGETHER]
        texts = [
            _text(one.file.path, row) for row in rows_at(ctx, one.file, [places[place] for place in some])
        ]
        found += [some[int(hit)] for hit in matching(texts)]
        if (time.monotonic() > ends or len(found) >= MOST_HITS) and at + _TOGETHER < len(wanted):
            return wanted[at + _TOGETHER], found
    return len(of), found


def _having(
    ctx: PluginContext, one: IndexedPart, places: Sequence[tuple[int, int]], first: int, raw: bytes
) -> Sequence[int]:
    """The places from ``first`` on whose line has these bytes, without parsing any."""
    begin, end = places[first][0], places[-1][0] + places[-1][1]
    with opened(ctx, one.file, begin, end - begin) as stream:
        block = stream.read(end - begin).lower()
    if raw not in block:
        return ()
    ends = np.array([offset + size - begin for offset, size in places[first:]])
    found, at = [], 0
    while (at := block.find(raw, at)) >= 0:
        place = int(np.searchsorted(ends, at, side="right"))
        if place >= len(ends):
            break
        if places[first + place][0] - begin <= at:
            found.append(first + place)
        at = max(at + 1, int(ends[place]))
    return found


def _rows(parts: Sequence[IndexedPart]) -> int:
    return sum(one.part.rows for one in parts)


def _text(path: str, row: object) -> str:
    of = format_of(path, row) if isinstance(row, dict) else None
    if of is None:
        return ""
    sample = sample_of(row, of)  # type: ignore[arg-type]
    return f"{sample.prompt_text}\n{sample.completion_text}"
