"""How well a device is used: figures that rules compare with their limits, whatever they find."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.products import on_matrix_units, products
from insight_profiler.analysis.flops import flops_answer, has_flops
from insight_profiler.model import Category


def figures(evidence: Evidence) -> dict[str, float]:
    """Shares from 0 to 1 by name, of the steps that count; those that the profile does not tell are left out.

    - ``busy``: of the time, a device works
    - ``late``: of the time, it is idle because the host launches too late
    - ``waiting``: of the time, it is idle although work was launched
    - ``matrix``: of the time of kernels, matrix products and convolutions
    - ``tensor_cores``: of the time of these, on tensor cores (matrix cores, cube units)
    - ``sm_efficiency``: of the processors, those that have blocks while kernels run, weighted by time
    - ``occupancy``: as the profiler estimates it for each kernel, weighted by time
    - ``of_peak``: of the operations of the device's peak, those of operators while their kernels run
    - ``exposed_communication`` and ``exposed_copies``: of the time, while no kernel runs
    """
    try:
        evidence.work  # noqa: B018
    except NotChecked:
        return {}
    found = {name: figure(evidence) for name, figure in _FIGURES.items()}
    return {name: value for name, value in found.items() if value is not None}


def processors(evidence: Evidence) -> int | None:
    """How many processors (SMs) the device has, None if that is not known; XLA has a word of its own."""
    facts = evidence.facts()
    found = [facts.get(name) for name in ("numSms", "core_count")]
    return next((int(one) for one in found if isinstance(one, int | float) and one > 0), None)


def sm_efficiency(evidence: Evidence) -> float | None:
    """The mean share of the processors of the device that have blocks, weighted by the time of kernels."""
    count = processors(evidence)
    if count is None or "kernels" not in evidence.profile.tables:
        return None
    blocks = blocks_of(evidence)[evidence.slices["kernel"][evidence.compute]]
    weights = evidence.slices["duration"][evidence.compute]
    known = blocks > 0
    if not weights[known].sum():
        return None
    return float(np.average(np.minimum(blocks[known] / count, 1.0), weights=weights[known]))


def blocks_of(evidence: Evidence) -> NDArray[np.float64]:
    """float64[kernels]: blocks of each kernel, by its grid; 0 where it is not known."""
    places, inverse = np.unique(evidence.profile.tables["kernels"]["grid"], return_inverse=True)
    sizes = []
    for place in places.tolist():
        text = evidence.text(place)
        sizes.append(float(np.prod([int(size) for size in re.findall(r"\d+", text)])) if text else 0.0)
    return np.array(sizes)[inverse.reshape(-1)] if sizes else np.zeros(0)


def _occupancy(evidence: Evidence) -> float | None:
    kernels = evidence.profile.tables.get("kernels")
    if kernels is None:
        return None
    values = kernels["occupancy"][evidence.slices["kernel"][evidence.compute]]
    weights = evidence.slices["duration"][evidence.compute]
    known = np.isfinite(values)
    return float(np.average(values[known], weights=weights[known])) / 100 if weights[known].sum() else None


def _matrix(evidence: Evidence) -> float | None:
    whole = evidence.time(evidence.compute)
    return evidence.time(products(evidence, evidence.compute)) / whole if whole else None


def _tensor_cores(evidence: Evidence) -> float | None:
    rows = products(evidence, evidence.compute)
    whole = evidence.time(rows)
    return evidence.time(on_matrix_units(evidence, rows)) / whole if whole else None


def _exposed(category: Category) -> Callable[[Evidence], float | None]:
    def share(evidence: Evidence) -> float | None:
        rows = evidence.of(category)
        return evidence.exposed(rows) / evidence.whole if len(rows) else None

    return share


def _late(evidence: Evidence) -> float | None:
    return evidence.late / evidence.whole if (evidence.launchers >= 0).any() else None


def _waiting(evidence: Evidence) -> float | None:
    if not (evidence.launchers >= 0).any():
        return None
    return int(evidence.gaps.waiting.sum()) / evidence.whole


def _of_peak(evidence: Evidence) -> float | None:
    if not has_flops(evidence.profile):
        return None
    share = flops_answer(evidence.profile).get("summary", {}).get("utilization")
    return float(share) if isinstance(share, int | float) else None


_FIGURES: Mapping[str, Callable[[Evidence], float | None]] = {
    "busy": lambda evidence: 1 - evidence.idle_share,
    "late": _late,
    "waiting": _waiting,
    "of_peak": _of_peak,
    "matrix": _matrix,
    "tensor_cores": _tensor_cores,
    "sm_efficiency": sm_efficiency,
    "occupancy": _occupancy,
    "exposed_communication": _exposed(Category.COMMUNICATION),
    "exposed_copies": _exposed(Category.MEMCPY),
}
