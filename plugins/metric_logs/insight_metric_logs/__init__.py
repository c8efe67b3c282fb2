"""Reads metric logs of Lightning's CSVLogger, DVCLive, Hugging Face Trainer, and JSON lines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from insight_core.plugin import FileName, LogFormat, Messages, hookimpl
from insight_metric_logs import beginnings


@hookimpl
def insight_log_formats() -> Iterable[LogFormat]:
    """Formats of Lightning, DVCLive, Hugging Face Trainer and JSON lines."""
    return FORMATS


@hookimpl
def insight_messages() -> Iterable[Messages]:
    """The texts of damage in other languages."""
    return Messages.of(Path(__file__).parent / "locales")


FORMATS = (
    LogFormat(
        "Lightning CSVLogger",
        FileName("metrics.csv", makes_run=beginnings.of_csv),
        "insight_metric_logs.csv_log:read",
        version=2,
    ),
    LogFormat(
        "DVCLive",
        [
            FileName("plots/metrics/**/*.tsv", makes_run=beginnings.of_dvclive),
            FileName("plots/scalars/**/*.tsv", makes_run=beginnings.of_dvclive),
            FileName("dvclive/scalars/**/*.tsv", makes_run=beginnings.of_dvclive),
            FileName("dvclive/*.tsv", makes_run=beginnings.of_dvclive),
        ],
        "insight_metric_logs.dvclive:read",
    ),
    LogFormat(
        "Hugging Face Trainer",
        [
            FileName("trainer_state.json", makes_run=beginnings.of_trainer_state),
            FileName("checkpoint-*/trainer_state.json", makes_run=beginnings.of_trainer_state),
        ],
        "insight_metric_logs.trainer_state:read",
        version=2,
        newest_only=True,
    ),
    LogFormat(
        "JSON lines",
        FileName("metrics.jsonl", makes_run=beginnings.of_json_lines),
        "insight_metric_logs.json_lines:read",
    ),
)
