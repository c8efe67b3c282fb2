"""Sums up the segments of a snapshot and their blocks, as ``torch.cuda.memory_stats`` counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.reading.snapshot_events import Cells, where

ALLOCATED = ("active_allocated", "allocated")
_PENDING = ("active_pending_free", "active_awaiting_free")


def pools_of(segments: Cells, blocks: Cells, states: list[str]) -> list[dict[str, Any]]:
    """The pools of one device, by stream (``insight_profiler.analysis.pool.pools``). ``states`` are those of
    all blocks."""
    state = np.array(states, object)
    size = np.maximum(blocks["size"], 0)
    asked = np.where(blocks["requested_size"] >= 0, blocks["requested_size"], size)
    is_allocated = _is(state, ALLOCATED)
    is_free = ~is_allocated & ~_is(state, _PENDING)
    found = []
    for stream in np.unique(segments["stream"]).tolist():
        mine = where(segments, segments["stream"] == stream)
        inside = np.isin(blocks["list"], mine["blocks"])
        used = np.isin(mine["blocks"], blocks["list"][inside & ~is_free])
        free = inside & is_free
        without_blocks = mine["total_size"][~np.isin(mine["blocks"], blocks["list"])]
        found.append(
            {
                "stream": int(stream),
                "segments": len(mine["total_size"]),
                "reserved": int(mine["total_size"].sum()),
                "allocated": int(size[inside & is_allocated].sum()),
                "pending": int(size[inside & ~is_allocated & ~is_free].sum()),
                "requested": int(asked[inside & is_allocated].sum()),
                "free_blocks": int(free.sum()) + len(without_blocks),
                "largest_free": max(int(size[free].max(initial=0)), int(without_blocks.max(initial=0))),
                "unused_segments": int(mine["total_size"][~used].sum()),
            }
        )
    return found


def _is(state: NDArray[np.object_], names: tuple[str, ...]) -> NDArray[np.bool_]:
    return np.isin(state, np.array(names, object)) if len(state) else np.zeros(0, bool)
