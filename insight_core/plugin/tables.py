"""Tables of series: which to ask for, and how several become one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.plugin.series_tables import SeriesField, SeriesTable


def tags_by_run(keys: Iterable[SeriesKey]) -> dict[str, set[str]]:
    """The tags of these series, by run."""
    found: dict[str, set[str]] = {}
    for key in keys:
        found.setdefault(key.run, set()).add(key.tag)
    return found


def runs_with_equal_tags(wanted: Mapping[str, Iterable[str]]) -> list[tuple[list[str], frozenset[str]]]:
    """Runs and tags to ask for, so that no other series are listed than the ``wanted`` tags by run."""
    together: dict[frozenset[str], list[str]] = {}
    for run, tags in wanted.items():
        together.setdefault(frozenset(tags), []).append(run)
    return [(runs, tags) for tags, runs in together.items() if tags]


def chosen_tables(
    ask: Callable[[Collection[str], Collection[str]], Iterable[SeriesTable]],
    wanted: Mapping[str, Iterable[str]],
) -> list[SeriesTable]:
    """The tables of the ``wanted`` tags by run, by name of the run, of those that exist.

    ``ask`` gives the tables of some runs and tags, such as ``DataProvider.series_tables``. It is called once
    for all runs with the same tags, so that the cost follows the number of wanted series.
    """
    found = (table for runs, tags in runs_with_equal_tags(wanted) for table in ask(runs, tags))
    return sorted((table for table in found if table.tags), key=lambda table: table.run)


def missing_tags(
    tables: Iterable[SeriesTable], wanted: Mapping[str, Collection[str]]
) -> dict[str, list[str]]:
    """The ``wanted`` tags, by run, that no table has, sorted; runs that have all of them are left out."""
    there = {table.run: table.tags for table in tables}
    left = {run: sorted(set(tags).difference(there.get(run, ()))) for run, tags in wanted.items()}
    return {run: tags for run, tags in left.items() if tags}


def united_tables(tables: Iterable[SeriesTable]) -> list[SeriesTable]:
    """One table for each run, all with the same fields; a tag belongs to the first table that has it."""
    by_run: dict[str, SeriesTable] = {}
    for table in tables:
        known = by_run.get(table.run)
        if known is not None:
            table = joined_table([known, table.without(known.tags)])
        by_run[table.run] = table
    return list(by_run.values())


def joined_table(parts: Sequence[SeriesTable]) -> SeriesTable:
    """One table of several of one run, all with the same fields, at least one; their tags differ."""
    first = parts[0]
    if len(parts) == 1:
        return first
    columns = {
        field: [value for part in parts for value in part.column(field)]
        for field in (*first.common, *first.columns)
    }
    return SeriesTable(first.run, tuple([tag for part in parts for tag in part.tags]), {}, columns)


def tables_of(infos: Iterable[SeriesInfo], fields: Collection[SeriesField]) -> list[SeriesTable]:
    """The series as one table for each run, with these fields."""
    runs: dict[str, list[SeriesInfo]] = {}
    for info in infos:
        runs.setdefault(info.key.run, []).append(info)
    return [
        SeriesTable(
            run,
            tuple([info.key.tag for info in found]),
            {},
            {field: [getattr(info, field) for info in found] for field in fields},
        )
        for run, found in runs.items()
    ]
