"""Reads events of one shape by column: they differ only in time, step, numbers and tags."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.event import Event, Value
from insight_record.formats.crc32c import mask_array, masked_crc32c
from tests.oracles.record_frames import difference


class EventShape:
    """Offsets of time, step, tags and numbers in events of one shape."""

    def __init__(self, layout: Event, row: NDArray[np.uint8]) -> None:
        self.layout, self.values = layout, layout.values
        self._row = row
        compared = np.ones(len(row), bool)
        self._varint = slice(layout.step_start, layout.step_start + layout.step_size)
        self._tag_columns = np.concatenate(
            [np.arange(v.tag_start, v.tag_start + len(v.tag), dtype=np.intp) for v in self.values]
        )
        numbers = [
            np.arange(v.number_start, v.number_start + np.dtype(v.number).itemsize) for v in self.values
        ]
        free = list(numbers)
        if layout.wall_start >= 0:
            free.append(np.arange(layout.wall_start, layout.wall_start + 8))
        if layout.step_start >= 0:
            free.append(np.arange(layout.step_start, layout.step_start + layout.step_size))
        self._free = np.concatenate(free).astype(np.intp)
        compared[self._free] = False
        compared[self._tag_columns] = False
        self._compared = np.flatnonzero(compared)

    def matches(self, rows: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """bool[rows]: the bytes outside time, step, numbers and tags equal those of the first event."""
        same: NDArray[np.bool_] = (rows[:, self._compared] == self._row[self._compared]).all(axis=1)
        if self.layout.step_start >= 0:
            goes_on = rows[:, self._varint] >= 0x80
            same &= goes_on[:, :-1].all(axis=1) & ~goes_on[:, -1]
        return same

    def tags(self, rows: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
        """For each row the index of a row with the same tags, and these rows."""
        if not len(self._tag_columns):
            return np.zeros(len(rows), np.intp), rows[:1]
        packed = np.ascontiguousarray(rows[:, self._tag_columns])
        if (packed == packed[0]).all():
            return np.zeros(len(rows), np.intp), rows[:1]
        _, first, inverse = np.unique(
            packed.view(np.dtype((np.void, packed.shape[1])))[:, 0], return_index=True, return_inverse=True
        )
        return inverse.reshape(-1), rows[first]

    def checksums(
        self, rows: NDArray[np.uint8], tag_ids: NDArray[np.intp], representatives: NDArray[np.uint8]
    ) -> NDArray[np.uint32]:
        """The masked checksum of each row, from that of the row with the same tags."""
        length = rows.shape[1]
        whole = np.array([masked_crc32c(row.tobytes()) for row in representatives], np.uint32)
        plain = _unmask(whole)
        base = self._row[self._free]
        terms = difference(representatives[:, self._free], base, self._free, length) ^ plain
        return mask_array(difference(rows[:, self._free], base, self._free, length) ^ terms[tag_ids])

    def wall_times(self, rows: NDArray[np.uint8]) -> NDArray[np.float64]:
        """float64[rows], seconds since 1970; 0 where the events have no time."""
        start = self.layout.wall_start
        if start < 0:
            return np.zeros(len(rows))
        return np.ascontiguousarray(rows[:, start : start + 8]).view("<f8")[:, 0].astype(np.float64)

    def steps(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        """int64[rows]; 0 where the events have no step."""
        steps = np.zeros(len(rows), np.uint64)
        if self.layout.step_start >= 0:
            for i in range(self.layout.step_size):
                part = rows[:, self.layout.step_start + i].astype(np.uint64) & np.uint64(0x7F)
                steps |= part << np.uint64(7 * i)
        return steps.view(np.int64)

    def numbers(self, rows: NDArray[np.uint8], value: Value) -> NDArray[np.float64]:
        """float64[rows]: the numbers in the place of ``value``."""
        width = np.dtype(value.number).itemsize
        raw = np.ascontiguousarray(rows[:, value.number_start : value.number_start + width])
        return raw.view(value.number)[:, 0].astype(np.float64)


def _unmask(stored: NDArray[np.uint32]) -> NDArray[np.uint32]:
    rotated = stored - np.uint32(0xA282EAD8)
    return (rotated >> np.uint32(17)) | (rotated << np.uint32(15))
