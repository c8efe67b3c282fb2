"""The tables ``profiles`` and ``operators`` of SQL."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from insight_core.plugin import NotFound, PluginContext, PluginNameEnum, ReasonKind, Unavailable
from insight_core.plugin.sql import QueryColumn, Rows, WantedRows

_NAME = PluginNameEnum.PROFILER
_PATIENCE = 20.0  # seconds for profiles that are being read
_PAUSE = 0.1  # seconds between two looks
_TIMES = ("total", "self", "average", "minimum", "maximum", "p95")

_OF_PROFILE = [
    QueryColumn("run", "text", "name of the run"),
    QueryColumn("profile", "text", "its file or directory"),
]
PROFILES: Sequence[QueryColumn] = [
    *_OF_PROFILE,
    QueryColumn("source", "text", "what wrote it, such as torch"),
    QueryColumn("bytes", "integer", "of its files"),
    QueryColumn("wall_time", "number", "when it was written, seconds since the epoch"),
    QueryColumn("state", "text", "reading, ready or failed"),
    QueryColumn("failure", "text", "why it cannot be read"),
]
OPERATORS: Sequence[QueryColumn] = [
    *_OF_PROFILE,
    QueryColumn("side", "text", "host or device"),
    QueryColumn("operator", "text", "its type, such as aten::mm"),
    QueryColumn("members", "integer", "different operators of the type"),
    QueryColumn("calls", "integer"),
    *(QueryColumn(f"{name}_ns", "number", "nanoseconds") for name in _TIMES),
    QueryColumn("share", "number", "of the time of all operators, 0 to 1"),
    QueryColumn("per_step", "number", "calls of a step"),
]
_BEING_READ = ReasonKind("profiler_being_read", "{profile} is being read: ask again")


def profiles(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Every profile, with its state."""
    found = [(one, _look(ctx, one)) for one in _listed(ctx, wanted)]
    yield {
        **{
            name: [one[name] for one, _ in found]
            for name in ("run", "profile", "source", "bytes", "wall_time")
        },
        "state": [None if look is None else look["state"] for _, look in found],
        "failure": [look["failure"]["text"] if look and look["failure"] else None for _, look in found],
    }


def operators(ctx: PluginContext, wanted: WantedRows) -> Iterator[Rows]:
    """Operators by type of every profile that can be read; waits for those that are being read.

    Raises Unavailable if one is still being read after twenty seconds: then ask again.
    """
    until = time.monotonic() + _PATIENCE
    for one in _listed(ctx, wanted):
        while (look := _look(ctx, one)) is not None and look["state"] == "reading":
            if time.monotonic() > until:
                raise Unavailable(_BEING_READ(profile=str(one["profile"])))
            time.sleep(_PAUSE)
        if look is None or look["state"] != "ready" or "operators" not in look["views"]:
            continue
        first = _operators(ctx, one)
        for side in first["sides"]:
            yield _rows(one, side, first if side == first["side"] else _operators(ctx, one, side=side))


def _rows(profile: Mapping[str, Any], side: str, table: Mapping[str, Any]) -> Rows:
    names = [column["name"] for column in table["columns"]]
    columns = dict(zip(names, zip(*table["rows"], strict=True), strict=True)) if table["rows"] else {}
    count = len(table["rows"])
    nothing = [None] * count
    return {
        "run": [profile["run"]] * count,
        "profile": [profile["profile"]] * count,
        "side": [side] * count,
        "operator": columns.get("type", columns.get("name", nothing)),
        **{name: columns.get(name, nothing) for name in ("members", "calls", "share", "per_step")},
        **{f"{name}_ns": columns.get(name, nothing) for name in _TIMES},
    }


def _listed(ctx: PluginContext, wanted: WantedRows) -> Iterator[Mapping[str, Any]]:
    tables = ctx.own.series_tables()
    for run in wanted.of("run", sorted(table.run for table in tables)):
        answer: Any = ctx.ask(_NAME, "/profiles", run=run)
        names = {one["profile"]: one for one in answer["profiles"]}
        for name in wanted.of("profile", list(names)):
            yield names[name]


def _look(ctx: PluginContext, one: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The state of a profile, None if it is gone."""
    try:
        answer: Any = ctx.ask(_NAME, "/profile", run=one["run"], profile=one["profile"])
    except NotFound:
        return None
    found: Mapping[str, Any] = answer
    return found


def _operators(ctx: PluginContext, one: Mapping[str, Any], **more: str) -> Mapping[str, Any]:
    answer: Any = ctx.ask(_NAME, "/operators", run=one["run"], profile=one["profile"], by="type", **more)
    found: Mapping[str, Any] = answer
    return found
