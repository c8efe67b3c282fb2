"""Writes segments as Parquet files: runs of a data provider, or of segments that are joined."""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from insight_core.plugin import NotFound
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesInfo
from insight_lake.delta import LakeSegment
from insight_lake.layout import LONG, blocks_of, nonfinite, order_of
from insight_lake.records import PLACE_COLUMNS, PayloadWriter
from insight_lake.row_reader import RowRange, RowReader
from insight_lake.sources import FoundRun, portions
from insight_lake.store import LakeStore
from insight_lake.tables import (
    SCHEMAS,
    LakeObject,
    TableFile,
    text_of_claims,
    utf8,
    write_table,
)

_OF_INFO = ("points", "kept", "first_step", "last_step", "last_wall_time", "last_value", "attempts")
_AT_ONCE = 1_000_000  # points of one question; progress is printed after each
_ORDER = ("plugin", "run", "tag")  # of series
_ALL = ScalarQuery(attempts="all")


class SegmentDraft:
    """The files of one segment, written into a directory.

    Series are added in the order of plugin, tag and run, so that those of a tag are neighbours.
    """

    def __init__(self, directory: Path) -> None:
        self.id = uuid.uuid4().hex
        self._directory = directory
        self._files: dict[str, TableFile] = {}
        self._series: list[Mapping[str, Any]] = []  # rows
        self._hashes: dict[str, hashlib._Hash] = {}
        self._last: dict[str, float] = {}

    @property
    def points(self) -> int:
        """Points that were added."""
        return self._files["scalars"].rows if "scalars" in self._files else 0

    def path(self, name: str) -> Path:
        """The file of a table, or of payloads."""
        return self._directory / f"{self.id}-{name}"

    def add_series(
        self,
        data: DataProvider,
        plugin: str,
        info: SeriesInfo,
        numbers: ScalarColumns | None,
        records: pa.Table | None,
    ) -> None:
        """Adds a series of points, of a table of payloads, or of both, in the order of the log files.

        ``data`` says which of them are shown, if there are several attempts.
        """
        run, key = info.key.run, info.key
        labels = {"run": utf8(run), "tag": utf8(key.tag), "plugin": plugin}
        row: dict[str, Any] = {
            **labels,
            **{name: getattr(info, name) for name in _OF_INFO},
            "display_name": utf8(info.display_name),
            "description": utf8(info.description),
            "claims": text_of_claims(info.claims),
            "content": info.content,
            "data_class": info.data_class,
            "hidden": 0,
            "purged": 0,
            "type": "",
            "wall_times_ascend": False,
        }
        self._last[run] = max(self._last.get(run, -math.inf), info.last_wall_time)  # NaN never is larger
        head = [plugin, key.tag, *(row[name] for name in ("points", "kept", "display_name", "description"))]
        head += [row["claims"], info.content.hex(), info.data_class]
        if numbers is not None:
            columns = numbers.steps, numbers.wall_times, numbers.values
            shown = data.scalars(plugin, [key])[key] if info.attempts > 1 else numbers
            self._count(run, head, columns, "")
            row["purged"] = shown.purged
            row |= self._add_numbers(labels, columns, (shown.steps, shown.wall_times, shown.values))
            row["restarts"] = numbers.restarts
        if records is not None:
            table = data.records(plugin, key) if info.attempts > 1 else None
            claims = records["claim"].cast(pa.string())
            words = pc.unique(claims)
            codes = pc.index_in(claims, words).to_numpy().astype(np.int64)
            columns = *(records[name].to_numpy() for name in ("step", "wall_time", "size")), codes
            self._count(run, head, columns, "\n".join(words.to_pylist()))
            row["purged"] = max(row["purged"], 0 if table is None else table.purged)
            row |= self._add_records(
                labels, records, columns[:2] if table is None else (table.steps, table.wall_times)
            )
        self._series.append(row)

    def _count(self, run: str, head: Sequence[object], columns: Sequence[NDArray[Any]], claims: str) -> None:
        """Adds columns to the hash of a run."""
        digest = self._hashes.setdefault(run, hashlib.sha256())
        digest.update(json.dumps([*head, claims, [column.dtype.str[1:] for column in columns]]).encode())
        for column in columns:
            digest.update(np.ascontiguousarray(column, column.dtype.newbyteorder("<")).data)

    def _add_numbers(
        self, labels: Mapping[str, str], every: Sequence[NDArray[Any]], shown: Sequence[NDArray[Any]]
    ) -> dict[str, object]:
        rows, places = order_of(every, shown)
        steps, walls, values = (column[rows] for column in every)
        points = {"step": steps, "wall_time": walls, "value": values.astype(np.float64)}
        first = self.file("scalars").add(labels, {**places, **points})
        count = np.count_nonzero(places["shown"])
        points = {name: column[:count] for name, column in points.items()}
        walls, doubles = points["wall_time"], points["value"]
        finite = doubles[np.isfinite(doubles)]
        row: dict[str, object] = {
            "scalars_row": first,
            "hidden": len(steps) - count,
            "type": str(values.dtype),
            "wall_times_ascend": bool(np.isfinite(walls).all() and (walls[1:] >= walls[:-1]).all()),
            "least": float(finite.min()) if len(finite) else None,
            "greatest": float(finite.max()) if len(finite) else None,
            **{name: np.count_nonzero(kind) for name, kind in nonfinite(doubles).items()},
        }
        if len(doubles) >= LONG:
            rows, counts = blocks_of(doubles)
            level = {"row": rows, **{name: column[rows] for name, column in points.items()}, **counts}
            row |= {"levels_row": self.file("levels").add(labels, level), "levels_rows": len(rows)}
        return row

    def _add_records(
        self,
        labels: Mapping[str, str],
        records: pa.Table,
        shown: Sequence[NDArray[Any]],
    ) -> dict[str, object]:
        rows, places = order_of([records["step"].to_numpy(), records["wall_time"].to_numpy()], shown)
        table = records.take(rows)
        columns = {**places, **{name: table[name].combine_chunks() for name in PLACE_COLUMNS}}
        first, count = self.file("records").add(labels, columns), np.count_nonzero(places["shown"])
        return {"records_row": first, "hidden": len(rows) - count}

    def file(self, name: str) -> TableFile:
        """The file of a table, to which rows are added."""
        if name not in self._files:
            self._files[name] = TableFile(self.path(name), name)
        return self._files[name]

    def runs(self, data: DataProvider, found: Mapping[str, FoundRun], read: float) -> pa.Table:
        """Rows of the table ``runs`` for those that were found, whose files were looked at then."""
        damage: dict[str, list[dict[str, object]]] = {}
        for one in data.damage():
            text = one.reason.stored() if hasattr(one.reason, "stored") else one.reason
            entry = {"file": one.file, "offset": one.offset, "reason": text, "skipped": one.skipped}
            damage.setdefault(one.run, []).append(entry)
        rows = []
        for run in sorted((run for run in data.runs() if run.name in found), key=lambda run: run.name):
            last = self._last.get(run.name, -math.inf)
            row = {
                "run": utf8(run.name),
                "start_time": run.start_time,
                "last_wall_time": last if math.isfinite(last) else None,
                "dialects": list(map(str, run.dialects)),
                "source": found[run.name].source,
                "fingerprint": found[run.name].fingerprint,
                "content": self._hashes.get(run.name, hashlib.sha256()).hexdigest(),
                "read": read,
                "damage": damage.get(run.name, []),
            }
            rows.append(row)
        return pa.Table.from_pylist(rows, schema=SCHEMAS["runs"])

    def series(self) -> pa.Table:
        """The table ``series`` of what was added."""
        return pa.Table.from_pylist(self._series, schema=SCHEMAS["series"])

    def store(
        self,
        store: LakeStore,
        runs: pa.Table,
        series: pa.Table,
        payloads: Sequence[LakeObject] = (),
    ) -> LakeSegment:
        """Stores the files of the segment, with these rows of ``runs`` (at least one) and ``series``."""
        write_table(self.path("series"), "series", series.sort_by([(name, "ascending") for name in _ORDER]))
        rows = {"series": len(series)}
        for name, file in self._files.items():
            file.close()
            rows[name] = file.rows
        objects = [LakeObject.of(self.path(name), f"{name}/{self.id}.parquet", rows[name]) for name in rows]
        for one in objects:
            store.put_file(one.key, self.path(one.table))
        plugins = sorted(pc.unique(series["plugin"]).to_pylist())
        return LakeSegment.of(self.id, runs, [*objects, *payloads], plugins)


def add_runs(
    draft: SegmentDraft,
    data: DataProvider,
    runs: Collection[str],
    payloads: PayloadWriter | None,
    tell: Callable[[int], None] = lambda points: None,
) -> None:
    """Adds all series of the runs to a draft; without ``payloads`` only those of numbers."""
    for plugin in sorted(map(str, data.plugins())):
        infos = sorted(data.series(plugin, runs=runs), key=lambda info: (info.key.tag, info.key.run))
        for portion in portions(infos, [info.kept for info in infos], _AT_ONCE):
            numbers = data.scalars(plugin, [info.key for info in portion], _ALL)
            for info in portion:
                found, places = numbers.get(info.key), None
                if payloads is not None and info.last_value is None:
                    try:
                        places = payloads.places(plugin, info.key)
                    except NotFound:
                        if found is None:
                            raise
                if found is not None or places is not None:
                    draft.add_series(data, plugin, info, found, places)
            tell(draft.points)


def rewritten(
    store: LakeStore, segments: Sequence[LakeSegment], without: Collection[str] = ()
) -> LakeSegment | None:
    """Joins segments into one, without some runs, and stores it; returns None if no run is left."""
    runs = pa.concat_tables([segment.runs for segment in segments])
    runs = runs.filter(pc.invert(pc.is_in(runs["run"], pa.array(list(without), pa.string()))))
    if not len(runs):
        return None
    reader = RowReader(store)
    try:
        with store.drafts() as directory:
            draft = SegmentDraft(directory)
            series, copied = _moved(reader, draft, segments, runs["run"])
            payloads = {one.key: one for each in segments for one in each.objects if one.key in copied}
            return draft.store(store, runs.sort_by("run"), series, list(payloads.values()))
    finally:
        reader.close()


def _moved(
    reader: RowReader,
    draft: SegmentDraft,
    segments: Sequence[LakeSegment],
    runs: pa.Table,
) -> tuple[Any, set[str]]:
    """Adds the rows of these runs to a draft; returns their series, and the keys of copied payloads."""
    schema = SCHEMAS["series"]
    tables = [reader.whole(segment.tables["series"]).cast(schema) for segment in segments]
    holders = np.repeat(np.arange(len(segments)), [len(table) for table in tables])
    series = pa.concat_tables(tables).append_column("segment", pa.array(holders))
    series = series.filter(pc.is_in(series["run"], runs.combine_chunks()))
    series = series.sort_by([(name, "ascending") for name in ("plugin", "tag", "run")])
    labels = series.select(["run", "tag", "plugin"]).to_pylist()
    holder = series["segment"].to_numpy()
    copied: set[str] = set()
    for table, length in (("scalars", "kept"), ("levels", "levels_rows"), ("records", "kept")):
        at = series[f"{table}_row"].fill_null(-1).to_numpy().copy()
        lengths = series[length].fill_null(0).to_numpy()
        names = [name for name in SCHEMAS[table].names if name not in labels[0]] if labels else []
        for portion in portions(range(len(series)), lengths, _AT_ONCE):
            rows = [row for row in portion if at[row] >= 0]
            files = (segments[holder[row]].tables[table] for row in rows)
            wanted = [
                RowRange(one, at[row], at[row] + lengths[row]) for row, one in zip(rows, files, strict=True)
            ]
            for row, columns in zip(rows, reader.rows(wanted, names), strict=True):
                at[row] = draft.file(table).add(labels[row], columns)
                if table == "records":
                    copied.update(columns["object"].filter(pa.array(columns["copied"])).unique().to_pylist())
        place = series.column_names.index(f"{table}_row")
        series = series.set_column(place, schema.field(f"{table}_row"), pa.array(at, mask=at < 0))
    return series.select(schema.names), copied
