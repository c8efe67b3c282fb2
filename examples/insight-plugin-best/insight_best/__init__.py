"""The lowest value of each scalar series: a tab, a run column, and what the page half adds to the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from insight_core.plugin import Cell, Plugin, RunColumn, hookimpl
from insight_core.plugin.data import DataProvider, ScalarQuery


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name="best",
        title="Best",
        titles={"zh-CN": "最优"},
        routes="insight_best.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active=lambda ctx: bool(ctx.data.series("scalar")),
    )


def _lowest(data: DataProvider, runs: Sequence[str]) -> Mapping[str, Cell]:
    """The lowest loss by run."""
    keys = [info.key for info in data.series("scalar", runs=runs) if info.key.tag == "loss"]
    # one column of a plot has the smallest value of the series, exact
    found = data.scalars("scalar", keys, ScalarQuery(width=1))
    return {key.run: float(columns.values.min()) for key, columns in found.items() if len(columns.values)}


@hookimpl
def insight_run_columns() -> Iterable[RunColumn]:
    return [RunColumn("lowest_loss", "Lowest loss", _lowest, titles={"zh-CN": "最低损失"}, kind="number")]
