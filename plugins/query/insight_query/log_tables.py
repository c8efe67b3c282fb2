"""Tables that every log has, read from the data provider: only wanted runs, tags, steps and columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from insight_core.plugin import PluginContext, PluginNameEnum
from insight_core.plugin.data import (
    DataProvider,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesKey,
    SeriesTable,
)
from insight_core.plugin.sql import ColumnValues, Labels, Rows, WantedRows
from insight_query.limits import check_expected

_SCALAR = str(PluginNameEnum.SCALAR)
_AT_ONCE = 500_000  # points of a batch
_EVERY_STEP = -(1 << 63), (1 << 63) - 1
_SUMMARY = ("points", "first_step", "last_step", "least", "greatest")
_FIELDS: tuple[SeriesField, ...] = (
    "points",
    "kept",
    "first_step",
    "last_step",
    "last_value",
    "last_wall_time",
    "attempts",
)


def runs(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Every run."""
    found = sorted(ctx.data.runs(), key=lambda run: run.name)
    names = [name for name in ("status", "duration") if name in wanted.columns]
    own = [column for column in ctx.run_columns(names) if column.plugin == "run"] if names else []
    cells = {column.name: column.values for column in own}
    yield {
        "run": [run.name for run in found],
        "start_time": [run.start_time for run in found],
        "dialect": ["+".join(run.dialects) or None for run in found],
        "loading": [run.loading for run in found],
        "damage": [run.damage for run in found],
        **{name: [cells.get(name, {}).get(run.name) for run in found] for name in names},
    }


def series(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Every series of every plugin."""
    fields = [field for field in _FIELDS if field in wanted.columns]
    for plugin in wanted.of("plugin", sorted(map(str, ctx.data.plugins()))):
        for table in _tables(ctx.data, plugin, fields, wanted):
            count = len(table.tags)
            yield {
                "plugin": _same(plugin, count),
                "run": _same(table.run, count),
                "tag": table.tags,
                **{field: table.column(field) for field in fields},
            }


def scalars(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """The points of the wanted series within the wanted steps, half a million at a time."""
    tables = _tables(ctx.data, _SCALAR, ("kept", "first_step", "last_step"), wanted)
    steps = _span(tables, wanted)
    if steps is None:
        return
    query = ScalarQuery(window=steps)
    check_expected(wanted, _expected(tables, steps))
    for keys in _batches(tables, steps):
        yield _points(ctx.data.scalars(_SCALAR, keys, query), wanted.columns)


def summaries(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Counts and extremes of scalar series: of the points only where the provider does not know them."""
    known = ctx.data.scalar_summaries(_SCALAR, runs=_runs(ctx.data, wanted))
    if known is not None:
        for one in known:
            labels = {"run": Labels(one.run, one.runs), "tag": Labels(one.tag, one.tags)}
            yield {**labels, **{name: getattr(one, name) for name in _SUMMARY}}
        return
    tables = _tables(ctx.data, _SCALAR, ("kept", "first_step", "last_step"), wanted)
    check_expected(wanted, _expected(tables, _EVERY_STEP))
    for keys in _batches(tables, _EVERY_STEP):
        found = ctx.data.scalars(_SCALAR, keys)
        shown = {key: part for key, part in sorted(found.items()) if len(part.steps)}
        columns = [
            (len(one.steps), one.steps.min(), one.steps.max(), np.fmin.reduce(one.values), one.values.max())
            for one in shown.values()
        ]
        names = {"run": [key.run for key in shown], "tag": [key.tag for key in shown]}
        values = [np.array(column) for column in zip(*columns, strict=True)]
        values = values or [np.zeros(0)] * len(_SUMMARY)
        yield {**names, **dict(zip(_SUMMARY, values, strict=True))}


def records(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Every record that is not a scalar."""
    for plugin in wanted.of("plugin", sorted(set(map(str, ctx.data.plugins())) - {_SCALAR})):
        for table in _tables(ctx.data, plugin, (), wanted):
            for tag in table.tags:
                found = ctx.data.records(plugin, SeriesKey(table.run, tag))
                count = len(found.steps)
                yield {
                    "plugin": _same(plugin, count),
                    "run": _same(table.run, count),
                    "tag": _same(tag, count),
                    "step": found.steps,
                    "wall_time": found.wall_times,
                    "bytes": [None if size < 0 else size for size in found.sizes.tolist()],
                }


def damage(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Every place of damage."""
    found = ctx.data.damage()
    yield {
        "run": [one.run for one in found],
        "file": [one.file for one in found],
        "offset": [one.offset for one in found],
        "skipped": [one.skipped for one in found],
        "reason": [str(one.reason) for one in found],
    }


def _tables(
    data: DataProvider, plugin: str, fields: Sequence[SeriesField], wanted: WantedRows
) -> list[SeriesTable]:
    """The series of which a row may be wanted, by run and tag."""
    found = data.series_tables(plugin, fields, runs=_runs(data, wanted))
    tags = sorted({tag for table in found for tag in table.tags})
    kept = wanted.of("tag", tags)
    if len(kept) < len(tags):
        of_these = frozenset(kept)
        found = [table.of_tags(of_these) for table in found]
    return sorted((table for table in found if table.tags), key=lambda table: table.run)


def _runs(data: DataProvider, wanted: WantedRows) -> list[str] | None:
    """The runs of which a row may be wanted; None: all."""
    names = [run.name for run in data.runs()]
    chosen = wanted.of("run", names)
    return None if len(chosen) == len(names) else chosen


def _span(tables: Iterable[SeriesTable], wanted: WantedRows) -> tuple[int, int] | None:
    firsts = [int(str(step)) for table in tables for step in table.column("first_step")]
    lasts = [int(str(step)) for table in tables for step in table.column("last_step")]
    return wanted.span("step", min(firsts), max(lasts)) if firsts else None


def _expected(tables: Iterable[SeriesTable], steps: tuple[int, int]) -> int:
    """About how many points series have within these steps."""
    return sum(int(points * share) for _, points, share in _within(tables, steps))


def _within(tables: Iterable[SeriesTable], steps: tuple[int, int]) -> Iterator[tuple[SeriesKey, int, float]]:
    """The series that have steps within these, how many points each has, and the share of its steps."""
    for table in tables:
        rows = zip(*(table.column(name) for name in ("first_step", "last_step", "kept")), strict=True)
        for tag, row in zip(table.tags, rows, strict=True):
            first, last, kept = (int(str(value)) for value in row)
            if last >= steps[0] and first <= steps[1]:
                inside = min(last, steps[1]) - max(first, steps[0]) + 1
                yield SeriesKey(table.run, tag), kept, inside / (last - first + 1)


def _batches(tables: Iterable[SeriesTable], steps: tuple[int, int]) -> Iterator[list[SeriesKey]]:
    """The series that have steps within these, in lists of about as many points as a batch has.

    Those of a tag follow each other, as a lake stores them: it reads what lies together at once.
    """
    keys: list[SeriesKey] = []
    points = 0
    found = sorted(_within(tables, steps), key=lambda one: (one[0].tag, one[0].run))
    for key, size, _ in found:
        if keys and points + size > _AT_ONCE:
            yield keys
            keys, points = [], 0
        keys.append(key)
        points += size
    if keys:
        yield keys


def _points(found: Mapping[SeriesKey, ScalarColumns], columns: Sequence[str]) -> Rows:
    """The wanted columns of series, one after the other."""
    parts = sorted(found.items(), key=lambda part: part[0])
    counts = [len(part.steps) for _, part in parts]
    rows: dict[str, ColumnValues] = {}
    for name, texts in (("run", [key.run for key, _ in parts]), ("tag", [key.tag for key, _ in parts])):
        if name in columns:
            words = sorted(set(texts))
            number = {word: place for place, word in enumerate(words)}
            of_series = np.array([number[text] for text in texts], np.int32)
            rows[name] = Labels(np.repeat(of_series, counts), words)
    if "step" in columns:
        rows["step"] = np.concatenate([part.steps for _, part in parts])
    if "wall_time" in columns:
        rows["wall_time"] = np.concatenate([part.wall_times for _, part in parts])
    if "value" in columns:
        rows["value"] = np.concatenate([part.values.astype(np.float64) for _, part in parts])
    return rows


def _same(text: str, count: int) -> Labels:
    return Labels(np.zeros(count, np.int32), [text])
