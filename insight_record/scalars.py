"""Encodes many scalar records at a time: records of the same shape are rows of one byte matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from insight_record.encoders.encoder import EventEncoder
from insight_record.events import SUMMARY, VALUE
from insight_record.formats.framing import FOOTER_SIZE, HEADER_SIZE, rows_of_records, seal
from insight_record.formats.protobuf import message_field, text_field

Names: TypeAlias = tuple[str, ...]
Offsets: TypeAlias = tuple[int, ...]

_TIME_END = 9  # of an event: its key and a float64
_NUMBER = 4  # bytes


class ScalarRecords:
    """Framed records in order: ``data``, and the end of each record."""

    def __init__(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.data = data
        self.ends = ends


def scalar_records(
    dialect: EventEncoder,
    layouts: Sequence[Names],
    layout: NDArray[np.int64],
    steps: NDArray[np.int64],
    wall_times: NDArray[np.float64],
    numbers: NDArray[np.float64],
) -> ScalarRecords:
    """One record for each step, with the scalars ``layouts[layout[i]]``; steps without scalars have none.

    ``numbers`` are the scalars of all records, concatenated. They become float32; values beyond its range
    become infinite.
    """
    floats = numbers.astype("<f4")
    counts = np.array([len(names) for names in layouts], np.int64)[layout]
    starts = np.cumsum(counts) - counts
    shapes, shape_of, place_in = _shapes(dialect, layouts)
    shape, place = shape_of[layout], place_in[layout]
    order = np.argsort(shape, kind="stable")
    bounds = np.searchsorted(shape[order], np.arange(len(shapes) + 1))
    groups: list[tuple[NDArray[np.intp], NDArray[np.uint8]]] = []
    for (offsets, summaries), first, last in zip(shapes.items(), bounds[:-1], bounds[1:], strict=True):
        table = np.frombuffer(b"".join(summaries), np.uint8).reshape(len(summaries), -1)
        for index, step_bytes in steps_alike(steps, order[first:last]):
            values = floats[starts[index, None] + np.arange(len(offsets))]
            summary = table[place[index]] if len(table) > 1 else table[0]
            groups.append((index, sealed_rows(summary, offsets, step_bytes, wall_times[index], values)))
    return in_order(groups, len(steps))


def _shapes(
    dialect: EventEncoder, layouts: Sequence[Names]
) -> tuple[dict[Offsets, list[bytes]], NDArray[np.int64], NDArray[np.int64]]:
    """Encoded summaries of the layouts, grouped by the offsets of their numbers.

    Also for each layout the index of its group, -1 without scalars, and its index within the group.
    """
    shapes: dict[Offsets, list[bytes]] = {}
    numbers: dict[Offsets, int] = {}
    of_layouts = np.full((2, len(layouts)), -1, np.int64)
    for number, names in enumerate(layouts):
        if names:
            summary, offsets = _summary(dialect, names)
            alike = shapes.setdefault(offsets, [])
            of_layouts[:, number] = numbers.setdefault(offsets, len(numbers)), len(alike)
            alike.append(summary)
    return shapes, of_layouts[0], of_layouts[1]


def _summary(dialect: EventEncoder, names: Names) -> tuple[bytes, Offsets]:
    """The encoded summary with these scalars, and the offsets of their numbers."""
    content = b""
    ends = []
    for name in names:
        content += message_field(VALUE, text_field(1, name) + dialect.number_key + bytes(_NUMBER))
        ends.append(len(content))
    summary = message_field(SUMMARY, content)
    return summary, tuple(end - _NUMBER + len(summary) - len(content) for end in ends)


def sealed_rows(
    summary: NDArray[np.uint8],
    places: Iterable[int],
    step_bytes: NDArray[np.uint8],
    wall_times: NDArray[np.float64],
    values: NDArray[np.floating],
) -> NDArray[np.uint8]:
    """uint8[n, size]: records of events whose summary fields differ only in their numbers.

    ``summary`` is the field of all of them, or uint8[n, size]; ``places`` are the offsets of the numbers in
    it, one for each column of ``values``.
    """
    count, step_size = step_bytes.shape
    step_end = _TIME_END + step_size
    rows = rows_of_records(step_end + summary.shape[-1], count)
    payload = rows[:, HEADER_SIZE:-FOOTER_SIZE]
    payload[:, 0] = 0x09
    payload[:, 1:_TIME_END] = wall_times.astype("<f8").view(np.uint8).reshape(-1, 8)
    payload[:, _TIME_END:step_end] = step_bytes
    payload[:, step_end:] = summary
    size = values.dtype.itemsize
    for column, place in enumerate(places):
        number = np.ascontiguousarray(values[:, column]).view(np.uint8)
        payload[:, step_end + place : step_end + place + size] = number.reshape(-1, size)
    seal(rows)
    return rows


def in_order(groups: Sequence[tuple[NDArray[np.intp], NDArray[np.uint8]]], count: int) -> ScalarRecords:
    """Merges groups of records; each group has the indices of its records, and rows of one length."""
    sizes = np.zeros(count, np.int64)
    for index, rows in groups:
        sizes[index] = rows.shape[1]
    ends = np.cumsum(sizes)
    if len(groups) == 1:
        return ScalarRecords(groups[0][1].reshape(-1), ends)
    data = np.empty(int(sizes.sum()), np.uint8)
    for index, rows in groups:
        first = ends[index] - rows.shape[1]
        if first[-1] - first[0] == (len(first) - 1) * rows.shape[1]:  # side by side
            data[first[0] : ends[index[-1]]] = rows.reshape(-1)
        else:
            data[first[:, None] + np.arange(rows.shape[1])] = rows
    return ScalarRecords(data, ends)


def steps_alike(
    steps: NDArray[np.int64], index: NDArray[np.intp]
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
    """Groups records by the encoded size of their step; yields their indices and step fields.

    Step 0 is omitted, as in other writers; negative steps take ten bytes, as ``int64`` does.
    """
    unsigned = steps[index].astype(np.uint64)
    size = np.where(unsigned == 0, 0, 1)
    largest = int(unsigned.max(initial=0))
    for bits in range(7, min(64, largest.bit_length()), 7):
        size[unsigned >= np.uint64(1 << bits)] = bits // 7 + 1
    for length in np.flatnonzero(np.bincount(size)).tolist():
        alike = np.flatnonzero(size == length)
        field = np.empty((len(alike), length + 1 if length else 0), np.uint8)
        if length:
            shifts = np.arange(length, dtype=np.uint64) * np.uint64(7)
            digits = (unsigned[alike, None] >> shifts) & np.uint64(0x7F)
            digits[:, :-1] |= np.uint64(0x80)
            field[:, 0] = 0x10
            field[:, 1:] = digits
        yield index[alike], field
