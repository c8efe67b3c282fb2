"""Makes the calls of a profile of what stack profilers write: stacks, or calls with their callers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.derived.call_paths import callers_of_stacks, merged

Integers = NDArray[np.int64]
DEEPEST = 2048  # frames of a stack: those that are called from there count for the last of them
_LARGEST = 1 << 62
_NOISE = 1e-9  # of a value, by which sums of fractions are off
_UNITS = {  # the unit in which a value is kept, and how many of it one is
    "": ("count", 1.0),
    "none": ("count", 1.0),
    "count": ("count", 1.0),
    "nanoseconds": ("ns", 1.0),
    "microseconds": ("ns", 1e3),
    "milliseconds": ("ns", 1e6),
    "seconds": ("ns", 1e9),
    "bytes": ("bytes", 1.0),
    "kilobytes": ("bytes", 1024.0),
    "megabytes": ("bytes", 1024.0**2),
}


def unit_of(word: str) -> tuple[str, float]:
    """The unit in which values are kept that a file gives in a unit, and how many of it each is. A word that
    is not known is a unit of its own."""
    return _UNITS.get(word.lower(), (word, 1.0))


def frame_text(name: str, file: str = "", line: int = -1) -> str:
    """What a call is named: its function, and where that is."""
    where = f"{file}:{line}" if file and line > 0 else file
    return f"{name or '?'} {where}" if where else name or "?"


@frozen(eq=False)
class MeasuredCalls:
    """What some calls spent themselves: ``call`` are their rows, ``count`` how many samples or calls each
    value is of (0: not known)."""

    name: str
    unit: str  # ns, bytes, count, or another
    call: Integers
    value: NDArray[np.float64]
    count: Integers


@frozen(eq=False)
class SampledCalls:
    """Calls of a file: ``caller`` is the row of the one that made each, -1 for none; ``name`` the number of
    a text."""

    caller: Integers
    name: NDArray[np.int32]
    measured: Sequence[MeasuredCalls] = field(factory=list)


def stacked(frames: NDArray[np.int32], lengths: Integers) -> tuple[SampledCalls, Integers, int]:
    """The calls of stacks whose outermost frames come first, the row of the last call of each stack (-1 for
    an empty one), and how many stacks are deeper than what is read of them."""
    kept = np.minimum(lengths, DEEPEST)
    cut = int((lengths > DEEPEST).sum())
    if cut:
        place = np.arange(len(frames)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        frames = frames[place < DEEPEST]
    return SampledCalls(callers_of_stacks(kept), frames), np.where(kept > 0, np.cumsum(kept) - 1, -1), cut


def below(root: int, calls: SampledCalls) -> SampledCalls:
    """Calls with one more around them all, of this name: the first row."""
    caller = np.concatenate(([-1], calls.caller + 1))
    name = np.concatenate((np.array([root], np.int32), calls.name))
    moved = [MeasuredCalls(one.name, one.unit, one.call + 1, one.value, one.count) for one in calls.measured]
    return SampledCalls(caller, name, moved)


def compact(calls: SampledCalls) -> SampledCalls:
    """The same with equal paths as one row."""
    paths, path = merged(calls.caller, calls.name)
    parent, name = paths.columns()
    found = []
    for one in calls.measured:
        value, count = np.zeros(paths.size), np.zeros(paths.size, np.int64)
        np.add.at(value, path[one.call], one.value)
        np.add.at(count, path[one.call], one.count)
        rows = np.flatnonzero((value != 0) | (count != 0))
        found.append(MeasuredCalls(one.name, one.unit, rows, value[rows], count[rows]))
    return SampledCalls(parent.astype(np.int64), name, found)


def joined(parts: Sequence[SampledCalls]) -> SampledCalls:
    """All calls of some, with those measures as one that have the same name and unit."""
    firsts = np.cumsum([0, *(len(part.caller) for part in parts)]).tolist()
    callers = [
        np.where(part.caller >= 0, part.caller + first, -1)
        for part, first in zip(parts, firsts, strict=False)
    ]
    found: dict[tuple[str, str], list[MeasuredCalls]] = {}
    for part, first in zip(parts, firsts, strict=False):
        for one in part.measured:
            moved = MeasuredCalls(one.name, one.unit, one.call + first, one.value, one.count)
            found.setdefault((one.name, one.unit), []).append(moved)
    measured = [
        MeasuredCalls(
            *key,
            *(np.concatenate([getattr(one, name) for one in same]) for name in ("call", "value", "count")),
        )
        for key, same in found.items()
    ]
    return SampledCalls(np.concatenate(callers), np.concatenate([part.name for part in parts]), measured)


def add_calls(
    building: Building, file: str, calls: SampledCalls, first: int = 0, counted: str = "samples"
) -> None:
    """Adds what was spent in the calls of a file, whole numbers of each unit.

    ``first`` is the measure that is shown first, ``counted`` what counts are of: samples or calls. Raises
    Unreadable where nothing was spent, and for sums that are too large.
    """
    calls = compact(calls)
    if not any(len(one.call) for one in calls.measured):
        raise Unreadable("no_samples", f"{file} has no samples", file=file)
    building.add("call_paths", parent=calls.caller, name=calls.name)
    lost = 0
    for place, one in enumerate(calls.measured):
        if not np.abs(one.value).sum() < _LARGEST:
            text = f"{file} has sums that are too large ({one.name})"
            raise Unreadable("samples_too_large", text, file=file, name=one.name)
        whole = np.rint(one.value)
        has_fraction = np.abs(whole - one.value) > _NOISE * np.maximum(1.0, np.abs(one.value))
        lost += int(has_fraction.sum()) if one.unit != "ns" else 0
        building.add(
            "samples",
            path=one.call,
            measure=np.full(len(one.call), place),
            value=whole.astype(np.int64),
            count=one.count,
        )
    if lost:
        text = f"{lost} values of {file} have fractions, which are rounded"
        building.note("samples_rounded", text, file=file, count=lost)
    measures = [{"name": one.name, "unit": one.unit} for one in calls.measured]
    building.documents["samples"] = {"measures": measures, "first": first, "counted": counted}


def note_deep(building: Building, file: str, count: int) -> None:
    """Notes how many stacks were cut."""
    if count:
        text = f"{count} stacks of {file} have more than {DEEPEST} calls: what is deeper counts for the last"
        building.note("stacks_cut", text, file=file, count=count, most=DEEPEST)
