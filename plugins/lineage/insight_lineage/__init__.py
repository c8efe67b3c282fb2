"""Lineage: one table of all runs, with what they were made of and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from insight_core.plugin import (
    Cell,
    DataProvider,
    Plugin,
    PluginNameEnum,
    Route,
    RunColumn,
    RunColumns,
    hookimpl,
)
from insight_lineage.decoder import DECODER


def _routes(data: DataProvider) -> Sequence[Route]:
    from insight_lineage.routes import routes  # werkzeug: only where there is a host

    return routes(data)


def _is_active(data: DataProvider) -> bool:
    return bool(data.runs())  # a run without lineage has its scalars at least


def _listed(data: DataProvider) -> Iterable[RunColumn]:
    from insight_lineage.run_columns import listed  # werkzeug: only where there is a host

    return listed(data)


def _values(
    data: DataProvider, names: Sequence[str], runs: Sequence[str]
) -> Mapping[str, Mapping[str, Cell]]:
    from insight_lineage.run_columns import values

    return values(data, names, runs)


@hookimpl
def insight_run_columns() -> Iterable[RunColumns]:
    return [RunColumns(_listed, _values)]


@hookimpl
def insight_plugin() -> Plugin:
    return Plugin(
        name=PluginNameEnum.LINEAGE,
        title="Lineage",
        titles={"zh-CN": "溯源"},
        decoder=DECODER,
        routes=_routes,
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
        order=700,
    )
