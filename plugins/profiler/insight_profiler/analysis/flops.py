"""Floating-point operations by operator and module, and the share of the device's peak that they reach."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.advice.kernel_names import are, uses_tensor_cores
from insight_profiler.analysis.device_peaks import peak_rate
from insight_profiler.analysis.sums import numbered
from insight_profiler.model import Profile, Table

_MOST_ROWS = 500
_MOST_LINKS = 200
_WHOLE = "Total"


def has_flops(profile: Profile) -> bool:
    """Whether a profile says how many operations it has."""
    operators = profile.tables.get("operators")
    counted = operators is not None and bool((operators["flops"] > 0).any())
    return counted or bool(profile.documents.get("flops"))


def flops_answer(profile: Profile) -> dict[str, Any]:
    """``summary``, ``links`` and ``nodes`` of the file that has them, else of the operators.

    ``operators`` and ``modules`` are rows of ``name, flops, time, calls, rate`` (FLOP/s) and ``peak``, the
    share of the peak of the ``device``; None if that is not known.
    """
    given = profile.documents.get("flops")
    operators = profile.tables.get("operators")
    if operators is None or not (operators["flops"] > 0).any():
        return {"operators": [], "modules": [], "device": None, **(given or {})}
    rows = np.flatnonzero(operators["flops"] > 0)
    times = np.where(operators["device_total"] > 0, operators["device_total"], operators["total"])[rows]
    peaks = _peaks(profile, operators, rows)
    device = next((one.name for one in profile.devices if one.kind != "cpu"), None)
    found: dict[str, Any] = {
        "operators": _rows(profile, "type", rows, times, peaks),
        "modules": _rows(profile, "scope", rows, times, peaks),
        "device": device if np.isfinite(peaks).any() else None,
    }
    return {**found, **(given or _of_operators(profile, rows, times, peaks))}


def _peaks(profile: Profile, operators: Table, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    """float64[rows]: FLOP/s that each operator could reach; of tensor cores if its kernels use them."""
    known = [peak_rate(device.name) for device in profile.devices if device.kind != "cpu"]
    peak = next((one for one in known if one is not None), None)
    if peak is None:
        return np.full(len(rows), np.nan)
    kernels = profile.tables.get("kernels")
    found = np.full(len(operators["name"]), peak.plain)
    if kernels is not None:
        owner, time = kernels["operator"], kernels["total"].clip(0)
        on_cores = are(uses_tensor_cores, profile.texts, kernels["name"])
        count = len(found)
        whole = np.bincount(owner[owner >= 0], time[owner >= 0], count)
        mine = on_cores & (owner >= 0)
        found[np.bincount(owner[mine], time[mine], count) > 0.5 * whole] = peak.matrix
    return found[rows]


def _rows(
    profile: Profile,
    key: str,
    rows: NDArray[np.intp],
    times: NDArray[np.int64],
    peaks: NDArray[np.float64],
) -> list[dict[str, Any]]:
    operators = profile.tables["operators"]
    groups, firsts = numbered([operators[key][rows]], np.ones(len(rows), bool))
    count = len(firsts)
    flops = np.bincount(groups, operators["flops"][rows], count)
    time = np.bincount(groups, times, count)
    most = np.bincount(groups, np.nan_to_num(peaks) * times / 1e9, count)  # FLOPs at the peak
    calls = np.bincount(groups, operators["calls"][rows].clip(0), count)
    order = np.argsort(-flops, kind="stable")[:_MOST_ROWS].tolist()
    return [
        {
            "name": _text(profile, int(operators[key][rows[firsts[at]]])),
            "flops": float(flops[at]),
            "time": float(time[at]),
            "calls": int(calls[at]),
            "rate": float(flops[at] / time[at] * 1e9) if time[at] else None,
            "peak": float(flops[at] / most[at]) if most[at] else None,
        }
        for at in order
    ]


def _of_operators(
    profile: Profile, rows: NDArray[np.intp], times: NDArray[np.int64], peaks: NDArray[np.float64]
) -> dict[str, Any]:
    operators = profile.tables["operators"]
    flops = operators["flops"][rows]
    steps = profile.tables.get("steps")
    count = 1 if steps is None else max(1, len(steps["number"]))
    time, most = int(times.sum()), float((np.nan_to_num(peaks) * times).sum()) / 1e9
    links: dict[tuple[str, str], float] = {}
    for row, value in zip(rows.tolist(), flops.tolist(), strict=True):
        scope = _text(profile, int(operators["scope"][row]))
        path = [*(scope.split("/") if scope else []), _text(profile, int(operators["type"][row]))]
        names = [_WHOLE, *("/".join(path[: depth + 1]) for depth in range(len(path)))]
        for link in itertools.pairwise(names):
            links[link] = links.get(link, 0.0) + value / count
    biggest = sorted(links.items(), key=lambda one: -one[1])[:_MOST_LINKS]
    return {
        "summary": {
            "flops": float(flops.sum()) / count,
            "flops_per_second": float(flops.sum()) / time * 1e9 if time else None,
            "utilization": float(flops.sum()) / most if most else None,
        },
        "nodes": sorted({name for link, _ in biggest for name in link}),
        "links": [
            {"source": source, "target": target, "flops": value} for (source, target), value in biggest
        ],
    }


def _text(profile: Profile, place: int) -> str:
    return profile.texts[place] if place >= 0 else ""
