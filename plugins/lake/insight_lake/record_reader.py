"""Reads where the payloads of series in a lake are, and keeps what was read within a limit of bytes."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import frozen
from cachetools import LRUCache
from numpy.typing import NDArray

from insight_core.plugin.data import ShownAttempts
from insight_core.plugin.lab import claim_of
from insight_lake.catalog import SegmentSeries
from insight_lake.payloads import PayloadPlace
from insight_lake.records import RecordColumns
from insight_lake.row_order import file_order
from insight_lake.row_reader import RowRange, RowReader

_LIMIT = 64 << 20  # bytes
_RECORD_COLUMNS = ("attempt", "step", "wall_time", "size", "claim", "object", "copied", "record", "start")


@frozen(eq=False)
class StoredRows:
    """The payloads of a series as a lake stores them: those that are shown first."""

    columns: RecordColumns
    attempts: NDArray[np.int64]
    hidden: int
    purged: int  # of the hidden ones
    total: int  # as the writer recorded them

    def order(self, attempts: ShownAttempts) -> NDArray[np.int64]:
        """The rows that are shown, or all in the order of the log files."""
        if attempts == "last":
            return np.arange(len(self.attempts) - self.hidden)
        return file_order(self.columns.steps, self.attempts)

    def place(self, row: int) -> PayloadPlace:
        """Returns the place of the payload of a row."""
        columns = self.columns
        return PayloadPlace(
            columns.objects[columns.object[row]],
            bool(columns.copied[row]),
            int(columns.record[row]),
            int(columns.start[row]),
            int(columns.sizes[row]),
            claim_of(columns.claims[columns.claim[row]]),
        )


class PayloadPlaceReader:
    """Reads the table ``records``. Any thread may use it."""

    def __init__(self, reader: RowReader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._known: LRUCache[tuple[str, int], StoredRows] = LRUCache(_LIMIT, _size_of)

    def rows(self, series: SegmentSeries, row: int) -> StoredRows:
        """The payloads of the series with this row."""
        place = series.entry.id, row
        with self._lock:
            found = self._known.get(place)
        if found is None:
            first = series.number("records_row", row)
            wanted = RowRange(series.entry.tables["records"], first, first + series.number("kept", row))
            rows = self._reader.rows([wanted], _RECORD_COLUMNS)[0]
            counts = [series.number(name, row) for name in ("hidden", "purged", "points")]
            found = StoredRows(_record_columns(rows), rows["attempt"], *counts)
            with self._lock:
                if _size_of(found) <= self._known.maxsize:
                    self._known[place] = found
        return found


def _record_columns(rows: Mapping[str, Any]) -> RecordColumns:
    claim, held = rows["claim"], rows["object"]
    return RecordColumns(
        rows["step"],
        rows["wall_time"],
        rows["size"],
        claim.dictionary.to_pylist(),
        claim.indices.to_numpy().astype(np.int64),
        held.dictionary.to_pylist(),
        held.indices.to_numpy().astype(np.int64),
        rows["copied"],
        rows["record"],
        rows["start"],
    )


def _size_of(rows: StoredRows) -> int:
    return 1024 + 80 * len(rows.attempts) + sum(map(len, rows.columns.objects))
