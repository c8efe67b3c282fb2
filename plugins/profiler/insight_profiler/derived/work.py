"""Tells which slices are work of devices, and which calls launched them: one answer for all rooms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived.upwards import nearest_marked
from insight_profiler.model import Category, Device, FlowKind, Table, Track

_OF_DEVICES = (Category.KERNEL, Category.MEMCPY, Category.MEMSET)


def device_tracks(tracks: Sequence[Track], devices: Sequence[Device]) -> NDArray[np.bool_]:
    """bool[tracks]: those of devices other than a CPU; one False where there are no tracks."""
    is_device = np.array([device.kind != "cpu" for device in devices] + [False])
    found: NDArray[np.bool_] = is_device[[track.device for track in tracks] or [-1]]
    return found


def is_work(slices: Table, of_devices: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[slices]: work of devices. Kernels, copies and fills are by their category; communication is where
    it runs on a track of a device (``of_devices``: bool[tracks]), else threads of the host communicate."""
    category = slices["category"]
    communicates = (category == Category.COMMUNICATION) & of_devices[slices["track"]]
    return np.asarray(np.isin(category, _OF_DEVICES) | communicates)


def by_operator(slices: Table) -> NDArray[np.bool_]:
    """bool[slices]: calls of operators, and all that these call."""
    is_operator = slices["operator"] >= 0
    return np.asarray(is_operator | (nearest_marked(is_operator, slices["parent"]) >= 0))


def launching_calls(
    slices: Table, flows: Table, work: NDArray[np.bool_], first: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:
    """int32[slices]: the row of the call of the host that launched each work, -1 where no flow says it.

    Of several calls one of ``first`` (bool[slices]) counts, then one of the runtime, then one that began
    before the work, then the last: where a thread of its own launches work (CANN), one flow comes from its
    call of the runtime and another from the operator, which is ``by_operator``. Traces lead the flow of a
    launch that has several targets (a CUDA graph) from one target to the next: these have the call that
    launched the first.
    """
    found = np.full(len(work), -1, np.int32)
    source, target = (flows[name].astype(np.int64) for name in ("source", "target"))
    launches = np.flatnonzero((flows["kind"] == FlowKind.LAUNCH) & work[target])
    source, target = source[launches], target[launches]
    starts = slices["start"]
    is_runtime = slices["category"][source] == Category.RUNTIME
    keys = [starts[source], starts[source] <= starts[target], is_runtime]
    order = np.lexsort(keys if first is None else [*keys, first[source]])  # the last one counts
    source, target = source[order], target[order]
    is_call = ~work[source]
    found[target[is_call]] = source[is_call]
    if is_call.all():
        return found
    before = np.full(len(work), -1, np.int32)
    before[target[~is_call]] = source[~is_call]
    for _ in range(len(launches).bit_length()):  # each round is twice as far along a flow; circles end too
        rows = np.flatnonzero((found < 0) & (before >= 0))
        if not len(rows):
            break
        found[rows] = found[before[rows]]
        before[rows] = before[before[rows]]
    return found
