"""Arithmetic of sets of time spans: pairs of int64 arrays of starts and ends, in order and disjoint (ns)."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Spans: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


def merged(starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Spans:
    """The union of spans in any order."""
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    if not len(starts):
        return starts, ends
    reach = np.maximum.accumulate(ends)
    fresh = np.flatnonzero(starts[1:] > reach[:-1]) + 1
    first = np.concatenate(([0], fresh))
    return starts[first], reach[np.concatenate((fresh - 1, [len(starts) - 1]))]


def length(spans: Spans) -> int:
    """The sum of the lengths."""
    return int((spans[1] - spans[0]).sum())


def covered(spans: Spans, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """How much of each stretch from a start to an end lies in the spans; 0 where the end is before."""
    low, high = spans
    if not len(low):
        return np.zeros(len(starts), np.int64)
    before = np.concatenate(([0], np.cumsum(high - low)))

    def until(times: NDArray[np.int64]) -> NDArray[np.int64]:
        places = np.searchsorted(low, times, "right") - 1
        inside = np.maximum(places, 0)
        part = np.clip(times - low[inside], 0, high[inside] - low[inside])
        found: NDArray[np.int64] = np.where(places >= 0, before[inside] + part, 0)
        return found

    part: NDArray[np.int64] = np.maximum(until(ends) - until(starts), 0)
    return part


def gaps(spans: Spans, whole: Spans) -> Spans:
    """What of ``whole`` lies in none of the spans."""
    low, high = spans
    points = np.concatenate((low, high, *whole))
    signs = np.repeat(np.array([2, -2, 1, -1], np.int8), [len(low), len(high), len(whole[0]), len(whole[1])])
    order = np.argsort(points, kind="stable")
    at, level = points[order], np.cumsum(signs[order], dtype=np.int8)
    free = np.flatnonzero((level[:-1] == 1) & (at[1:] > at[:-1]))
    return at[free], at[free + 1]


def within(spans: Spans, whole: Spans) -> Spans:
    """What of the spans lies in ``whole``."""
    return gaps(gaps(spans, whole), whole)
