"""Writes a segment: the runs of a data provider as Parquet files."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from insight_core.plugin.data import DataProvider, Run, ScalarColumns
from insight_lake.catalog import RunNote
from insight_lake.contents import RunContent, SeriesContent, ShownPoints, series_contents
from insight_lake.delta import LakeSegment, segment_of
from insight_lake.levels import BLOCKS, COUNTS, LONG, coarse_level, fine_level, nonfinite
from insight_lake.records import PLACE_COLUMNS, RecordSource
from insight_lake.row_order import order_of
from insight_lake.store import LakeStore
from insight_lake.tables import SCHEMAS, LakeObject, TableFile, text_of_claims, utf8

_OF_INFO = ("points", "kept", "first_step", "last_step", "last_wall_time", "last_value", "attempts")
_SERIES = SCHEMAS["series"].names
_RUN, _TAG, _PLUGIN = map(_SERIES.index, ("run", "tag", "plugin"))
_TOLD = 1_000_000  # points after which the progress is told


class SegmentDraft:
    """The files of one segment, written into a directory.

    Series are added in the order of plugin, tag and run, so that those of a tag are neighbours.
    """

    def __init__(self, directory: Path) -> None:
        self.id = uuid.uuid4().hex
        self._directory = directory
        self._files: dict[str, TableFile] = {}
        self._series: list[Sequence[Any]] = []  # rows
        self._contents: dict[str, RunContent] = {}
        self._last: dict[str, float] = {}
        self._runs: Mapping[str, Sequence[Any]] = {}
        self.copied: set[str] = set()  # keys of the objects that hold copied payloads

    @property
    def points(self) -> int:
        """Points that were added."""
        return self._files["scalars"].rows if "scalars" in self._files else 0

    def path(self, name: str) -> Path:
        """The file of a table, or of payloads."""
        return self._directory / f"{self.id}-{name}"

    def add_series(self, series: SeriesContent, shown: ShownPoints) -> None:
        """Adds a series of numbers, of payloads, or of both."""
        info = series.info
        labels = {"run": utf8(info.key.run), "tag": utf8(info.key.tag), "plugin": series.plugin}
        row: dict[str, object] = {
            **dict.fromkeys(_SERIES),
            **labels,
            **{name: getattr(info, name) for name in _OF_INFO},
            "hidden": 0,
            "purged": shown.purged,
            "type": "",
            "wall_times_ascend": False,
            "display_name": utf8(info.display_name),
            "description": utf8(info.description),
            "claims": text_of_claims(info.claims),
            "content": info.content,
            "data_class": info.data_class,
        }
        self._contents.setdefault(info.key.run, RunContent()).add(series)
        last = self._last.get(info.key.run, -math.inf)
        self._last[info.key.run] = max(last, info.last_wall_time)  # NaN never is larger
        if series.numbers is not None:
            row |= self._add_numbers(labels, series.numbers, shown)
        if series.records is not None:
            row |= self._add_records(labels, series.records, shown)
        self._series.append([row[name] for name in _SERIES])

    def _add_numbers(
        self, labels: Mapping[str, str], numbers: ScalarColumns, known: ShownPoints
    ) -> dict[str, object]:
        every = numbers.steps, numbers.wall_times, numbers.values
        order = order_of(every, known.numbers or every)
        steps, walls, values = (column[order.rows] for column in every)
        points: dict[str, Any] = {"step": steps, "wall_time": walls, "value": values.astype(np.float64)}
        first = self._file("scalars").add(labels, {"attempt": order.attempt, "shown": order.shown, **points})
        shown = {name: column[: len(steps) - order.hidden] for name, column in points.items()}
        walls, doubles = shown["wall_time"], shown["value"]
        finite = doubles[np.isfinite(doubles)]
        return {
            "scalars_row": first,
            "hidden": order.hidden,
            "restarts": numbers.restarts.tolist(),
            "type": str(values.dtype),
            "first_wall_time": float(walls[0]) if len(walls) else None,
            "wall_times_ascend": bool((walls[1:] >= walls[:-1]).all() and not np.isnan(walls).any()),
            "least": float(finite.min()) if len(finite) else None,
            "greatest": float(finite.max()) if len(finite) else None,
            **dict(zip(COUNTS, nonfinite(doubles), strict=True)),
            **(self._add_levels(labels, shown) if len(doubles) >= LONG else {}),
        }

    def _add_levels(self, labels: Mapping[str, str], points: Mapping[str, Any]) -> dict[str, object]:
        fine, fine_counts = fine_level(points["value"])
        chosen, coarse_counts = coarse_level(fine, points["value"][fine], fine_counts)
        levels = (BLOCKS[1], fine[chosen], coarse_counts), (BLOCKS[0], fine, fine_counts)
        first, _ = [
            self._file("levels").add(
                labels,
                {
                    "block": np.full(len(rows), block, np.int32),
                    "row": rows,
                    **{name: column[rows] for name, column in points.items()},
                    **counts,
                },
            )
            for block, rows, counts in levels
        ]
        return {"levels_row": first, "levels_rows": len(chosen) + len(fine), "coarse_rows": len(chosen)}

    def _add_records(
        self,
        labels: Mapping[str, str],
        records: Any,  # noqa: ANN401
        known: ShownPoints,
    ) -> dict[str, object]:
        every = records["step"].to_numpy(), records["wall_time"].to_numpy()
        order = order_of(every, known.records or every)
        self.copied.update(pc.unique(records.filter(records["copied"])["object"]).to_pylist())
        rows = records.take(order.rows)
        columns: dict[str, Any] = {
            name: rows[name].to_pylist() if pa.types.is_dictionary(rows[name].type) else rows[name].to_numpy()
            for name in PLACE_COLUMNS
        }
        at = self._file("records").add(labels, {"attempt": order.attempt, "shown": order.shown, **columns})
        return {"records_row": at, "hidden": order.hidden}

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
        rows = sorted(self._series, key=lambda row: (row[_PLUGIN], row[_RUN], row[_TAG]))
        series = self._file("series")
        if rows:
            series.add({}, dict(zip(_SERIES, zip(*rows, strict=True), strict=True)))
        stored = []
        for name, file in self._files.items():
            table = file.close()
            stored.append(table.stored_as(f"{name}/{self.id}.parquet"))
            store.put_file(stored[-1].key, table.path)
        plugins = sorted({row[_PLUGIN] for row in rows})
        return segment_of(self.id, self._runs, [*stored, *payloads], plugins)


def write_series(
    draft: SegmentDraft,
    data: DataProvider,
    runs: Sequence[str],
    source: RecordSource | None,
    tell: Callable[[int], None] = lambda points: None,
) -> None:
    """Adds all series of the runs to a draft; without a ``source`` only those of numbers."""
    told = 0
    for series in series_contents(data, source, runs):
        draft.add_series(series, ShownPoints.of(data, series))
        if draft.points - told >= _TOLD:
            told = draft.points
            tell(told)
