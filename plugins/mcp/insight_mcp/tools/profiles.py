"""``profile``: profiles, and where the time of one went, from the profiler plugin."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from insight_core.plugin import InvalidArgument, NotFound, PluginContext, PluginNameEnum, Unavailable
from insight_mcp.answers import LoggedRows, Row, ToolAnswer, counted
from insight_mcp.definitions import Arguments
from insight_mcp.tools.catalogue import chosen, run_names

_PROFILER = str(PluginNameEnum.PROFILER)
_TABLES = ("overview", "operators", "kernels", "steps")
_PATIENCE = 20.0  # seconds for a profile that is being read
_PAUSE = 0.2
_MOST = 1000  # rows of a table
_MILLION = 1e6
_STEP_TIMES = ("mean", "p50", "p95", "minimum", "maximum")
_OF_BIGGEST = ("name", "scope", "calls", "self", "total", "share")
_LISTED = ("run", "profile", "source", "rank", "bytes")


def profile(ctx: PluginContext, given: Arguments) -> ToolAnswer:
    """The list of profiles; of one profile an overview, or one of its tables."""
    table = given.get("table") or _TABLES[0]
    if table not in _TABLES:
        raise InvalidArgument(f"table must be {', '.join(_TABLES)}")
    if not given.get("run"):
        profiles: list[Row] = [[_known(one[name]) for name in _LISTED] for one in _listed(ctx)]
        return ToolAnswer([f"{counted(len(profiles), 'profile')}."], LoggedRows.of(_LISTED, profiles))
    [run] = run_names(ctx, [given["run"]])[:1]
    paths = [str(one["profile"]) for one in _listed(ctx, run)]
    if not paths:
        raise NotFound(f"the run {run!r} has no profile")
    [path] = chosen(paths, [given["profile"]], "profile")[:1] if given.get("profile") else paths[:1]
    _wait(ctx, run, path)
    if table == _TABLES[0]:
        rows = list(_overview(ctx, run, path))
        return ToolAnswer(["Times in ms."], LoggedRows.of(("section", "name", "value"), rows))
    answer: Any = ctx.ask(_PROFILER, f"/{table}", run=run, profile=path, limit=_MOST)
    columns, rows = _table(answer)
    return ToolAnswer([f"{int(answer['total'])} rows. Times in ms."], LoggedRows.of(columns, rows))


def _listed(ctx: PluginContext, run: str | None = None) -> list[Mapping[str, Any]]:
    """The newest first."""
    found: Any = ctx.ask(_PROFILER, "/profiles", **({} if run is None else {"run": run}))
    return list(found["profiles"])


def _wait(ctx: PluginContext, run: str, path: str) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        state: Any = ctx.ask(_PROFILER, "/profile", run=run, profile=path)
        if state["state"] != "reading":
            return
        if time.monotonic() > until:
            raise Unavailable(f"the profile {path!r} of run {run!r} is still being read: ask again")
        time.sleep(_PAUSE)


def _overview(ctx: PluginContext, run: str, path: str) -> Iterator[Row]:
    found: Any = ctx.ask(_PROFILER, "/overview", run=run, profile=path)
    yield "profile", path, run
    for one in ctx.findings([run], profile=path).each:
        saves = "" if one.saves is None else f" (saves up to {one.saves.high:.0%} of a step)"
        change = "" if one.change is None else f": {one.change}"
        yield "advice", one.severity, f"{one.saw}{change}{saves}"
    steps = found["steps"]
    if steps:
        yield "steps", "count", steps["count"]
        for name in _STEP_TIMES:
            if steps.get(name) is not None:
                yield "steps", name, steps[name] / _MILLION
        if steps.get("outliers"):
            yield "steps", "outliers", ", ".join(map(str, steps["outliers"][:20]))
    for share in found["shares"]:
        yield "time", share["category"], f"{share['time'] / _MILLION:.6g} ms, {share['share'] or 0.0:.1%}"
    if found["memory"]:
        peak = found["memory"]
        yield "memory", f"peak, {peak['label']}, {peak['device']}", f"{peak['value']:.0f} {peak['unit']}"
    for side, listing in found["biggest"].items():
        columns, rows = _table(listing)
        places = [columns.index(name) for name in _OF_BIGGEST if name in columns]
        for row in rows:
            cells = [
                f"{columns[place]} {_short(row[place])}" for place in places[1:] if row[place] is not None
            ]
            yield f"operator ({side})", row[places[0]], ", ".join(cells)


def _table(listing: Mapping[str, Any]) -> tuple[list[str], list[Row]]:
    """Columns and rows of a table, its times in ms."""
    columns = [str(column["name"]) for column in listing["columns"]]
    scales = [_MILLION if column["unit"] == "ns" else None for column in listing["columns"]]
    return columns, [_scaled(row, scales) for row in listing["rows"]]


def _scaled(row: Sequence[Any], scales: Sequence[float | None]) -> Row:
    return [
        value if scale is None or not isinstance(value, int | float) else value / scale
        for value, scale in zip(row, scales, strict=True)
    ]


def _known(value: object) -> object:
    return None if value == -1 else value  # a rank


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
