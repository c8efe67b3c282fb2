"""Builds the run table and updates it incrementally."""

from __future__ import annotations

import posixpath
import threading
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from insight_core.plugin import Annotations, InsightError, PluginContext, Reason, Unavailable
from insight_core.plugin.data import Changes, SeriesInfo, SeriesKey
from insight_core.plugin.filters import Column, Values, moved, values_of
from insight_lineage.claims import HPARAMS, LINEAGE_FILE, NAME
from insight_lineage.mindspore import Cell, Cells, LineageFile, file_order, joined
from insight_lineage.names import ANNOTATIONS, group_of, title_of
from insight_lineage.pipeline import Pipeline
from insight_lineage.scalars import SCALAR, Scalars
from insight_lineage.sessions import Sessions
from insight_lineage.table import Problem, Rows, Table
from insight_record.formats.framing import RecordProblem

_NOT_HOSTED: Mapping[str, Mapping[str, Cell | None]] = {}


class Lineage:
    """``table`` gives the table of this moment, to one thread at a time."""

    def __init__(self, ctx: PluginContext[LineageFile]) -> None:
        self._data = data = ctx.data
        self._own = ctx.own
        self._decoded = ctx.values
        self._lock = threading.Lock()
        self._generation: int | None = None
        self._rows = Rows.of([])
        self._sorted: list[str] = []  # names of the runs
        self._files: dict[str, dict[str, LineageFile]] = {}  # by run and tag
        self._problems: dict[str, list[Problem]] = {}  # of files, by run
        self._pipelines: dict[str, Pipeline] = {}
        self._sessions = Sessions()
        self._scalars = Scalars(data)
        self._cells: dict[str, Cells] = {}
        self._columns = _of_runs(self._rows)
        self._annotated: tuple[Annotations, Rows] | None = None
        self._said: dict[str, Column] = {}

    @contextmanager
    def table(
        self, annotations: Annotations, hosted: Mapping[str, Mapping[str, Cell | None]] = _NOT_HOSTED
    ) -> Iterator[Table]:
        """The lock is held as long as the context lasts: columns of scalars are made when asked for.

        ``hosted`` are cells of columns of the host, by name and run.
        """
        with self._lock:
            self._follow()
            self._annotate(annotations)
            scalars = self._scalars
            problems = [one for listed in self._problems.values() for one in listed]
            yield Table(
                self._rows,
                {**self._columns, **self._said, **_columns_of(hosted, self._rows)},
                scalars.column,
                scalars.counts,
                problems + self._sessions.problems(),
            )

    def pipeline(self, run: str) -> Pipeline | None:
        """The data pipeline of a run, within ``table``."""
        return self._pipelines.get(run)

    # --- following the data -----------------------------------------------------------------------

    def _follow(self) -> None:
        since = self._generation
        if since is not None and since == self._data.generation():
            return
        if since is None:
            changes = Changes(self._data.generation(), None, runs=True)
        else:
            changes = self._data.changes(since)
        self._generation = None  # if what follows breaks off, everything is looked at again
        everything = changes.series is None
        stale = self._place_runs() if changes.runs or everything else set()
        scalar_runs = None if everything else _runs(changes, SCALAR)
        lineage_runs = None if everything else _runs(changes, NAME)
        if scalar_runs is None or scalar_runs:
            self._scalars.update(scalar_runs)
        if everything:
            stale = set(self._rows.runs)
        if lineage_runs is None or lineage_runs:
            stale |= self._read(lineage_runs, None if everything else _keys(changes, NAME))
        if scalar_runs:
            stale |= self._sessions.reading(scalar_runs)
        self._renew(stale, everything=everything)
        self._generation = changes.generation

    def _place_runs(self) -> set[str]:
        """Gives each run that there is now its row, and says which rows may be other ones by that."""
        before, rows = self._rows, Rows.of(self._data.runs())
        if rows.runs == before.runs:
            if not np.array_equal(rows.start_times, before.start_times, equal_nan=True):
                self._rows = rows
                self._columns.update(_of_runs(rows))
            return set()
        origin = np.array([before.place.get(run, -1) for run in rows.runs], np.intp)
        self._rows = rows
        self._sorted = sorted(rows.runs)
        self._scalars.place(rows.place, origin)
        for name, column in list(self._columns.items()):
            self._keep(name, moved(column.values, origin, None))
        self._columns.update(_of_runs(rows))
        came, went = rows.place.keys() - before.place.keys(), before.place.keys() - rows.place.keys()
        piped, elsewhere = len(self._pipelines), False
        for run in went:
            self._cells.pop(run, None)
            self._files.pop(run, None)
            self._problems.pop(run, None)
            self._pipelines.pop(run, None)
            elsewhere |= self._sessions.take(run, ())
        if len(self._pipelines) != piped:
            self._mark_datasets()
        return came | (set(self._sessions.all()) if elsewhere else self._sessions.around(came | went))

    def _read(self, runs: Collection[str] | None, changed: Collection[SeriesKey] | None) -> set[str]:
        """Reads what these runs have of lineage now, or all runs; which rows may be other ones.

        Of their files those that are ``changed``, or all: what is written twice within one tick of the clock
        has the same times.
        """
        by_run: dict[str, list[SeriesInfo]] = {run: [] for run in (runs or ())}
        for info in self._own.series(runs=runs):
            by_run.setdefault(info.key.run, []).append(info)
        if runs is None:
            self._sessions.forget()
            for run in self._files.keys() - by_run.keys():
                del self._files[run]
                self._problems.pop(run, None)
        elsewhere = False
        for run, infos in by_run.items():
            self._read_files(run, [info for info in infos if LINEAGE_FILE in info.claims], changed)
            told = [info for info in infos if HPARAMS in info.claims]
            elsewhere |= self._sessions.take(run, told)
        looked = set(by_run)
        return looked | set(self._sessions.all()) if elsewhere else looked

    def _read_files(self, run: str, infos: list[SeriesInfo], changed: Collection[SeriesKey] | None) -> None:
        before, now = self._files.get(run, {}), {}
        problems = []
        for info in infos:
            tag = info.key.tag
            if tag not in before or changed is None or info.key in changed:
                now[tag] = self._file(info.key)
            else:
                now[tag] = before[tag]
            problems += [Problem(run, tag, problem) for problem in now[tag].problems]
        if now:
            self._files[run] = now
        else:
            self._files.pop(run, None)
        self._problems[run] = problems

    def _file(self, key: SeriesKey) -> LineageFile:
        try:
            return self._decoded.get(key, 0)
        except Unavailable:  # it is not the file's fault
            raise
        except InsightError as error:
            return LineageFile(unreadable=(RecordProblem(0, Reason.of(error)),))

    # --- cells and columns ------------------------------------------------------------------------

    def _renew(self, runs: Collection[str], *, everything: bool) -> None:
        """Computes the cells of these runs again, and updates the columns that changed."""
        marks = False
        changed: dict[str, dict[int, Cell | None]] = {}  # by column and row
        nothing: Cells = {}
        for run in runs:
            row = self._rows.place.get(run)
            if row is None:
                continue
            before = nothing if everything else self._cells.get(run, nothing)
            cells, pipeline = self._cells_of(run)
            if pipeline != self._pipelines.get(run):
                marks = True
                self._pipelines.pop(run, None)
                if pipeline is not None:
                    self._pipelines[run] = pipeline
            self._cells[run] = cells
            for name in {**cells, **before} if before else cells:
                value = cells.get(name)
                if not _same(before.get(name), value):
                    changed.setdefault(name, {})[row] = value
        if everything:
            self._columns = _of_runs(self._rows)
        for name, values in changed.items():
            self._put(name, values, replace=everything)
        if marks or everything:
            self._mark_datasets()

    def _cells_of(self, run: str) -> tuple[Cells, Pipeline | None]:
        cells: Cells = {}
        pipeline = None
        files = self._files.get(run)
        if files:
            ordered = [*files]
            if len(files) > 1:
                ordered.sort(key=lambda tag: file_order(posixpath.basename(tag)))
            lineage = joined(files[tag] for tag in ordered)
            cells, pipeline = {"source": "mindspore", **lineage.cells}, lineage.pipeline
        cells.update(self._sessions.cells(run, self._scalars, self._below))
        return cells, pipeline

    def _below(self, run: str) -> list[str]:
        """The runs within a run, itself first."""
        if run == ".":
            return [".", *(name for name in self._sorted if name != ".")]
        first, last = bisect_left(self._sorted, f"{run}/"), bisect_left(self._sorted, f"{run}0")
        return [run, *self._sorted[first:last]]

    def _put(self, name: str, cells: Mapping[int, Cell | None], *, replace: bool) -> None:
        """Sets the cells of these rows; with ``replace`` all other cells become empty."""
        column = None if replace else self._columns.get(name)
        values = np.empty(len(self._rows.runs), object) if column is None else column.values.copy()
        values[np.fromiter(cells, np.intp, len(cells))] = values_of(cells.values())
        self._keep(name, values)

    def _keep(self, name: str, values: Values) -> None:
        """Makes the values the column of this name; a column without any goes."""
        made = Column(name, group_of(name), title_of(name), values)
        if made.count:
            self._columns[name] = made
        else:
            self._columns.pop(name, None)

    def _mark_datasets(self) -> None:
        """Numbers pipelines, the same ones alike, in the order of the names of runs."""
        numbers: dict[Pipeline, int] = {}
        cells = {}
        for run in self._sorted:
            pipeline = self._pipelines.get(run)
            if pipeline is not None:
                cells[self._rows.place[run]] = numbers.setdefault(pipeline, len(numbers) + 1)
        self._put("dataset_mark", cells, replace=True)

    def _annotate(self, annotations: Annotations) -> None:
        """Columns of what people say of the runs."""
        if self._annotated is not None:
            known, rows = self._annotated
            if known is annotations and rows is self._rows:
                return
        self._annotated = (annotations, self._rows)
        self._said = {}
        for name in ANNOTATIONS:
            values = np.empty(len(self._rows.runs), object)
            for run, annotation in annotations.runs.items():
                row = self._rows.place.get(run)
                if row is not None:
                    values[row] = getattr(annotation, name)
            column = Column(name, "annotation", name, values)
            if column.count:
                self._said[name] = column


def _of_runs(rows: Rows) -> dict[str, Column]:
    """The columns that are there whatever the logs say."""
    started = ~np.isnan(rows.start_times)
    return {
        "run": Column("run", "run", "run", values_of(rows.runs)),
        "start_time": Column.of_numbers("start_time", "run", "start_time", rows.start_times, started),
    }


def _columns_of(hosted: Mapping[str, Mapping[str, Cell | None]], rows: Rows) -> dict[str, Column]:
    """Columns of the host; one without a value is left out."""
    made = [
        Column(name, group_of(name), title_of(name), values_of([cells.get(run) for run in rows.runs]))
        for name, cells in hosted.items()
    ]
    return {column.name: column for column in made if column.count}


def _keys(changes: Changes, plugin: str) -> Collection[SeriesKey]:
    return (changes.series or {}).get(plugin, frozenset())


def _runs(changes: Changes, plugin: str) -> set[str]:
    return {key.run for key in _keys(changes, plugin)}


def _same(one: object, other: object) -> bool:
    return type(one) is type(other) and (one == other or (one != one and other != other))
