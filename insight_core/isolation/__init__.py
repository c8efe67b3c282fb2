"""Calls into the code of plugins, ours and TensorBoard's: in threads of the plugin, with a deadline for each.

A plugin that hangs, fails or exits is one failed call. What cannot be contained: docs/writing_a_plugin.md.
"""

from __future__ import annotations

from insight_core.isolation.calls import DEFAULT_LIMITS, Body, Call, Calls, Limits, in_turn, waiting_elsewhere
from insight_core.isolation.errors import Busy, Crashed, Overdue, in_one_line, request_line, reraise

__all__ = [
    "DEFAULT_LIMITS",
    "Body",
    "Busy",
    "Call",
    "Calls",
    "Crashed",
    "Limits",
    "Overdue",
    "in_one_line",
    "in_turn",
    "request_line",
    "reraise",
    "waiting_elsewhere",
]
