"""Which step the slices of a profile belong to, how long steps take, and what they were spent on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived.collected import Collected
from insight_profiler.derived.columns import Columns
from insight_profiler.derived.steps import exclusive_times, needs_shares, step_of
from insight_profiler.model import Category, Source

# have of the host what it annotates and what it calls of the runtime, which not every recording includes
_ANNOTATED = {Source.NSIGHT, Source.PERFETTO, Source.ROCPD}
_LAG = 0.02  # of the time of a step, by which a device that lags ends later than the host
_BUSY = 0.9  # of the time: a device that works for so long is the bottleneck
_BEHIND = 0.1  # of the time of the steps by which a device may fall behind the host


def divide_steps(
    steps: Columns,
    slices: Columns,
    launched: NDArray[np.int32],
    building: Collected,
    is_device: NDArray[np.bool_],
    is_work: NDArray[np.bool_],
) -> None:
    """Sets the step of each slice (of work of a device, that in which it was launched), and what the steps
    were spent on. Where the device lags behind the host, steps are those of the device.

    ``launched``: the row of the slice that launched each work, or -1; bool[tracks] ``is_device``: tracks of
    devices other than a CPU; bool[slices] ``is_work``: work of a device.
    """
    is_torch = building.source is Source.TORCH and bool((launched[is_work] >= 0).any())
    times = slices["start"][np.where(launched >= 0, launched, np.arange(len(launched)))].astype(np.int64)
    if is_torch:
        _set_unknown_launches(times, slices["track"], launched, is_work)
    slices["step"] = step_of(times, steps["start"], steps["duration"])
    known = np.flatnonzero((steps["start"] >= 0) & (steps["duration"] >= 0))
    if not len(known) or not needs_shares(steps):
        return
    if is_torch:
        _set_pace(steps, known, slices, times, is_work)
    # annotations of whole ranges are not work: scope layers, and names on device tracks
    is_thread = np.array([track.kind == "thread" for track in building.tracks] or [False])
    plain = (is_thread & ~is_device)[slices["track"]]
    counts = (slices["marker"] == 0) & ((slices["category"] != Category.OTHER) | plain)
    if building.source in _ANNOTATED and (slices["category"][counts] == Category.OTHER).all():
        return  # nothing says what happens between annotations
    shares = exclusive_times(
        slices["category"][counts],
        slices["start"][counts],
        slices["duration"][counts],
        steps["start"][known],
        steps["duration"][known],
    )
    for name, column in shares.items():
        steps[name][known] = column


def _set_unknown_launches(
    times: NDArray[np.int64],
    track: NDArray[np.int32],
    launched: NDArray[np.int32],
    is_work: NDArray[np.bool_],
) -> None:
    """Work whose launch the log does not have was launched no earlier than the one before it on its stream;
    the first of a stream was launched before the recording (-1)."""
    known = launched >= 0
    works = np.flatnonzero(is_work)  # by track and start, as all slices are
    streams = track[works]
    last = np.maximum.accumulate(np.where(known[works], np.arange(len(works)), -1))
    is_same = (last >= 0) & (streams[np.maximum(last, 0)] == streams)
    follows = np.where(is_same, times[works[np.maximum(last, 0)]], -1)
    has_known = np.isin(streams, np.unique(streams[known[works]]))
    times[works] = np.where(known[works] | ~has_known, times[works], follows)


def _set_pace(
    steps: Columns,
    known: NDArray[np.intp],
    slices: Columns,
    times: NDArray[np.int64],
    is_work: NDArray[np.bool_],
) -> None:
    """Makes steps begin and end as the device does, where it lags: from the end of all that was launched
    before a step to the end of what it launches. The host's times go to columns of their own."""
    works = np.flatnonzero(is_work)
    works = works[np.argsort(times[works], kind="stable")]
    at, begins = times[works], slices["start"][works].astype(np.int64)
    ends = begins + slices["duration"][works]
    reach = np.concatenate(([-1], np.maximum.accumulate(ends)))
    starts = steps["start"][known].astype(np.int64)
    stops = starts + steps["duration"][known]
    first, last = np.searchsorted(at, starts, "left"), np.searchsorted(at, stops, "left")
    if (first == last).any():  # a step without work of the device
        return
    from_, until = np.where(reach[first] < 0, starts, reach[first]), reach[last]
    pace, lag = until - from_, until - stops
    if (pace <= 0).any() or np.median(lag) < _LAG * np.median(stops - starts):
        return
    idle = exclusive_times(np.zeros(len(works), np.uint8), begins, ends - begins, from_, pace)["idle"]
    if np.median(idle / pace) > 1 - _BUSY and lag[-1] - lag[0] < _BEHIND * (stops - starts).sum():
        return
    steps["host_start"][known], steps["host_duration"][known] = starts, stops - starts
    steps["start"][known], steps["duration"][known] = from_, pace
