"""Columns of the run table with the origin of imported runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from insight_core.plugin import Cell, PluginContext, RunColumn
from insight_importers.cells import loaded

_TITLES = {  # in the order of the columns
    "tracker": ("Tracker", "来源"),
    "project": ("Project", "项目"),
    "name": ("Name in the tracker", "原名称"),
    "group": ("Group", "分组"),
    "job_type": ("Job type", "任务类型"),
    "tags": ("Tags", "标签"),
    "id": ("Id", "编号"),
    "sweep": ("Sweep", "超参搜索"),
    "user": ("User", "用户"),
    "host": ("Host", "主机"),
    "command": ("Command", "命令"),
    "git_commit": ("Git commit", "Git 提交"),
    "python": ("Python", "Python"),
    "platform": ("Platform", "平台"),
    "gpu": ("GPU", "GPU"),
}


def _origins(ctx: PluginContext, runs: Sequence[str] | None = None) -> dict[str, dict[str, Any]]:
    """Reads the origin of each imported run, by run."""
    found = {}
    for info in ctx.own.series(runs=runs):
        try:
            origin = loaded(info.content)
        except ValueError:  # a log may say anything
            continue
        if isinstance(origin, dict):
            found[info.key.run] = origin
    return found


def listed(ctx: PluginContext) -> Iterable[RunColumn]:
    """The columns that any run has now."""
    known = {name for origin in _origins(ctx).values() for name in origin}
    return [
        RunColumn(
            name, title, titles={"zh-CN": chinese}, group="origin", at_first=name in ("tracker", "project")
        )
        for name, (title, chinese) in _TITLES.items()
        if name in known
    ]


def values(ctx: PluginContext, names: Sequence[str], runs: Sequence[str]) -> Mapping[str, Mapping[str, Cell]]:
    """The cells of these columns by run."""
    origins = _origins(ctx, runs)
    return {
        name: {run: str(origin[name]) for run, origin in origins.items() if name in origin} for name in names
    }
