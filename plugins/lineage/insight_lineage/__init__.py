"""Runs: one table of all of them, with what they were made of and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from insight_core.plugin import (
    CachePolicy,
    Cell,
    Messages,
    Plugin,
    PluginContext,
    PluginNameEnum,
    ReasonKind,
    RecordDecoder,
    RunColumn,
    RunColumns,
    hookimpl,
)
from insight_core.plugin.findings import Rule
from insight_core.plugin.sql import QueryTable
from insight_lineage.claims import HPARAMS, LINEAGE_FILE

_TITLE = ReasonKind("lineage_best_title", "Best run")


def _is_active(ctx: PluginContext) -> bool:
    return bool(ctx.data.runs())  # a run without lineage has its scalars at least


def _listed(ctx: PluginContext) -> Iterable[RunColumn]:
    from insight_lineage.run_columns import listed  # werkzeug: only where there is a host

    return listed(ctx)


def _values(
    ctx: PluginContext, names: Sequence[str], runs: Sequence[str]
) -> Mapping[str, Mapping[str, Cell]]:
    from insight_lineage.run_columns import values

    return values(ctx, names, runs)


@hookimpl
def insight_run_columns() -> Iterable[RunColumns]:
    """Columns of hyperparameters, data sets, models and metrics for the run table."""
    return [RunColumns(_listed, _values)]


@hookimpl
def insight_tables() -> Iterable[QueryTable]:
    """Hyperparameters and metrics for SQL."""
    of_runs = "insight_lineage.query_table"
    text = "a run with hyperparameters, data sets, a model or metrics: a column for each"
    return [QueryTable("hparams", text, f"{of_runs}:columns", f"{of_runs}:rows")]


@hookimpl
def insight_rules() -> Iterable[Rule]:
    """The best run, and what the two best do differently."""
    return [Rule("best", _TITLE, "insight_lineage.highlights:found", scope="runs")]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """Texts of damage in lineage files, and of findings."""
    return Messages.of(Path(__file__).parent / "locales")


@hookimpl
def insight_plugin() -> Plugin:
    """Lineage files of MindSpore and hparams of TensorBoard."""
    return Plugin(
        name=PluginNameEnum.LINEAGE,
        title="Runs",
        titles={"zh-CN": "训练"},
        decoder=RecordDecoder(
            claims={LINEAGE_FILE, HPARAMS},
            decode="insight_lineage.decoder:decoded",
            check="insight_lineage.decoder:flaws",
            last_content=True,
        ),
        cache=CachePolicy(payload_bytes=0),  # the table of runs holds them
        routes="insight_lineage.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active=_is_active,
        run_state={"diff": "{runs}"},
        services={"hyperparameters": "insight_lineage.run_columns:hyperparameters"},
        tab_group="runs",
        order=1100,
    )
