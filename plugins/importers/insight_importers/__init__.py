"""Reads the runs that other trackers stored: W&B, Trackio, MLflow, SwanLab, VisualDL, Optuna, Aim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from insight_core.plugin import (
    Cell,
    FileName,
    Messages,
    Plugin,
    PluginContext,
    RecordDecoder,
    RunColumn,
    RunColumns,
    StoreFormat,
    SummaryPlugin,
    hookimpl,
)
from insight_importers import beginnings

_HERE = "insight_importers"
_VERSION = 3  # of the event files and the state of a store


def _no_tab(ctx: PluginContext) -> bool:
    return False


def _listed(ctx: PluginContext) -> Iterable[RunColumn]:
    from insight_importers.run_columns import listed

    return listed(ctx)


def _values(
    ctx: PluginContext, names: Sequence[str], runs: Sequence[str]
) -> Mapping[str, Mapping[str, Cell]]:
    from insight_importers.run_columns import values

    return values(ctx, names, runs)


@hookimpl
def insight_plugin() -> Plugin:
    """No tab: what imported runs say of their origin, for columns of the run table."""
    return Plugin(
        name="importers",
        title="Importers",
        titles={"zh-CN": "导入"},
        decoder=RecordDecoder(claims={SummaryPlugin("import")}, last_content=True),
        is_active=_no_tab,
    )


@hookimpl
def insight_run_columns() -> Iterable[RunColumns]:
    """Tracker, project, name, group, tags and others."""
    return [RunColumns(_listed, _values)]


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of damage in other languages."""
    return Messages.of(Path(__file__).parent / "locales")


@hookimpl
def insight_log_formats() -> Iterable[StoreFormat]:
    """The stores of other trackers."""
    return FORMATS


FORMATS = (
    StoreFormat(
        "W&B",
        FileName("*/*.wandb", makes_run=beginnings.of_wandb),
        f"{_HERE}.wandb_store:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "W&B log",
        FileName("*.wandb", makes_run=beginnings.of_wandb),
        f"{_HERE}.wandb_store:translate_alone",
        version=_VERSION,
    ),
    StoreFormat(
        "W&B history export",
        FileName("*.runhistory.parquet"),
        f"{_HERE}.wandb_exports:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "SQLite of Trackio, MLflow, Optuna or SwanLab",
        [
            FileName(name, makes_run=beginnings.of_sqlite)
            for name in ("*.db", "*.sqlite", "*.sqlite3", "runs.swanlab")
        ],
        f"{_HERE}.databases:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "MLflow file store",
        [
            FileName("*/meta.yaml", makes_run=beginnings.of_mlflow_experiment),
            FileName("meta.yaml", makes_run=beginnings.of_mlflow_experiment),
        ],
        f"{_HERE}.mlflow_files:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "SwanLab",
        [
            FileName("*/*.swanlab", makes_run=beginnings.of_swanlab),
            FileName("*.swanlab", makes_run=beginnings.of_swanlab),
        ],
        f"{_HERE}.swanlab_store:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "VisualDL",
        FileName("*vdlrecords*", makes_run=beginnings.of_visualdl),
        f"{_HERE}.visualdl_store:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "Optuna journal",
        [
            FileName(f"*.{suffix}", begins=beginnings.of_optuna_journal)
            for suffix in ("log", "journal", "jsonl")
        ],
        f"{_HERE}.optuna_journal:translate",
        version=_VERSION,
    ),
    StoreFormat(
        "Aim export",
        FileName("*.aim.jsonl", makes_run=beginnings.of_aim_export),
        f"{_HERE}.aim_store:translate",
        version=_VERSION,
    ),
)
