"""Records trainings into event files, from any Python program; needs only numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insight_record.collector import SummaryCollector as SummaryCollector
    from insight_record.summary_record import SummaryRecord as SummaryRecord
    from insight_record.summary_writer import SummaryWriter as SummaryWriter

_LAZY = {
    "SummaryRecord": "insight_record.summary_record",
    "SummaryCollector": "insight_record.collector",
    "SummaryWriter": "insight_record.summary_writer",
}


def __getattr__(name: str) -> object:
    """Imports classes on first use, because readers of event files do not need the writers."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(_LAZY[name]), name)
    return found
