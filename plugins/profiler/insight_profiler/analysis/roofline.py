"""Roofline of a profile: operations and bytes of operators by shape, against the ceilings of the device.

As in "Roofline: An Insightful Visual Performance Model" (Williams, Waterman, Patterson; CACM 2009): no
operator is faster than its operations at the peak of the type that it multiplies, nor than its bytes at the
bandwidth of the memory. Bytes are a lower bound (``insight_profiler.reading.trace_traffic``), or those that
XLA says, so that an operator may lie further to the left than it is drawn.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import asdict
from numpy.typing import NDArray

from insight_profiler.analysis.ceilings import OwnCeilings, ceilings_of, described
from insight_profiler.analysis.device_peaks import PeakRate
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.operator_peaks import OperatorPeaks, counted_owners, operator_peaks
from insight_profiler.analysis.sums import numbered, sum_of
from insight_profiler.analysis.utilization import step_utilization
from insight_profiler.model import Profile, Side, Source

BOUND = 0.5  # of a ceiling: an operator that reaches it is bound by it
_MOST = 1.005  # of a ceiling: data sheets round
_MOST_ROWS = 500

_Floats = NDArray[np.float64]


def has_roofline(profile: Profile) -> bool:
    """Whether operations or bytes of some operator are known."""
    operators = profile.tables.get("operators")
    if operators is None:
        return False
    return bool(((operators["flops"] > 0) | (operators["traffic"] > 0)).any())


_RECORDED = {  # how operations are recorded, by texts of the page
    Source.TORCH: "torch",
    Source.XPLANE: "xla",
    Source.ASCEND: "npu",
    Source.MINDSPORE: "npu",
}


def missing_operations(profile: Profile) -> str | None:
    """How to record operations of a profile that has the work of a device and could have them; None for
    others. A text of the page."""
    operators = profile.tables.get("operators")
    if operators is None or has_roofline(profile):
        return None
    on_device = (operators["side"] == Side.DEVICE) | (operators["device_total"] > 0)
    return _RECORDED.get(profile.source) if on_device.any() else None


def roofline(profile: Profile, own: OwnCeilings, measured: int | None = None) -> dict[str, Any]:
    """``rows`` by operator, shapes and type, ``ceilings``, ``utilization`` of a step, and what is left out.

    A row has ``name, shapes, precision, calls, time`` (ns), ``flops``, ``traffic`` (bytes), ``intensity``
    (FLOP/byte), ``rate`` (FLOP/s), ``bandwidth`` (bytes/s), ``peak`` (FLOP/s), ``roof`` (``compute`` or
    ``memory``: the ceiling above it), ``reached`` (its share of that; above 1 it stands in ``above``),
    ``bound`` (the roof if half of it is reached, else ``neither``) and ``saving`` (ns of a step, at most).
    None: not known. ``measured`` is how long a step takes without the profiler, ns. ``time`` and ``known`` of
    the answer are of all operators and of the rows, ns. ``missing``: see ``missing_operations``.
    """
    peak = ceilings_of(profile, own)
    device = next((one.name for one in profile.devices if one.kind != "cpu"), None)
    facts = {
        "device": device,
        "ceilings": described(peak, own),
        "missing": missing_operations(profile),
    }
    if not has_roofline(profile):
        return {**facts, "steps": 0, "utilization": None, "rows": [], "time": 0, "known": 0, "left_out": 0}
    operators = profile.tables["operators"]
    times = _times(profile)
    chosen = (times > 0) & ((operators["flops"] > 0) | (operators["traffic"] > 0))
    peaks = operator_peaks(profile, peak)
    precision = np.where(operators["flops"] > 0, peaks.precision, -1)
    groups, firsts = numbered([operators["name"], operators["shapes"], precision], chosen)
    steps = profile.tables.get("steps")
    count = 1 if steps is None else max(1, len(steps["number"]))
    utilization = step_utilization(profile, peak, measured)
    whole = _whole(profile, times)
    rows = _rows(profile, groups, firsts, times, peaks, peak, count)
    return {
        **facts,
        "steps": count if steps is not None else 0,
        "utilization": None if utilization is None else asdict(utilization),
        "rows": rows,
        "time": whole,
        "known": int(times[chosen].sum()),
        "left_out": max(0, len(firsts) - len(rows)),
    }


def _times(profile: Profile) -> NDArray[np.int64]:
    """int64[operators]: ns of the work that operations and bytes belong to.

    Of an operator with operations all that it launched, of others what they launched themselves outside of
    these; without a device the time of the host.
    """
    operators = profile.tables["operators"]
    on_device = operators["side"] == Side.DEVICE
    is_counted = operators["flops"] > 0
    if on_device.any() or (operators["device_total"] > 0).any():
        whole = np.where(on_device, operators["self"], operators["device_total"])
        whole = np.where(on_device & (whole < 0), operators["total"], whole)
        own = np.where(on_device, whole, operators["device_self"])
    else:
        whole, own = operators["total"], operators["self"]
    owners = counted_owners(profile, operators)
    is_within = ~is_counted & (owners >= 0)
    found: NDArray[np.int64] = np.where(is_counted, whole, np.where(is_within, 0, own)).clip(0)
    return found


def _whole(profile: Profile, times: NDArray[np.int64]) -> int:
    """ns of all operators, each moment of a device or of the host counted once."""
    operators = profile.tables["operators"]
    on_device = operators["side"] == Side.DEVICE
    if on_device.any():
        own = np.where(operators["self"] >= 0, operators["self"], operators["total"])
        found = own[on_device]
    elif (operators["device_self"] > 0).any():
        found = operators["device_self"]
    else:
        found = operators["self"]
    return max(int(found.clip(0).sum()), int(times.max(initial=0)))


def _rows(
    profile: Profile,
    groups: NDArray[np.intp],
    firsts: NDArray[np.intp],
    times: NDArray[np.int64],
    peaks: OperatorPeaks,
    peak: PeakRate,
    steps: int,
) -> list[dict[str, Any]]:
    operators, count = profile.tables["operators"], len(firsts)
    flops = np.where(operators["flops"][firsts] > 0, sum_of(operators["flops"], groups, count), np.nan)
    traffic = sum_of(operators["traffic"], groups, count)
    traffic[~(traffic > 0)] = np.nan
    time = sum_of(times, groups, count).astype(np.float64)
    calls = sum_of(operators["calls"], groups, count)
    rate_limit = peaks.rate[firsts]
    at_peak, at_bandwidth = flops / rate_limit * 1e9, traffic / peak.memory * 1e9  # ns
    ideal = np.fmax(at_peak, at_bandwidth)
    is_memory = np.isfinite(at_bandwidth) & ~(at_peak > at_bandwidth)
    reached = ideal / time
    # a ceiling that is not known may be the lower one
    is_sure = np.isfinite(at_bandwidth) & (np.isfinite(at_peak) | np.isnan(flops)) | (reached >= BOUND)
    saving = np.where(is_sure, np.maximum(time - ideal, 0), np.nan) / steps
    order = np.argsort(-time, kind="stable")[:_MOST_ROWS].tolist()
    texts = profile.texts
    return [
        {
            "name": _text(texts, int(operators["name"][firsts[at]])),
            "shapes": _text(texts, int(operators["shapes"][firsts[at]])),
            "precision": InputType(int(peaks.precision[firsts[at]])).name.lower() if flops[at] > 0 else None,
            "calls": int(calls[at]),
            "time": float(time[at]),
            "flops": _number(flops[at]),
            "traffic": _number(traffic[at]),
            "intensity": _number(flops[at] / traffic[at]),
            "rate": _number(flops[at] / time[at] * 1e9),
            "bandwidth": _number(traffic[at] / time[at] * 1e9),
            "peak": _number(rate_limit[at]) if flops[at] > 0 else None,
            **_against(float(reached[at]), bool(is_memory[at]), bool(is_sure[at])),
            "saving": _number(saving[at]),
        }
        for at in order
    ]


def _against(reached: float, is_memory: bool, is_sure: bool) -> dict[str, Any]:
    """How near an operator comes to the ceiling above it."""
    roof = "memory" if is_memory else "compute"
    if not is_sure:
        return {"roof": None, "reached": None, "above": None, "bound": None}
    is_above = reached > _MOST
    return {
        "roof": roof,
        "reached": None if is_above else min(reached, 1.0),
        "above": reached if is_above else None,
        "bound": roof if reached >= BOUND else "neither",
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _text(texts: tuple[str, ...], place: int) -> str:
    return texts[place] if place >= 0 else ""
