"""Reads how long each rank of a job took for each step: JSON lines of TorchTitan's structured logger and of
``insight_record.StepTimes``, a file for each start of each rank
(``structured_logs/training.global_rank_3.20260101-120000-ABC123.jsonl``).

Of a span (``step``, ``fwd_bwd``) the line of its end says all: its name, step, milliseconds and the time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files

_NAME = re.compile(r"(?P<source>.*)\.global_rank_(?P<rank>\d+)\.(?P<start>.*)\.jsonl$")
# in the order in which the logger writes them
_END = re.compile(
    rb'"step": (\d{1,18})\b[^\n]*?"time_us": (\d{1,18})\b[^\n]*?'
    rb'"log_type_name": "(\w+)_end"[^\n]*?"value": ([\d.e+-]+)'
)
_IS_END = b'_end"'
_PIECE = 16 << 20  # bytes read at once
_LONGEST = 1 << 20  # bytes of a line
_MOST_NOTES = 10
_END_SUFFIX = "_end"

Rows: TypeAlias = tuple[list[int], list[int], list[str], list[float]]


def read(files: Files, building: Building) -> None:
    """Fills a profile from the files of all ranks. Raises Unreadable where none has a step."""
    starts: dict[int, list[tuple[str, str]]] = {}
    for name in files.names():
        if found := _NAME.search(name):
            starts.setdefault(int(found["rank"]), []).append((found["start"], name))
    odd: dict[str, int] = {}
    for rank, named in sorted(starts.items()):
        for attempt, (_, name) in enumerate(sorted(named)):
            _add(building, rank, attempt, _ends(files, name, odd))
            building.reached()
    if not building.rows("step_spans"):
        name = next(iter(files.names()), "structured_logs")
        raise Unreadable("no_rank_steps", f"{name} has no step that has ended", file=name)
    for name, count in list(odd.items())[:_MOST_NOTES]:
        text = f"{count} malformed lines of {name} were skipped"
        building.note("lines_cut", text, count=count, file=name)


def _ends(files: Files, name: str, odd: dict[str, int]) -> list[Rows]:
    """Steps, times in us, names and milliseconds of spans that ended; ``odd`` counts lines that are no JSON.
    The last line may still be being written."""
    found, left = [], b""
    with files.open(name) as stream:
        while piece := stream.read(_PIECE):
            whole, _, left = (left + piece).rpartition(b"\n")
            if len(left) > _LONGEST:
                left = b""
                odd[name] = odd.get(name, 0) + 1
            if whole:
                found.append(_of_piece(whole, name, odd))
    return found


def _of_piece(whole: bytes, name: str, odd: dict[str, int]) -> Rows:
    lines = [line for line in whole.split(b"\n") if _IS_END in line]
    rows = _END.findall(b"\n".join(lines))
    found = _columns(rows) if rows else ([], [], [], [])
    if len(rows) != len(lines):
        more = _of_lines((line for line in lines if not _END.search(line)), name, odd)
        found = found[0] + more[0], found[1] + more[1], found[2] + more[2], found[3] + more[3]
    return found


def _columns(rows: list[tuple[bytes, bytes, bytes, bytes]]) -> Rows:
    steps, times, names, values = zip(*rows, strict=True)
    texts = {one: one.decode() for one in set(names)}
    return (
        np.array(steps, np.bytes_).astype(np.int64).tolist(),
        np.array(times, np.bytes_).astype(np.int64).tolist(),
        [texts[one] for one in names],
        np.array(values, np.bytes_).astype(np.float64).tolist(),
    )


def _of_lines(lines: Iterable[bytes], name: str, odd: dict[str, int]) -> Rows:
    """The same of lines whose keys stand in another order, that have no step, or that are damaged."""
    steps, times, names, values = [], [], [], []
    for line in lines:
        try:
            held: Any = json.loads(line)
            kind, step = held.get("log_type_name"), held.get("step")
            time, value = held.get("time_us"), held.get("value")
        except (ValueError, AttributeError, RecursionError):
            odd[name] = odd.get(name, 0) + 1
            continue
        if not isinstance(kind, str) or not kind.endswith(_END_SUFFIX) or held.get("log_type") == "instant":
            continue
        if not all(isinstance(one, int) and 0 <= one < 1 << 53 for one in (step, time)):
            continue  # a span outside of steps
        if isinstance(value, int | float) and 0 <= value < 1e12:
            steps.append(step)
            times.append(time)
            names.append(kind.removesuffix(_END_SUFFIX))
            values.append(float(value))
    return steps, times, names, values


def _add(building: Building, rank: int, attempt: int, pieces: list[Rows]) -> None:
    """Adds a row for each span and step: of those that ran several times in a step the sum."""
    pieces = [piece for piece in pieces if piece[0]]
    if not pieces:
        return
    step = np.concatenate([np.array(piece[0], np.int64) for piece in pieces])
    end = np.concatenate([np.array(piece[1], np.int64) for piece in pieces]) * 1000
    numbers: dict[str, int] = {}
    for piece in pieces:
        for one in dict.fromkeys(piece[2]):
            numbers.setdefault(one, building.text(one))
    span = np.concatenate([np.array([numbers[one] for one in piece[2]], np.int64) for piece in pieces])
    took: NDArray[np.int64] = np.rint(
        np.concatenate([np.array(piece[3], np.float64) for piece in pieces]) * 1e6
    ).astype(np.int64)
    order = np.lexsort((step, span))
    step, end, span, took = step[order], end[order], span[order], took[order]
    first = np.flatnonzero((np.diff(step, prepend=-1) != 0) | (np.diff(span, prepend=-1) != 0))
    building.add(
        "step_spans",
        rank=np.full(len(first), rank),
        attempt=np.full(len(first), attempt),
        step=step[first],
        span=span[first],
        start=np.minimum.reduceat(end - took, first),
        duration=np.add.reduceat(took, first),
    )
