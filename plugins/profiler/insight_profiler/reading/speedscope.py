"""Reads profiles of speedscope, which py-spy and others write: JSON with samples, or with events.

Each profile in a file has a unit; those of one unit are one tree, below their names where there are several.
Source: https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building, Unreadable
from insight_profiler.derived.nesting import parents
from insight_profiler.files import Files
from insight_profiler.reading.sampled_calls import (
    DEEPEST,
    Integers,
    MeasuredCalls,
    SampledCalls,
    add_calls,
    below,
    compact,
    frame_text,
    joined,
    note_deep,
    stacked,
    unit_of,
)

_MOST = 256 << 20  # bytes of a file, unpacked
_BROKEN = (AttributeError, KeyError, IndexError, OverflowError, TypeError, ValueError)


def read(files: Files, building: Building) -> None:
    """Fills a profile from one file. Raises Unreadable for one that is not of speedscope."""
    (name, *_) = files.names()
    held = _document(files, name)
    try:
        frames = building.texts(_frame(one) for one in held["shared"]["frames"])
        profiles = [dict(one) for one in held["profiles"]]
    except _BROKEN as error:
        text = f"{name} is JSON, but no profile of speedscope: it has no frames, or no profiles"
        raise Unreadable("no_speedscope", text, file=name) from error
    found: dict[str, list[tuple[str, SampledCalls]]] = {}
    failures, cut = [], 0
    for place, profile in enumerate(profiles):
        label = str(profile.get("name") or f"#{place + 1}")
        unit, factor = unit_of(str(profile.get("unit", "none")))
        try:
            calls, deep = _calls(profile, frames, unit, factor)
        except _BROKEN as error:
            failures.append(f"{label}: {_said(error)}")
            continue
        cut += deep
        found.setdefault(unit, []).append((label, compact(calls)))
    parts = [
        calls if len(same) == 1 else below(building.text(label), calls)
        for same in found.values()
        for label, calls in same
    ]
    if failures:
        reason = "; ".join(failures[:3])
        text = f"{len(failures)} of {len(profiles)} profiles in {name} are malformed ({reason})"
        if not parts:
            raise Unreadable("speedscope_broken", text, file=name, count=len(failures), reason=reason)
        building.note("speedscope_odd", text, file=name, count=len(failures), reason=reason)
    if not parts:
        raise Unreadable("no_samples", f"{name} has no samples", file=name)
    is_evented = all(one.get("type") == "evented" for one in profiles)
    add_calls(building, name, joined(parts), counted="calls" if is_evented else "samples")
    note_deep(building, name, cut)


def _document(files: Files, name: str) -> dict[str, Any]:
    text = files.text(name, _MOST + 1)
    if len(text) > _MOST:
        said = f"{name} has more than {_MOST >> 20} MiB, of which JSON is not read"
        raise Unreadable("json_too_large", said, file=name, most=_MOST >> 20)
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        said = f"{name} cannot be read as JSON: {error}"
        raise Unreadable("broken_json", said, file=name, reason=str(error)) from None
    return held if isinstance(held, dict) else {}


def _frame(frame: Mapping[str, Any]) -> str:
    line = frame.get("line")
    return frame_text(str(frame["name"]), str(frame.get("file") or ""), line if isinstance(line, int) else -1)


def _said(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def _calls(
    profile: Mapping[str, Any], frames: NDArray[np.int32], unit: str, factor: float
) -> tuple[SampledCalls, int]:
    """The calls of one profile, and how many of its stacks were cut. Raises one of ``_BROKEN``."""
    kind = profile["type"]
    if kind == "sampled":
        return _sampled(profile["samples"], profile["weights"], frames, unit, factor)
    if kind == "evented":
        return _evented(profile["events"], frames, unit, factor), 0
    raise ValueError(f"it is of a type that is not known, {str(kind)[:40]!r}")


def _sampled(
    samples: Sequence[Sequence[int]],
    weights: Sequence[float],
    frames: NDArray[np.int32],
    unit: str,
    factor: float,
) -> tuple[SampledCalls, int]:
    if len(samples) != len(weights):
        raise ValueError(f"it has {len(samples)} samples and {len(weights)} weights")
    lengths = np.fromiter(map(len, samples), np.int64, len(samples))
    places = np.fromiter(chain.from_iterable(samples), np.int64, int(lengths.sum()))
    value = _finite(np.array(weights, np.float64))
    if (value < 0).any():
        raise ValueError("it has negative weights")
    calls, last, cut = stacked(frames[_within(places, len(frames))], lengths)
    some = np.flatnonzero(last >= 0)
    ones = np.ones(len(some), np.int64)
    return SampledCalls(
        calls.caller, calls.name, [MeasuredCalls("", unit, last[some], value[some] * factor, ones)]
    ), cut


def _evented(
    events: Sequence[Mapping[str, Any]], frames: NDArray[np.int32], unit: str, factor: float
) -> SampledCalls:
    kinds = np.array(list(map(itemgetter("type"), events)) or [""])
    at = _finite(np.array(list(map(itemgetter("at"), events)), np.float64))
    places = np.fromiter(map(itemgetter("frame"), events), np.int64, len(events))
    names = frames[_within(places, len(frames))]
    opens = kinds[: len(events)] == "O"
    if not (opens | (kinds[: len(events)] == "C")).all():
        raise ValueError("it has events that are neither O nor C")
    level = np.cumsum(np.where(opens, 1, -1))
    if not len(level) or level.min() < 0 or level[-1] != 0:
        raise ValueError("its calls do not begin and end in pairs")
    if level.max() > DEEPEST:
        raise ValueError(f"more than {DEEPEST} calls lie in each other")
    if (np.diff(at) < 0).any():
        raise ValueError("its times go back")
    depth = level - opens
    order = np.argsort(depth, kind="stable")  # of each depth a begin and its end take turns
    begin, end = order[::2], order[1::2]
    if (names[begin] != names[end]).any():
        raise ValueError("a call ends that is not the last that began")
    rows = np.flatnonzero(opens)
    caller = parents(depth[rows]).astype(np.int64)
    call = np.empty(len(events), np.int64)
    call[rows] = np.arange(len(rows))
    call[end] = caller[call[begin]]  # what goes on after each event
    going = call[:-1]
    spent = np.diff(np.rint((at - at[0]) * factor) if unit == "ns" else (at - at[0]) * factor)
    own = np.zeros(len(rows))
    np.add.at(own, going[going >= 0], spent[going >= 0])
    ones = np.ones(len(rows), np.int64)
    return SampledCalls(caller, names[rows], [MeasuredCalls("", unit, np.arange(len(rows)), own, ones)])


def _within(places: Integers, count: int) -> Integers:
    if len(places) and not (places.min() >= 0 and places.max() < count):
        raise ValueError(f"it names frames beyond the {count} that there are")
    return places


def _finite(values: NDArray[np.float64]) -> NDArray[np.float64]:
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError("it has numbers that are none")
    return values
