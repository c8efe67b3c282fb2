"""``compare``: figures of scalar series, and some points of their curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from attrs import asdict

from insight_core.plugin import InvalidArgument, PluginContext
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesFigures, SeriesKey, figures_of
from insight_mcp.answers import LoggedRows, Row, ToolAnswer
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import SCALAR, chosen_tables, in_order

_FIGURES = ("points", "nonfinite", "first", "last", "min", "min_step", "max", "max_step", "mean")
_MOST_SORTED = 5000  # series whose points are read for their order
_AT_ONCE = 64  # series whose points are read at a time
_MOST_POINTS = 1000  # of a curve in an answer


def compare(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """A row for each series. Points are read of those that are shown, and of all to sort them."""
    tables = chosen_tables(ctx, SCALAR, given)
    keys = [SeriesKey(table.run, tag) for table in tables for tag in table.tags]
    query = ScalarQuery(window=_window(given))
    points = min(max(int(given.get("points") or 0), 0), _MOST_POINTS)
    order = str(given.get("sort") or "")
    if order:
        keys = _sorted(ctx, keys, query, order)

    def read(first: int, last: int) -> list[Row]:
        some = keys[first:last]
        found = ctx.data.scalars(SCALAR, some, query)
        return [_row(key, found.get(key), points) for key in some]

    columns = ["run", "tag", *_FIGURES, *(["curve"] if points else [])]
    longest = 40 * points + 300
    shown = LoggedRows(columns, len(keys), read, [(key.run, key.tag) for key in keys], longest)
    return ToolAnswer([f"{len(keys)} series."], shown)


def _window(given: Arguments) -> tuple[float | None, float | None]:
    """The first and the last step to read. Raises InvalidArgument if they end before they begin."""
    first, last = given.get("first_step"), given.get("last_step")
    if first is not None and last is not None and first > last:
        raise InvalidArgument("last_step must not be below first_step")
    return first, last


def _sorted(ctx: PluginContext, keys: Sequence[SeriesKey], query: ScalarQuery, order: str) -> list[SeriesKey]:
    by = order.removeprefix("-")
    if by in ("run", "tag"):
        return in_order(keys, [getattr(key, by) for key in keys], order.startswith("-"))
    if by not in _FIGURES:
        raise InvalidArgument(f"sort must be run, tag, {', '.join(_FIGURES)}, or one of them after '-'")
    if len(keys) > _MOST_SORTED:
        raise InvalidArgument(
            f"sort reads the points of {len(keys)} series, more than {_MOST_SORTED}: name runs or tags"
        )
    values: list[object] = []
    for first in range(0, len(keys), _AT_ONCE):
        some = keys[first : first + _AT_ONCE]
        found = ctx.data.scalars(SCALAR, some, query)
        values += [getattr(_figures(found, key), by) for key in some]
    return in_order(keys, values, order.startswith("-"))


def _figures(found: Mapping[SeriesKey, ScalarColumns], key: SeriesKey) -> SeriesFigures:
    return figures_of(found[key]) if key in found else SeriesFigures()


def _row(key: SeriesKey, columns: ScalarColumns | None, points: int) -> Row:
    figures = asdict(SeriesFigures() if columns is None else figures_of(columns))
    row: list[object] = [key.run, key.tag, *(figures[name] for name in _FIGURES)]
    if points:
        row.append("" if columns is None else _curve(columns, points))
    return row


def _curve(columns: ScalarColumns, points: int) -> str:
    """So many points, evenly by their number, with the first and the last."""
    count = len(columns.steps)
    places = np.unique(np.linspace(0, max(count - 1, 0), min(points, count)).astype(np.intp))
    steps, values = columns.steps[places].tolist(), columns.values[places].tolist()
    return " ".join(f"{step}:{value:.5g}" for step, value in zip(steps, values, strict=True))
