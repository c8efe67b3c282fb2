"""The result of scanning a part of an event file: columns by tag, metadata, damage, and the end offset."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import Factory, define, frozen
from numpy.typing import NDArray

from insight_core.formats.dialects import Dialect
from insight_core.formats.event import Metadata

BAD_DATA = "the checksum of the record's data is wrong"
BAD_HEADER = "the checksum of a record's length is wrong"
CUT_MEANWHILE = "the file was cut while it was read"


@frozen
class Flaw:
    """A damaged place of a file."""

    offset: int  # bytes from the start of the file
    reason: str
    skipped: int = 0  # unreadable bytes


class DamagedRecord(ValueError):
    """Raised for a record with a wrong checksum; ``flaw`` is its place."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw.reason)
        self.flaw = flaw


@frozen(eq=False)
class ValueColumns:
    """Columns of equal length: the values of several tags under one field, tag after tag, in file order.

    Numbers of simple_value and scalar_value have no locators, payloads have no values. Tensors of
    one number have both, or only values if the tag belongs to a plugin of numbers (NumberTags). A tag
    whose values change between these forms has several entries, in order.
    """

    tags: tuple[str, ...]
    field: str
    ends: NDArray[np.int64]  # index after the last value of each tag
    ascending: NDArray[np.bool_]  # whether the steps of each tag never decrease
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64] | NDArray[np.float32] | None
    records: NDArray[np.int64] | None  # offset of the record in the file
    starts: NDArray[np.int64] | None  # offset of the payload in the file
    sizes: NDArray[np.int64] | None  # bytes of the payload


def never_back(steps: NDArray[Any]) -> bool:
    """Whether no step is smaller than the step before it."""
    return not np.count_nonzero(steps[1:] < steps[:-1])


@define
class Batch:
    """The records of a part of a file, up to ``end``.

    The file is read as far as possible if ``end`` is its size or ``tail`` is set, the reason why the rest
    cannot be read (yet). Otherwise scanning continues at ``end``, even if this batch is empty.
    """

    end: int
    dialect: Dialect
    columns: list[ValueColumns] = Factory(list)
    metadata: dict[str, Metadata] = Factory(dict)  # by tag, the first of each
    flaws: list[Flaw] = Factory(list)  # by offset
    first_wall_time: float | None = None  # smallest finite one
    tail: Flaw | None = None


@define(eq=False)
class SmallFile:
    """A file that was read completely, without changes during the read and without damage."""

    identity: tuple[int, int]  # device, inode
    size: int  # bytes
    mtime_ns: int
    ctime_ns: int
    head_checksum: int  # CRC-32 of its first bytes, as many as was asked for
    tail_checksum: int  # and of its last ones
    batch: Batch


def header_cut_off(end: int, size: int) -> Flaw:
    """The damage of a file of ``size`` bytes that ends within the record header at ``end``."""
    return Flaw(end, "the header of a record is cut off", size - end)


def record_cut_off(end: int, size: int, wanted: int) -> Flaw:
    """The damage of a file of ``size`` bytes that ends within the record of ``wanted`` bytes at ``end``."""
    return Flaw(end, f"a record is cut off: {size - end} of {wanted} bytes", size - end)
