"""What the blocks of a report are made of: tags for charts, saved views, columns for a table of runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from insight_core.plugin import Get, InsightError, PluginContext, RunCells

CHARTS = "scalar"  # the plugin whose tags a chart is chosen from; cards of others come by their menus
_VIEW = "view/"  # names of saved views begin with it among what the page saves
_INPUTS = ("hyperparameter", "custom")
_MOST = 8  # columns of a table without a choice


def choices(get: Get) -> dict[str, Any]:
    """Returns what a report can have: ``charts`` (plugin and tag), ``views`` (name and state)."""
    try:
        tags = json.loads(get("/data/catalog", plugin=CHARTS).data)["tags"]
    except InsightError:
        tags = []  # a host without the plugin
    saved = json.loads(get("/data/saved/page").data)["entries"]
    names = [entry["name"] for entry in saved if entry["name"].startswith(_VIEW)]
    views = []
    for name in sorted(names):
        try:
            state = json.loads(get("/data/saved/page", name=name).data)["value"]["state"]
        except (InsightError, TypeError, KeyError):
            continue  # gone meanwhile, or no view
        views.append({"name": name.removeprefix(_VIEW), "state": state})
    return {"charts": [{"plugin": CHARTS, "tag": tag} for tag in tags], "views": views}


def run_cells(ctx: PluginContext[Any], names: Collection[str]) -> dict[str, Any]:
    """Returns columns of the run table for a block: ``names`` (``plugin/name``), and what tells runs apart.

    Each has ``key``, ``title``, ``titles``, ``kind``, ``group``, ``values`` by run, and ``usual``: it is one
    of those that a table has which names none. ``all`` are the columns that there are.
    """
    columns = ctx.run_columns(["all"])
    telling = _telling(columns)
    usual = {_key(column) for column in telling}
    shown = [*telling, *(one for one in columns if _key(one) in names and _key(one) not in usual)]
    return {
        "columns": [
            {
                "key": _key(column),
                "title": column.title,
                "titles": dict(column.titles),
                "kind": column.kind,
                "group": column.group,
                "usual": _key(column) in usual,
                "values": dict(column.values),
            }
            for column in shown
        ],
        "all": [{"key": _key(one), "title": one.title, "titles": dict(one.titles)} for one in columns],
    }


def _key(column: RunCells) -> str:
    return f"{column.plugin}/{column.name}"


def _telling(columns: Sequence[RunCells]) -> list[RunCells]:
    """Hyperparameters that differ, then metrics, or the last values of scalars if there are none."""
    inputs = [one for one in columns if one.group in _INPUTS and _differs(one.values)]
    results = [one for one in columns if one.group == "metric"]
    if not results:
        results = [one for one in columns if one.group == "scalar" and one.name.startswith("last/")]
    kept = min(len(results), _MOST // 2)
    return [*inputs[: _MOST - kept], *results[:kept]]


def _differs(values: Mapping[str, object]) -> bool:
    return len(set(map(str, values.values()))) > 1
