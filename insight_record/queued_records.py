"""Records that wait to be written, and their conversion to columns."""

from __future__ import annotations

from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_record.encoders.encoder import EncodedValue
from insight_record.scalars import Names

Scalars: TypeAlias = list[Any]  # name, number, name, number, ...
# step, wall time, other values (a list, or None), name, number, name, number, ...
# The garbage collector does not track a tuple of numbers and texts.
Recorded: TypeAlias = tuple[Any, ...]

_SIZE_OF_ONE = 4096  # bytes of arrays that count as one value


class RecordedColumns(NamedTuple):
    """Records in their order.

    ``layout`` is the index of each record's scalar names in ``layouts``; ``numbers`` are the scalars of all
    records, concatenated. ``others`` are values that are not scalars, with the index of their record.
    """

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    layout: NDArray[np.int64]
    layouts: list[Names]
    numbers: NDArray[np.float64]
    others: list[tuple[int, list[EncodedValue]]]


def columns(records: list[Recorded]) -> RecordedColumns:
    """The columns of records in their order."""
    layouts: dict[Names, int] = {}
    return RecordedColumns(
        np.array([record[0] for record in records], np.int64),
        np.array([record[1] for record in records], np.float64),
        np.array([layouts.setdefault(record[3::2], len(layouts)) for record in records], np.int64),
        list(layouts),
        np.array(list(chain.from_iterable(record[4::2] for record in records)), np.float64),
        [(number, record[2]) for number, record in enumerate(records) if record[2]],
    )


def load(record: Recorded) -> int:
    """The weight of a value in the queue: large arrays count as several values."""
    scalars, others = len(record) // 2 - 1, record[2]
    return scalars + sum(1 + value.size // _SIZE_OF_ONE for value in others) if others else scalars
