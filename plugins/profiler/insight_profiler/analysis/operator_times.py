"""Total time of each operator by full name, for colouring a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from insight_profiler.model import Profile

_MOST = 200_000


def operator_times(profile: Profile) -> dict[str, list[Any]]:
    """``names`` with scopes, ``times`` of all calls (ns, on a device where that is known), ``calls``;
    of very many those that took longest."""
    operators, texts = profile.tables["operators"], profile.texts
    device = operators["device_total"]
    times = np.where(device > 0, device, operators["total"])
    found: dict[str, list[int]] = {}
    columns = (operators["scope"], operators["name"], times, operators["calls"])
    for scope, name, time, calls in zip(*(column.tolist() for column in columns), strict=True):
        if name < 0 or time < 0:
            continue
        path = f"{texts[scope]}/{texts[name]}" if scope >= 0 and texts[scope] else texts[name]
        both = found.setdefault(path, [0, 0])
        both[0] += time
        both[1] += max(calls, 0)
    if len(found) > _MOST:
        found = dict(sorted(found.items(), key=lambda one: -one[1][0])[:_MOST])
    return {
        "names": list(found),
        "times": [both[0] for both in found.values()],
        "calls": [both[1] for both in found.values()],
    }
