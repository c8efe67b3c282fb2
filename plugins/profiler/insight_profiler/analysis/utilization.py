"""Model and hardware FLOPs utilization of a step (MFU, HFU).

MFU as in "PaLM: Scaling Language Modeling with Pathways" (Chowdhery et al., 2022, appendix B): the operations
that the model needs, forward and backward, over those that the devices can do in the time of a step. HFU also
counts what is computed again: checkpoints of activations, and the scores of fused attention.

Counted are products of matrices, convolutions and attention, as ``torch.utils.flop_counter`` counts them:
masks of attention leave none out. Where types differ, the sum of the times that each would need at its own
peak is divided by the time of the step.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.device_peaks import PeakRate
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.operator_peaks import operator_peaks
from insight_profiler.analysis.outliers import middle_of
from insight_profiler.model import Profile, Side


@frozen
class StepUtilization:
    """Of a step: ``mfu`` and ``hfu`` (None: a peak is not known), ``model_flops`` and ``hardware_flops``, its
    time (ns), over how many devices, and which types are multiplied, the most operations first."""

    mfu: float | None
    hfu: float | None
    model_flops: float
    hardware_flops: float
    step_time: float
    devices: int
    types: list[str]


def step_utilization(profile: Profile, peak: PeakRate, measured: int | None = None) -> StepUtilization | None:
    """None without counted operations or without steps. Of a profile that says in which steps calls were,
    those between steps are left out; of others all operations are spread over the steps.

    ``measured``: how long a step takes without the profiler (ns); else the median of those in the profile.
    """
    steps, operators = profile.tables.get("steps"), profile.tables.get("operators")
    if steps is None or operators is None:
        return None
    step_time = measured or middle_of(steps["duration"])
    flops = np.nan_to_num(operators["flops"]).clip(0)
    if not step_time or not flops.any():
        return None
    part = _in_steps(profile) / len(steps["number"])
    flops = flops * part
    if not flops.any():
        return None
    model = flops - np.nan_to_num(operators["repeated"]).clip(0) * part
    peaks = operator_peaks(profile, peak)
    counted = flops > 0
    devices = devices_used(profile)

    def share(operations: NDArray[np.float64]) -> float | None:
        if not np.isfinite(peaks.rate[counted]).all():
            return None
        seconds = float((operations[counted] / peaks.rate[counted]).sum())
        return seconds * 1e9 / (float(step_time) * devices)

    by_type = np.bincount(peaks.precision[counted], flops[counted], len(InputType))
    return StepUtilization(
        share(model),
        share(flops),
        float(model.sum()),
        float(flops.sum()),
        float(step_time),
        devices,
        [InputType(at).name.lower() for at in np.argsort(-by_type).tolist() if by_type[at] > 0],
    )


def _in_steps(profile: Profile) -> NDArray[np.float64]:
    """float64[operators]: the share of the calls of each that lies in steps; 1 where that is not known."""
    count = len(profile.tables["operators"]["calls"])
    slices = profile.tables.get("slices")
    whole = np.ones(count)
    if slices is None:
        return whole
    rows = np.flatnonzero(slices["operator"] >= 0)
    places = slices["operator"][rows]
    calls = np.bincount(places, minlength=count)
    inside = np.bincount(places[slices["step"][rows] >= 0], minlength=count)
    return np.divide(inside, calls, out=whole, where=calls > 0) if inside.any() else whole


def devices_used(profile: Profile) -> int:
    """How many devices work in a profile, at least 1."""
    kernels, operators = profile.tables.get("kernels"), profile.tables["operators"]
    used = operators["device"][operators["side"] == Side.DEVICE] if kernels is None else kernels["device"]
    return max(1, len(np.unique(used[used >= 0])))
