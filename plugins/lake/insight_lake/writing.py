"""Writes a segment: the runs of a data provider as Parquet files."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.plugin import NotFound
from insight_core.plugin.data import DataProvider, Run, ScalarColumns, ScalarQuery, SeriesInfo
from insight_lake.contents import RunContent
from insight_lake.delta import LakeSegment, segment_of
from insight_lake.levels import BLOCKS, LONG, coarse_level, fine_level, nonfinite
from insight_lake.records import RecordColumns, RecordSource
from insight_lake.row_order import ShownPoints, order_of
from insight_lake.store import LakeStore
from insight_lake.tables import SCHEMAS, LakeObject, TableFile, WrittenTable, text_of_claims, utf8

_AT_ONCE = 1_000_000  # points that are asked for at a time
_ALL = ScalarQuery(attempts="all")


@frozen
class RunNote:
    """Facts of a run that a lake keeps besides its data."""

    source: str  # the logdir or location that it was read from
    fingerprint: str
    read: float  # when its files were looked at, seconds since the epoch


@define
class _SeriesRows:
    """The rows of the table ``series``, by column."""

    columns: dict[str, list[Any]] = field(factory=lambda: {name: [] for name in SCHEMAS["series"].names})

    def add(self, row: Mapping[str, object]) -> None:
        for name, column in self.columns.items():
            column.append(row[name])

    def write(self, path: Path) -> WrittenTable:
        file = TableFile(path, "series")
        places = list(zip(*(self.columns[name] for name in ("plugin", "run", "tag")), strict=True))
        order = sorted(range(len(places)), key=places.__getitem__)
        if order:
            file.add({}, {name: [column[i] for i in order] for name, column in self.columns.items()})
        return file.close()


class SegmentDraft:
    """The files of one segment, written into a directory.

    Series are added in the order of plugin, tag and run, so that those of a tag are neighbours.
    """

    def __init__(self, directory: Path) -> None:
        self.id = uuid.uuid4().hex
        self._directory = directory
        self._files: dict[str, TableFile] = {}
        self._series = _SeriesRows()
        self._contents: dict[str, RunContent] = {}
        self._last: dict[str, float] = {}
        self._plugins: set[str] = set()
        self._runs: Mapping[str, Sequence[Any]] = {}
        self.points = 0
        self.copied: set[str] = set()  # keys of the objects that hold copied payloads

    def path(self, name: str) -> Path:
        """The file of a table, or of payloads."""
        return self._directory / f"{self.id}-{name}"

    def add_series(
        self,
        plugin: str,
        info: SeriesInfo,
        numbers: ScalarColumns | None,
        records: RecordColumns | None,
        shown: ShownPoints,
    ) -> None:
        """Adds a series of numbers, of payloads, or of both."""
        labels = {"run": utf8(info.key.run), "tag": utf8(info.key.tag), "plugin": plugin}
        row: dict[str, object] = {
            **dict.fromkeys(SCHEMAS["series"].names),
            **labels,
            **{name: getattr(info, name) for name in ("points", "kept", "first_step", "last_step")},
            "last_wall_time": info.last_wall_time,
            "last_value": info.last_value,
            "hidden": 0,
            "purged": shown.purged,
            "type": "",
            "wall_times_ascend": False,
            "attempts": info.attempts,
            "display_name": utf8(info.display_name),
            "description": utf8(info.description),
            "claims": text_of_claims(info.claims),
            "content": info.content,
            "data_class": info.data_class,
        }
        content = self._contents.setdefault(info.key.run, RunContent())
        last = self._last.get(info.key.run, -math.inf)
        self._last[info.key.run] = max(last, info.last_wall_time)  # NaN never is larger
        self._plugins.add(plugin)
        if numbers is not None:
            content.add(plugin, info, (numbers.steps, numbers.wall_times, numbers.values), "")
            row |= self._add_numbers(labels, numbers, shown)
        if records is not None:
            words, claim = records.claim_words()
            columns = (records.steps, records.wall_times, records.sizes, claim)
            content.add(plugin, info, columns, "\n".join(words))
            row |= self._add_records(labels, records, shown)
        self._series.add(row)

    def _add_numbers(
        self, labels: Mapping[str, str], numbers: ScalarColumns, known: ShownPoints
    ) -> dict[str, object]:
        every = numbers.steps, numbers.wall_times, numbers.values
        order = order_of(every, known.numbers or every)
        steps, walls = numbers.steps[order.rows], numbers.wall_times[order.rows]
        values = numbers.values[order.rows]
        doubles = values.astype(np.float64)
        columns = {
            "attempt": order.attempt,
            "shown": order.shown,
            "step": steps,
            "wall_time": walls,
            "value": doubles,
        }
        self.points += len(steps)
        shown = len(steps) - order.hidden
        steps, walls, doubles = steps[:shown], walls[:shown], doubles[:shown]
        finite = doubles[np.isfinite(doubles)]
        nan, above, below = nonfinite(doubles)
        return {
            "scalars_row": self._file("scalars").add(labels, columns),
            "hidden": order.hidden,
            "restarts": numbers.restarts.tolist(),
            "type": str(values.dtype),
            "first_wall_time": float(walls[0]) if shown else None,
            "wall_times_ascend": bool((walls[1:] >= walls[:-1]).all() and not np.isnan(walls).any()),
            "least": float(finite.min()) if len(finite) else None,
            "greatest": float(finite.max()) if len(finite) else None,
            "nan": nan,
            "positive_infinite": above,
            "negative_infinite": below,
            **(self._add_levels(labels, steps, walls, doubles) if shown >= LONG else {}),
        }

    def _add_levels(
        self,
        labels: Mapping[str, str],
        steps: NDArray[np.int64],
        wall_times: NDArray[np.float64],
        values: NDArray[np.float64],
    ) -> dict[str, object]:
        file = self._file("levels")
        fine, fine_counts = fine_level(values)
        chosen, coarse_counts = coarse_level(fine, values[fine], fine_counts)
        first = 0
        for block, rows, counts in (
            (BLOCKS[1], fine[chosen], coarse_counts),
            (BLOCKS[0], fine, fine_counts),
        ):
            at = file.add(
                labels,
                {
                    "block": np.full(len(rows), block, np.int32),
                    "row": rows,
                    "step": steps[rows],
                    "wall_time": wall_times[rows],
                    "value": values[rows],
                    **counts,
                },
            )
            first = at if block == BLOCKS[1] else first
        return {"levels_row": first, "levels_rows": len(chosen) + len(fine), "coarse_rows": len(chosen)}

    def _add_records(
        self, labels: Mapping[str, str], records: RecordColumns, known: ShownPoints
    ) -> dict[str, object]:
        every = records.steps, records.wall_times
        order = order_of(every, known.records or every)
        rows = order.rows
        held = records.object[records.copied]
        self.copied.update(records.objects[place] for place in np.unique(held).tolist())
        columns: dict[str, Any] = {
            "attempt": order.attempt,
            "shown": order.shown,
            "step": records.steps[rows],
            "wall_time": records.wall_times[rows],
            "size": records.sizes[rows],
            "claim": [records.claims[place] for place in records.claim[rows].tolist()],
            "object": [records.objects[place] for place in records.object[rows].tolist()],
            "copied": records.copied[rows],
            "record": records.record[rows],
            "start": records.start[rows],
        }
        return {
            "records_row": self._file("records").add(labels, columns),
            "hidden": order.hidden,
        }

    def _file(self, name: str) -> TableFile:
        if name not in self._files:
            self._files[name] = TableFile(self.path(name), name)
        return self._files[name]

    def add_runs(self, runs: Sequence[Run], data: DataProvider, notes: Mapping[str, RunNote]) -> None:
        """Adds the runs themselves, once all series are there."""
        damage: dict[str, list[dict[str, object]]] = {}
        for one in data.damage():
            text = one.reason.stored() if hasattr(one.reason, "stored") else one.reason
            entry = {"file": one.file, "offset": one.offset, "reason": text, "skipped": one.skipped}
            damage.setdefault(one.run, []).append(entry)
        ordered = sorted(runs, key=lambda run: run.name)
        lasts = [self._last.get(run.name, -math.inf) for run in ordered]
        self._runs = {
            "run": [utf8(run.name) for run in ordered],
            "start_time": [run.start_time for run in ordered],
            "last_wall_time": [last if math.isfinite(last) else None for last in lasts],
            "dialects": [list(map(str, run.dialects)) for run in ordered],
            "source": [notes[run.name].source for run in ordered],
            "fingerprint": [notes[run.name].fingerprint for run in ordered],
            "content": [self._contents.get(run.name, RunContent()).digest() for run in ordered],
            "read": [notes[run.name].read for run in ordered],
            "damage": [damage.get(run.name, []) for run in ordered],
        }

    def store(self, store: LakeStore, payloads: Sequence[LakeObject] = ()) -> LakeSegment:
        """Stores the files of the segment, which has at least one run."""
        tables = {name: file.close() for name, file in self._files.items()}
        tables["series"] = self._series.write(self.path("series"))
        stored = []
        for name, table in tables.items():
            stored.append(table.stored_as(f"{name}/{self.id}.parquet"))
            store.put_file(stored[-1].key, table.path)
        return segment_of(self.id, self._runs, [*stored, *payloads], sorted(self._plugins))


def write_series(
    draft: SegmentDraft,
    data: DataProvider,
    runs: Sequence[str],
    source: RecordSource | None,
    tell: Callable[[int], None] = lambda points: None,
) -> None:
    """Adds all series of the runs to a draft; without a ``source`` only those of numbers."""
    for plugin in sorted(map(str, data.plugins())):
        infos = sorted(data.series(plugin, runs=runs), key=lambda info: (info.key.tag, info.key.run))
        for portion in _portions(infos):
            numbers = data.scalars(plugin, [info.key for info in portion], _ALL)
            again = [info.key for info in portion if info.attempts > 1]
            shown = data.scalars(plugin, again, ScalarQuery()) if again else {}
            for info in portion:
                found = numbers.get(info.key)
                records = None
                if source is not None and info.last_value is None:
                    try:
                        records = source.columns(plugin, info.key)
                    except NotFound:
                        if found is None:
                            raise
                if found is not None or records is not None:
                    known = ShownPoints.of(
                        data, plugin, info, shown.get(info.key), has_records=records is not None
                    )
                    draft.add_series(plugin, info, found, records, known)
            tell(draft.points)


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
