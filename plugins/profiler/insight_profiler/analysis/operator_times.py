"""Total time of each operator by full name, for colouring a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.derived_nesting import nearest_marked
from insight_profiler.model import Profile

_MOST = 200_000


def operator_times(profile: Profile, *, outermost: bool = False) -> dict[str, list[Any]]:
    """``names`` with scopes, ``times`` of all calls (ns, on a device where that is known), ``calls``;
    of very many those that took longest. ``outermost`` leaves out calls within other operators, as far as the
    profile has calls."""
    operators, texts = profile.tables["operators"], profile.texts
    total, calls = operators["total"], operators["calls"]
    device = operators["device_total"].astype(np.float64)
    if outermost and "slices" in profile.tables:
        own, calls = _outermost(profile)
        device *= np.divide(own, total, out=np.zeros(len(own)), where=total > 0)
        total = own
    times = np.where(device > 0, device, total).astype(np.int64)
    found: dict[str, list[int]] = {}
    columns = (operators["scope"], operators["name"], times, calls)
    for scope, name, time, count in zip(*(column.tolist() for column in columns), strict=True):
        if name < 0 or time < 0 or (outermost and count == 0):
            continue
        path = f"{texts[scope]}/{texts[name]}" if scope >= 0 and texts[scope] else texts[name]
        both = found.setdefault(path, [0, 0])
        both[0] += time
        both[1] += max(count, 0)
    if len(found) > _MOST:
        found = dict(sorted(found.items(), key=lambda one: -one[1][0])[:_MOST])
    return {
        "names": list(found),
        "times": [both[0] for both in found.values()],
        "calls": [both[1] for both in found.values()],
    }


def _outermost(profile: Profile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each operator: time and number of the calls that are within no other operator."""
    slices = profile.tables["slices"]
    operator = slices["operator"]
    around = nearest_marked(operator >= 0, slices["depth"], slices["parent"])
    rows = np.flatnonzero((operator >= 0) & (around < 0))
    count = len(profile.tables["operators"]["calls"])
    times = np.zeros(count, np.int64)
    np.add.at(times, operator[rows], slices["duration"][rows])
    return times, np.bincount(operator[rows], minlength=count)
