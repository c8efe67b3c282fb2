"""Reads the values of catalog series that are stored as records."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InsightError, InvalidArgument, NotFound, Unavailable
from insight_core.plugin.data import DataProvider, Payload, SeriesKey
from insight_tensorboard.view.catalog import SeriesSource, TensorBoardSeries
from insight_tensorboard.view.translation import blob_count, blobs_of, kind_of

log = logging.getLogger(__name__)
_LENGTH_BUDGET = 64 << 20  # bytes that may be read to find out how many blobs the values of a series have
_NO_RECORDS: tuple[NDArray[Any], ...] = tuple(np.zeros(0, kind) for kind in ("i8", "f8", "i8", "i8", "i8"))
Value = TypeVar("Value")


@frozen(eq=False)
class MergedRecords:
    """The records of a series in step order; columns of equal length."""

    sources: Sequence[SeriesSource]
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    sizes: NDArray[np.int64]
    source: NDArray[np.intp]  # index into sources
    index: NDArray[np.intp]  # of the record in its source


@frozen
class _Measured:
    """The length of a blob sequence for this number of values and this last value."""

    count: int
    step: int
    wall_time: float
    length: int


class RecordReader:
    """Reads and decodes values; skips unreadable values with a log message."""

    def __init__(self, provider: DataProvider) -> None:
        self._provider = provider
        self._measured: dict[tuple[str, SeriesKey], _Measured] = {}

    def rows(self, entry: TensorBoardSeries) -> MergedRecords:
        """The values of a series that are kept as records."""
        sources = [source for source in entry.sources.values() if source.info.last_value is None]
        parts: list[tuple[NDArray[Any], ...]] = []
        for number, source in enumerate(sources):
            try:
                table = self._provider.records(source.plugin, entry.key)
            except NotFound:  # deleted since the catalog was updated
                continue
            rows = np.arange(len(table.steps))
            parts.append((table.steps, table.wall_times, table.sizes, np.full(len(rows), number), rows))
        return MergedRecords(sources, *joined_by_step(parts or [_NO_RECORDS]))

    def payload(self, entry: TensorBoardSeries, rows: MergedRecords, row: int) -> Payload:
        """The payload of one row. Raises what ``DataProvider.payload`` raises."""
        source = rows.sources[int(rows.source[row])]
        return self._provider.payload(source.plugin, entry.key, int(rows.index[row]))

    def values(
        self,
        entry: TensorBoardSeries,
        rows: MergedRecords,
        chosen: Iterable[int],
        decode: Callable[[Payload], Value],
    ) -> Iterator[tuple[int, Value]]:
        """(row, value) of the chosen rows."""
        for row in chosen:
            try:
                payload = self.payload(entry, rows, row)
                info = rows.sources[int(rows.source[row])].info
                if len(info.claims) > 1 and kind_of(payload.claim, info.data_class) != entry.kind:
                    continue  # listed under another plugin of TensorBoard
                value = decode(payload)
            except Unavailable:
                raise
            except (InsightError, ValueError) as error:
                log.warning("%s of run %s, step %d: %s", entry.key.tag, entry.key.run, rows.steps[row], error)
                continue
            yield row, value

    def lengths(
        self, entry: TensorBoardSeries, rows: MergedRecords, chosen: Sequence[int]
    ) -> Iterator[tuple[int, int]]:
        """(row, number of blobs) of the chosen rows; values are read only if the claim leaves it open."""
        known = [blob_count(source.info.claims) for source in rows.sources]
        for row in chosen:
            count = known[int(rows.source[row])]
            if count is not None:
                yield row, count
            else:
                yield from ((row, len(blobs)) for row, blobs in self.values(entry, rows, [row], blobs_of))

    def longest(self, entry: TensorBoardSeries, rows: MergedRecords) -> int:
        """The largest number of blobs that a value has.

        If this requires reading values, all of them are read up to 64 MiB; beyond that the first, the last,
        the largest and an even spread of others within the limit.
        """
        count = len(rows.steps)
        known = [blob_count(source.info.claims) for source in rows.sources]
        if not count or None not in known:
            return max((length for length in known if length and count), default=0)
        place = (entry.kind.plugin, entry.key)
        before = self._measured.get(place)
        start, length = 0, 0
        if before is not None and before.count <= count:
            last = before.count - 1
            if (rows.steps[last], rows.wall_times[last]) == (before.step, before.wall_time):
                start, length = before.count, before.length
        chosen = start + _affordable(rows.sizes[start:])
        for _, found in self.lengths(entry, rows, chosen.tolist()):
            length = max(length, found)
        self._measured[place] = _Measured(count, int(rows.steps[-1]), float(rows.wall_times[-1]), length)
        return length


def joined_by_step(parts: Sequence[tuple[NDArray[Any], ...]]) -> list[NDArray[Any]]:
    """Joins tables, each a tuple of columns that begins with the steps, into one table in step order."""
    if len(parts) == 1:
        return list(parts[0])
    columns = [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return [column[order] for column in columns]


def _affordable(sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Indices of the values to read within the byte limit."""
    count = len(sizes)
    if not count or sizes.sum() <= _LENGTH_BUDGET:
        return np.arange(count)
    share = max(1, int(_LENGTH_BUDGET // sizes.mean()))
    spread = np.linspace(0, count - 1, min(share, count)).astype(np.intp)
    return np.unique(np.append(spread, [0, count - 1, int(sizes.argmax())]))


@frozen
class BlobKey:
    """Identifies a blob: series, step, index among values of the same step, and index within the value."""

    plugin: str  # TensorBoard's name
    run: str
    tag: str
    step: int
    occurrence: int
    index: int

    def encode(self) -> str:
        """URL-safe base64 of a JSON array, without padding."""
        parts = [self.plugin, self.run, self.tag, self.step, self.occurrence, self.index]
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> BlobKey:
        """Parses a key. Raises InvalidArgument for a key that encode() did not create."""
        try:
            padded = text.encode("ascii") + b"=" * (-len(text) % 4)
            parts = json.loads(base64.b64decode(padded, b"-_", validate=True))
            json.dumps(parts, ensure_ascii=False).encode()  # no name contains an unpaired surrogate
        except (ValueError, RecursionError) as error:
            raise InvalidArgument(f"failed to parse blob key: {error}") from error
        kinds = [str, str, str, int, int, int]
        if not isinstance(parts, list) or [type(part) for part in parts] != kinds:
            raise InvalidArgument("failed to parse blob key: it is not one of this server")
        return cls(*parts)
