"""Recording of trainings into event files, from any Python program: numpy alone is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insight_core.recording.collector import SummaryCollector as SummaryCollector
    from insight_core.recording.summary_record import SummaryRecord as SummaryRecord

_LAZY = {
    "SummaryRecord": "insight_core.recording.summary_record",
    "SummaryCollector": "insight_core.recording.collector",
}


def __getattr__(name: str) -> object:
    """Imports what is asked for: readers of such files need no writer."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(_LAZY[name]), name)
    return found
