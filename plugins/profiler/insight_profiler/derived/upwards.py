"""Walks from slices to those around them: compiled functions."""

from __future__ import annotations

from insight_core.plugin.lab import NotCompiled

try:
    from insight_profiler.derived._upwards import holds_marked as holds_marked
    from insight_profiler.derived._upwards import nearest_marked as nearest_marked
    from insight_profiler.derived._upwards import summed_upwards as summed_upwards
except ModuleNotFoundError as error:
    raise NotCompiled("insight_profiler.derived._upwards") from error
