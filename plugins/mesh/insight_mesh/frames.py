"""The box in which the shapes of several runs are seen, at all steps: one camera then compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InsightError, Values
from insight_core.plugin.data import (
    DataProvider,
    RecordPlace,
    RecordTable,
    SeriesKey,
    ShownAttempts,
    place_in,
)

MOST_RECORDS = 64  # Records that are read for a frame, of all runs together.
MOST_BYTES = 64 << 20  # Bytes of these, but the last record of the first run whatever it takes.
_STEPS = 8  # records of a run


@frozen(eq=False)
class Frame:
    """``box`` (2, 3) has the lowest and the highest coordinates of ``read`` records, NaN without points."""

    box: NDArray[np.float64]
    read: int
    records: int


def frame_of(
    data: DataProvider,
    series: Sequence[tuple[str, SeriesKey]],
    boxes: Values[NDArray[np.float64]],
    shown: ShownAttempts,
) -> Frame:
    """The box around the points of a sample of steps of these series (owner and key), all batches of them."""
    tables = [(owner, key, data.records(owner, key, shown)) for owner, key in series]
    found: list[NDArray[np.float64]] = []
    size = 0
    for place in _chosen(tables, shown):
        size += max(0, place.size)
        if found and (size > MOST_BYTES or len(found) >= MOST_RECORDS):
            break
        try:
            found.append(boxes.at(place))
        except InsightError:  # the card of this record says why
            continue
    records = sum(len(table.steps) for _, _, table in tables)
    every = np.concatenate(found) if found else np.full((1, 2, 3), np.nan)
    every = every[~np.isnan(every).any(axis=(1, 2))]
    if len(every) == 0:
        return Frame(np.full((2, 3), np.nan), len(found), records)
    return Frame(np.array([every[:, 0].min(axis=0), every[:, 1].max(axis=0)]), len(found), records)


def _chosen(
    tables: Sequence[tuple[str, SeriesKey, RecordTable]], shown: ShownAttempts
) -> Iterator[RecordPlace]:
    """The last record of each run, then the first, then some between."""
    orders = [_order(len(table.steps)) for _, _, table in tables]
    for turn in range(_STEPS):
        for (owner, key, table), order in zip(tables, orders, strict=True):
            if turn < len(order):
                yield place_in(table, owner, key, order[turn], shown)


def _order(count: int) -> list[int]:
    even = (
        np.unique(np.linspace(0, count - 1, min(count, _STEPS)).round().astype(int)).tolist() if count else []
    )
    return [*even[-1:], *even[:1], *even[1:-1]][: len(even)]
