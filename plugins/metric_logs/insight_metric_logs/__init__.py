"""Reads tables of metrics and files of settings as other programs write them."""

from __future__ import annotations

from collections.abc import Iterable

from insight_core.plugin import LogFormat, hookimpl
from insight_metric_logs.settings import SETTINGS
from insight_metric_logs.tables import TABLES


@hookimpl
def insight_log_formats() -> Iterable[LogFormat]:
    """Tables and settings of the programs that the README lists."""
    return FORMATS


FORMATS = (*TABLES, *SETTINGS)
