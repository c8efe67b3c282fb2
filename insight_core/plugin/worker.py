"""Runs functions on input of others in processes with limits of memory, time and answer.

A host that decodes what others wrote, or computes for clients more than a view, calls such a function by its
name: ``Workers.call("package.module:function", arguments)``. What goes wrong there ends there.
"""

from __future__ import annotations

from insight_core.machine import physical_memory
from insight_core.worker.decoding import SMALL, decode_apart
from insight_core.worker.job import PieceSource, WorkerFailed, WorkerJob, WorkerLimits
from insight_core.worker.job import WorkerSource as WorkerSource
from insight_core.worker.link import HostGone, WorkerLink
from insight_core.worker.pool import Workers

__all__ = [
    "SMALL",
    "HostGone",
    "PieceSource",
    "WorkerFailed",
    "WorkerJob",
    "WorkerLimits",
    "WorkerLink",
    "Workers",
    "decode_apart",
    "physical_memory",
]
