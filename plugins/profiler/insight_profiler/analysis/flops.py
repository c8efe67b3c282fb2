"""Floating-point operations by operator and module, and the share of the device's peak that they reach."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.operator_peaks import OperatorPeaks, operator_peaks
from insight_profiler.analysis.sums import numbered
from insight_profiler.model import Profile

_MOST_ROWS = 500
_MOST_LINKS = 200
_WHOLE = "Total"
_MOST = 1.005  # of a peak: data sheets round


def has_flops(profile: Profile) -> bool:
    """Whether a profile says how many operations it has."""
    operators = profile.tables.get("operators")
    counted = operators is not None and bool((operators["flops"] > 0).any())
    return counted or bool(profile.documents.get("flops"))


def flops_answer(profile: Profile) -> dict[str, Any]:
    """``summary``, ``links`` and ``nodes`` of the file that has them, else of the operators.

    ``operators`` and ``modules`` are rows of ``name, flops, time, calls, rate`` (FLOP/s), ``peak``, ``above``
    and ``precision``. ``peak`` is the share of the peak of the ``device`` for products of ``precision``, None
    if that is not known. A share above 1 cannot be right: it stands in ``above``, and ``peak`` (in the
    summary ``utilization``) is None.
    """
    given = profile.documents.get("flops")
    operators = profile.tables.get("operators")
    if operators is None or not (operators["flops"] > 0).any():
        return {"operators": [], "modules": [], "device": None, **_document(given)}
    rows = np.flatnonzero(operators["flops"] > 0)
    times = np.where(operators["device_total"] > 0, operators["device_total"], operators["total"])[rows]
    peaks = operator_peaks(profile)
    peaks = OperatorPeaks(peaks.rate[rows], peaks.precision[rows])
    device = next((one.name for one in profile.devices if one.kind != "cpu"), None)
    found: dict[str, Any] = {
        "operators": _rows(profile, "type", rows, times, peaks),
        "modules": _rows(profile, "scope", rows, times, peaks),
        "device": device if np.isfinite(peaks.rate).any() else None,
    }
    return {**found, **(_document(given) or _of_operators(profile, rows, times, peaks.rate))}


def _document(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """The document of a file, with shares of the peak that can be."""
    if not given:
        return {}
    summary = given.get("summary")
    return {**given, "summary": with_share(summary)} if isinstance(summary, dict) else dict(given)


def with_share(rates: Mapping[str, Any]) -> dict[str, Any]:
    """Rates of a document; a ``utilization`` above 1 stands in ``above``."""
    found = {name: with_share(value) if isinstance(value, dict) else value for name, value in rates.items()}
    share = found.get("utilization")
    return {**found, **_share(share, "utilization")} if isinstance(share, int | float) else found


def _share(share: float | None, name: str) -> dict[str, float | None]:
    """A share of a peak by its name, or as ``above`` if it is more than the whole."""
    is_above = share is not None and share > _MOST
    return {
        name: None if is_above or share is None else min(share, 1.0),
        "above": share if is_above else None,
    }


def _rows(
    profile: Profile,
    key: str,
    rows: NDArray[np.intp],
    times: NDArray[np.int64],
    peaks: OperatorPeaks,
) -> list[dict[str, Any]]:
    operators = profile.tables["operators"]
    groups, firsts = numbered([operators[key][rows]], np.ones(len(rows), bool))
    count = len(firsts)
    flops = np.bincount(groups, operators["flops"][rows], count)
    time = np.bincount(groups, times, count)
    most = np.bincount(groups, np.nan_to_num(peaks.rate) * times / 1e9, count)  # FLOPs at the peak
    types = np.zeros((count, len(InputType)))
    np.add.at(types, (groups, peaks.precision), times)
    longest = types.argmax(1)
    calls = np.bincount(groups, operators["calls"][rows].clip(0), count)
    order = np.argsort(-flops, kind="stable")[:_MOST_ROWS].tolist()
    return [
        {
            "name": _text(profile, int(operators[key][rows[firsts[at]]])),
            "flops": float(flops[at]),
            "time": float(time[at]),
            "calls": int(calls[at]),
            "rate": float(flops[at] / time[at] * 1e9) if time[at] else None,
            **_share(float(flops[at] / most[at]) if most[at] else None, "peak"),
            "precision": InputType(int(longest[at])).name.lower() if most[at] else None,
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
            **_share(float(flops.sum()) / most if most else None, "utilization"),
        },
        "nodes": sorted({name for link, _ in biggest for name in link}),
        "links": [
            {"source": source, "target": target, "flops": value} for (source, target), value in biggest
        ],
    }


def _text(profile: Profile, place: int) -> str:
    return profile.texts[place] if place >= 0 else ""
