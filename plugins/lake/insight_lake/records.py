"""Tables of payloads: where each is, in a log file or in the lake, and how places are kept when read.

Such a table is a pyarrow Table with the columns of ``records`` from ``step`` on; a row is a payload, in
the order of the log files. ``object`` is the path of a log file, or of a ``copied`` payload the key in the
lake; ``record`` is the offset of the framed record with the payload, or -1; ``start`` that of the payload.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider, SeriesKey, ShownAttempts
from insight_core.plugin.lab import claim_of
from insight_lake.catalog import SegmentSeries
from insight_lake.layout import file_order
from insight_lake.payloads import PayloadPlace
from insight_lake.row_reader import ByteCache, RowRange, RowReader
from insight_lake.sources import COPY_OR_LEAVE
from insight_lake.tables import SCHEMAS, text_of_claims

_PIECE = 1 << 20  # bytes
_LIMIT = 64 << 20  # bytes
PLACE_COLUMNS = SCHEMAS["records"].names[SCHEMAS["records"].names.index("step") :]


@frozen
class PayloadWriter:
    """Finds the payloads of logs; copies all, or those of files that end with the provider.

    Copies are one after the other in ``file``, which becomes the object ``key``.
    """

    data: DataProvider
    file: BinaryIO
    key: str
    copies_all: bool

    def places(self, plugin: str, key: SeriesKey) -> pa.Table:
        """The table of the payloads of a series.

        Raises NotFound, and InvalidArgument where the places are not known.
        """
        table = self.data.records(plugin, key, "all")
        places = None if self.copies_all else self.data.payload_places(plugin, key)
        if places is None and not self.copies_all:
            raise InvalidArgument(
                f"{self.data.location()}: does not tell where payloads such as images are; {COPY_OR_LEAVE}"
            )
        if places is None or places.passing:
            return self._copied(plugin, key)
        words = [text_of_claims([claim]) for claim in places.claims]
        claims, files = (_labels(places.parts, texts) for texts in (words, places.files))
        is_copied = np.zeros(len(table.steps), bool)
        numbers = table.steps, table.wall_times, table.sizes
        return _table(*numbers, claims, files, is_copied, places.records, places.starts)

    def _copied(self, plugin: str, key: SeriesKey) -> Any:  # noqa: ANN401
        table = self.data.records(plugin, key, "all")
        count = len(table.steps)
        starts, sizes, claims = np.zeros(count, np.int64), np.zeros(count, np.int64), []
        for index in range(count):
            starts[index] = self.file.tell()
            with self.data.open_payload(plugin, key, index, "all") as stream:
                claims.append(text_of_claims([stream.claim]))
                for piece in iter(lambda: stream.file.read(_PIECE), b""):
                    sizes[index] += self.file.write(piece)
        nothing = np.zeros(count, np.int64)
        words, file = pa.array(claims, pa.string()).dictionary_encode(), _labels(nothing, [self.key])
        numbers = table.steps, table.wall_times, sizes
        return _table(*numbers, words, file, np.ones(count, bool), nothing - 1, starts)


@frozen(eq=False)
class StoredRows:
    """The payloads of a series as a lake stores them: those that are shown first."""

    table: Any
    attempts: NDArray[np.int32]
    hidden: int
    purged: int  # of the hidden ones
    total: int  # as the writer recorded them

    def order(self, attempts: ShownAttempts) -> NDArray[np.intp]:
        """The rows that are shown, or all in the order of the log files."""
        if attempts == "last":
            return np.arange(len(self.attempts) - self.hidden)
        return file_order(self.table["step"].to_numpy(), self.attempts)

    def place(self, row: int) -> PayloadPlace:
        """Returns the place of the payload of a row."""
        [one] = self.table.slice(row, 1).to_pylist()
        names = ("object", "copied", "record", "start", "size")
        return PayloadPlace(**{name: one[name] for name in names}, claim=claim_of(one["claim"]))


class PayloadPlaceReader:
    """Reads the table ``records``, and keeps what was read within a limit of bytes. Any thread may use it."""

    def __init__(self, reader: RowReader) -> None:
        self._reader = reader
        self._known: ByteCache[StoredRows] = ByteCache(_LIMIT, lambda one: 1024 + 2 * one.table.nbytes)

    def rows(self, series: SegmentSeries, row: int) -> StoredRows:
        """The payloads of the series with this row."""
        place = series.entry.id, row
        found = self._known.get(place)
        if found is None:
            first = series.number("records_row", row)
            wanted = RowRange(series.entry.tables["records"], first, first + series.number("kept", row))
            [columns] = self._reader.rows([wanted], ("attempt", *PLACE_COLUMNS))
            table = _table(*(columns[name] for name in PLACE_COLUMNS))
            counts = [series.number(name, row) for name in ("hidden", "purged", "points")]
            found = self._known.put(place, StoredRows(table, columns["attempt"], *counts))
        return found


def _table(*columns: object) -> pa.Table:
    return pa.table(dict(zip(PLACE_COLUMNS, columns, strict=True)))


def _labels(codes: NDArray[np.int64], words: Sequence[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(words, pa.string()))
