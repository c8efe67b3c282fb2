"""Data preparation: operators of the pipeline, queues, processors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.model import Profile

_MOST_BATCHES = 100_000  # of all queues


def queue_columns(profile: Profile) -> list[dict[str, Any]]:
    """Each queue with its batches, in the order of the log: waits (ns) and how full it was. Very many batches
    are evenly chosen; ``batches`` counts all of them."""
    table = profile.tables.get("batches")
    if table is None:
        return []
    queues = np.unique(table["queue"])
    most = max(1, _MOST_BATCHES // len(queues))
    return [
        {
            "name": profile.texts[queue] if queue >= 0 else "",
            "batches": len(rows),
            "empty": _empty(profile, rows),
            **{
                name: [None if value < 0 else value for value in table[name][_some(rows, most)].tolist()]
                for name in ("number", "get", "push", "total", "queue_size", "queue_capacity")
                if (table[name][rows] >= 0).any()
            },
        }
        for queue in queues.tolist()
        for rows in [np.flatnonzero(table["queue"] == queue)]
    ]


def _some(rows: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)] if len(rows) > most else rows


def empty_share(profile: Profile) -> dict[str, float]:
    """Of each queue of which the fill is known: the share of its batches that found it empty."""
    return {
        queue["name"]: queue["empty"] / queue["batches"]
        for queue in queue_columns(profile)
        if queue["empty"] is not None and queue["batches"]
    }


def _empty(profile: Profile, rows: NDArray[np.intp]) -> int | None:
    sizes = profile.tables["batches"]["queue_size"][rows]
    return int((sizes == 0).sum()) if (sizes >= 0).any() else None
