"""The series of logs or of a lake in one order, and hashes of them: equal however a lake was built."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import NotFound
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesInfo
from insight_lake.records import RecordSource, claim_words
from insight_lake.tables import text_of_claims

_AT_ONCE = 1_000_000  # points that are asked for at a time
_ALL = ScalarQuery(attempts="all")


@frozen(eq=False)
class SeriesContent:
    """A series with its points, its payloads, or both, in the order of the log files."""

    plugin: str
    info: SeriesInfo
    numbers: ScalarColumns | None
    records: Any  # a table of payloads, or None

    def parts(self) -> Iterator[tuple[Sequence[NDArray[Any]], str]]:
        """Columns that are compared, and the claims of payloads: of points, then of payloads."""
        if self.numbers is not None:
            yield (self.numbers.steps, self.numbers.wall_times, self.numbers.values), ""
        if self.records is not None:
            words, claim = claim_words(self.records)
            columns = [self.records[name].to_numpy() for name in ("step", "wall_time", "size")]
            yield (*columns, claim), "\n".join(words)


@frozen(eq=False)
class ShownPoints:
    """The points of a series that are shown, as columns; None where all are."""

    numbers: Sequence[NDArray[Any]] | None = None  # steps, wall times, values
    records: Sequence[NDArray[Any]] | None = None  # steps, wall times
    purged: int = 0  # of the points that are not shown

    @classmethod
    def of(cls, data: DataProvider, series: SeriesContent) -> Self:
        """Asks which points of a series are shown, where it has several attempts."""
        plugin, key = series.plugin, series.info.key
        if series.info.attempts < 2:
            return cls()
        numbers = data.scalars(plugin, [key])[key] if series.numbers is not None else None
        table = data.records(plugin, key) if series.records is not None else None
        return cls(
            None if numbers is None else (numbers.steps, numbers.wall_times, numbers.values),
            None if table is None else (table.steps, table.wall_times),
            max(0 if numbers is None else numbers.purged, 0 if table is None else table.purged),
        )


def series_contents(
    data: DataProvider, source: RecordSource | None, runs: Sequence[str] | None = None
) -> Iterator[SeriesContent]:
    """The series of the runs by plugin, tag and run; without a ``source`` only those of numbers."""
    for plugin in sorted(map(str, data.plugins())):
        infos = sorted(data.series(plugin, runs=runs), key=lambda info: (info.key.tag, info.key.run))
        for portion in _portions(infos):
            numbers = data.scalars(plugin, [info.key for info in portion], _ALL)
            for info in portion:
                found, records = numbers.get(info.key), None
                if source is not None and info.last_value is None:
                    try:
                        records = source.columns(plugin, info.key)
                    except NotFound:
                        if found is None:
                            raise
                if found is not None or records is not None:
                    yield SeriesContent(plugin, info, found, records)


def _portions(infos: Sequence[SeriesInfo]) -> Iterator[list[SeriesInfo]]:
    portion: list[SeriesInfo] = []
    points = 0
    for info in infos:
        if portion and points + info.kept > _AT_ONCE:
            yield portion
            portion, points = [], 0
        portion.append(info)
        points += info.kept
    if portion:
        yield portion


@define
class RunContent:
    """Adds up series of a run, in the order of ``series_contents``; ``digest`` is equal for equal content.

    Points count in the order of the log files, payloads by their steps, times, sizes and claims.
    """

    _hash: hashlib._Hash = field(factory=hashlib.sha256)

    def add(self, series: SeriesContent) -> None:
        """Adds a series with its columns."""
        info = series.info
        for columns, claims in series.parts():
            head = [series.plugin, info.key.tag, info.points, info.kept, info.display_name, info.description]
            head += [text_of_claims(info.claims), info.content.hex(), info.data_class, claims]
            self._hash.update(json.dumps([*head, [_name_of(column.dtype) for column in columns]]).encode())
            for column in columns:
                self._hash.update(np.ascontiguousarray(column, column.dtype.newbyteorder("<")).data)

    def digest(self) -> str:
        """The hash in hexadecimal."""
        return self._hash.hexdigest()


@functools.cache
def _name_of(dtype: np.dtype[np.generic]) -> str:
    return str(dtype)


def lake_content(contents: Mapping[str, str]) -> str:
    """The hash of a lake, from those of its runs by name."""
    return hashlib.sha256(json.dumps(sorted(contents.items())).encode()).hexdigest()
