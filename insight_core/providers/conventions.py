"""The order of runs, and the error for an unknown series, which are the same in every provider."""

from __future__ import annotations

import math
from collections.abc import Iterable

from insight_core.plugin import NotFound, Run, SeriesKey


def by_start_time(runs: Iterable[Run]) -> list[Run]:
    """The runs, earliest first; runs without a start time come last, by name."""
    return sorted(runs, key=lambda run: (math.inf if run.start_time is None else run.start_time, run.name))


def unknown_series(plugin: str, key: SeriesKey) -> NotFound:
    """The error for a key under which the plugin has no records."""
    text = f"plugin {plugin} has no records under {key.tag!r} of run {key.run!r}"
    return NotFound(text, code="unknown_series", run=key.run, tag=key.tag)
