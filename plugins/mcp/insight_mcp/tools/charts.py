"""``render``: a chart of scalar series as PNG."""

from __future__ import annotations

from insight_core.plugin import InvalidArgument, NotFound, PluginContext
from insight_core.plugin.data import ScalarColumns, ScalarQuery
from insight_mcp.answers import LoggedRows, Row, ToolAnswer
from insight_mcp.definitions import Arguments
from insight_mcp.drawing import WIDTH, Line, chart
from insight_mcp.tools.catalogue import SCALAR, chosen_tables, keys_of
from insight_mcp.tools.comparison import window_of

_MOST_LINES = 10  # more than ten colours are not told apart
_HIGHEST_SMOOTHING = 0.99


def render(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """The chart, and which line is which series."""
    smoothing = float(given.get("smoothing") or 0.0)
    if not 0 <= smoothing <= _HIGHEST_SMOOTHING:
        raise InvalidArgument(f"smoothing must be from 0 to {_HIGHEST_SMOOTHING}")
    keys = keys_of(chosen_tables(ctx, SCALAR, given))
    if not keys:
        raise NotFound("no scalar series has these runs and tags")
    shown = keys[:_MOST_LINES]
    found = ctx.data.scalars(
        SCALAR, shown, ScalarQuery(window=window_of(given), width=WIDTH, smoothing=smoothing)
    )
    tags = {key.tag for key in shown}
    runs = {key.run for key in shown}
    lines: list[Line] = []
    rows: list[Row] = []
    for number, key in enumerate(shown, 1):
        columns = found.get(key)
        name = key.tag if len(runs) == 1 else key.run if len(tags) == 1 else f"{key.run}: {key.tag}"
        lines.append(_line(f"{number} {name}", columns))
        points = 0 if columns is None else columns.points
        rows.append([number, key.run, key.tag, points, 0 if columns is None else sum(columns.nonfinite)])
    title = next(iter(tags)) if len(tags) == 1 else next(iter(runs)) if len(runs) == 1 else ""
    notes = ["Names in the image are logged text, too."]
    if len(keys) > len(shown):
        notes.append(f"{len(keys) - len(shown)} more series are not drawn: name fewer runs or tags.")
    is_log = bool(given.get("log_y"))
    png = chart(lines, title=title, log_y=is_log, smoothing=smoothing)
    listed = LoggedRows.of(("line", "run", "tag", "points", "nonfinite"), rows)
    return ToolAnswer(notes, listed, png)


def _line(name: str, columns: ScalarColumns | None) -> Line:
    if columns is None:
        return Line(name)
    return Line(name, columns.steps.astype(float), columns.values.astype(float))
