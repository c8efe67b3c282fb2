"""Tables of payloads: where each is, in a log file or in the lake, and how places are kept when read.

Such a table is a pyarrow Table with the columns of ``records`` from ``step`` on; a row is a payload, in
the order of the log files. ``object`` is the path of a log file, or of a ``copied`` payload the key in the
lake; ``record`` is the offset of the framed record with the payload, or -1; ``start`` that of the payload.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO, Protocol

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider, SeriesKey, ShownAttempts
from insight_core.plugin.lab import claim_of
from insight_lake.catalog import SegmentSeries
from insight_lake.payloads import PayloadPlace
from insight_lake.row_order import file_order
from insight_lake.row_reader import ByteCache, RowRange, RowReader
from insight_lake.sources import COPY_OR_LEAVE
from insight_lake.tables import SCHEMAS, text_of_claims

_PIECE = 1 << 20  # bytes
_LIMIT = 64 << 20  # bytes
PLACE_COLUMNS = SCHEMAS["records"].names[SCHEMAS["records"].names.index("step") :]


class RecordSource(Protocol):
    """Tells where payloads are."""

    def columns(self, plugin: str, key: SeriesKey) -> Any:  # noqa: ANN401
        """The payloads of a series. Raises NotFound."""
        ...


class LogRecords:
    """Payloads that stay in the log files; those of files that end with the provider are ``copied``, if
    there is something that does."""

    def __init__(self, data: DataProvider, copied: RecordSource | None = None) -> None:
        self._data, self._copied = data, copied

    def columns(self, plugin: str, key: SeriesKey) -> Any:  # noqa: ANN401
        """See RecordSource. Raises InvalidArgument where the places are not known."""
        table = self._data.records(plugin, key, "all")
        places = self._data.payload_places(plugin, key)
        if places is None:
            raise InvalidArgument(
                f"{self._data.location()}: does not tell where payloads such as images are; {COPY_OR_LEAVE}"
            )
        if places.passing and self._copied is not None:
            return self._copied.columns(plugin, key)
        words = [text_of_claims([claim]) for claim in places.claims]
        claims, files = (_labels(places.parts, texts) for texts in (words, places.files))
        is_copied = np.zeros(len(table.steps), bool)
        numbers = table.steps, table.wall_times, table.sizes
        return _table(*numbers, claims, files, is_copied, places.records, places.starts)


class CopiedRecords:
    """Payloads that are written one after the other into a file, which becomes the object ``key``."""

    def __init__(self, data: DataProvider, file: BinaryIO, key: str) -> None:
        self._data, self._file, self._key = data, file, key

    def columns(self, plugin: str, key: SeriesKey) -> Any:  # noqa: ANN401
        """See RecordSource. Copies the payloads."""
        table = self._data.records(plugin, key, "all")
        count = len(table.steps)
        starts, sizes, claims = np.zeros(count, np.int64), np.zeros(count, np.int64), []
        for index in range(count):
            starts[index] = self._file.tell()
            with self._data.open_payload(plugin, key, index, "all") as stream:
                claims.append(text_of_claims([stream.claim]))
                for piece in iter(lambda: stream.file.read(_PIECE), b""):
                    sizes[index] += self._file.write(piece)
        nothing = np.zeros(count, np.int64)
        words, file = pa.array(claims, pa.string()).dictionary_encode(), _labels(nothing, [self._key])
        numbers = table.steps, table.wall_times, sizes
        return _table(*numbers, words, file, np.ones(count, bool), nothing - 1, starts)


def claim_words(records: Any) -> tuple[list[str], NDArray[np.int64]]:  # noqa: ANN401
    """The words of the claims in the order in which they first occur, and the index of each record's."""
    coded = records["claim"].cast(pa.string()).combine_chunks().dictionary_encode()
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


@frozen(eq=False)
class StoredRows:
    """The payloads of a series as a lake stores them: those that are shown first."""

    table: Any
    attempts: NDArray[np.int64]
    hidden: int
    purged: int  # of the hidden ones
    total: int  # as the writer recorded them

    def order(self, attempts: ShownAttempts) -> NDArray[np.int64]:
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
            columns = self._reader.rows([wanted], ("attempt", *PLACE_COLUMNS))[0]
            table = _table(*(columns[name] for name in PLACE_COLUMNS))
            counts = [series.number(name, row) for name in ("hidden", "purged", "points")]
            found = self._known.put(place, StoredRows(table, columns["attempt"], *counts))
        return found


def _table(*columns: object) -> Any:  # noqa: ANN401
    return pa.table(dict(zip(PLACE_COLUMNS, columns, strict=True)))


def _labels(codes: NDArray[np.int64], words: Sequence[str]) -> Any:  # noqa: ANN401
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(words, pa.string()))
