"""Number and duration of operators by type, name, shapes or scope, for all or some steps; times by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.analysis.sums import (
    SliceSums,
    are_of,
    nearest_rank,
    numbered,
    ratio,
    runs_of_slices,
    sum_of,
    summed,
)
from insight_profiler.analysis.usual_times import usual_times
from insight_profiler.derived.upwards import nearest_marked
from insight_profiler.model import Profile, Side, Table

GROUPINGS = ("type", "name", "shape", "scope")
OPERATOR = "operator"  # PyTorch names all calls of one operator alike, others number them by scope
_KEYS = {  # columns by which operators are one group
    "type": ("type",),
    "name": ("type", "scope", "name"),
    "shape": ("type", "scope", "name", "shapes"),
    "scope": ("scope",),
    OPERATOR: ("type", "scope", "name"),
}


@frozen(eq=False)
class Grouped:
    """Operators by group: ``groups`` says of each operator to which it belongs (-1: left out)."""

    groups: NDArray[np.intp]
    listing: SortedTable


def sides_of(profile: Profile) -> list[Side]:
    """Where operators ran; of those of the host, the time of the kernels that they launched counts too."""
    operators = profile.tables.get("operators")
    if operators is None:
        return []
    sides = {Side(side) for side in np.unique(operators["side"]).tolist()}
    if (operators["device_total"] > 0).any():
        sides.add(Side.DEVICE)
    return sorted(sides)


def grouped(profile: Profile, by: str, side: Side, steps: NDArray[np.intp] | None = None) -> Grouped:
    """Operators of one side; where ``steps`` is given, in these rows of the step table only (-1: between the
    steps)."""
    operators = profile.tables["operators"]
    runs, device_total, device_own = _runs(profile, steps)
    chosen = operators["side"] == side
    has_device = bool((device_total > 0).any())
    is_of_launches = side is Side.DEVICE and not chosen.any()
    if is_of_launches:
        chosen = device_total > 0
        unknown = np.full(len(chosen), -1)
        runs = SliceSums(runs.calls, device_total, device_own, unknown, unknown)
    chosen = chosen & (runs.calls != 0)
    keys = {key: operators[key] for key in _KEYS[by]}
    if by == OPERATOR:
        keys["scope"] = np.where(operators["name"] == operators["type"], -1, operators["scope"])
    groups, firsts = numbered(list(keys.values()), chosen)
    count = len(firsts)
    found = summed(runs, groups, count)
    unknown_p95 = np.full(count, -1)  # how long each call kept a device busy is not known
    p95 = unknown_p95 if is_of_launches else _percentiles(profile, groups, count, steps)
    usual = None if is_of_launches else usual_times(profile, "operator", groups, count, steps)
    texts = profile.texts
    columns = [
        TableColumn(name, "text", keys[name][firsts], texts)
        for name in ("name", "type", "scope", "shapes")
        if name in keys
    ]
    if by in ("name", "shape"):
        columns.append(TableColumn("core", "text", operators["core"][firsts], texts))
    else:
        columns.append(TableColumn("members", "count", np.bincount(groups[groups >= 0], minlength=count)))
    columns += [
        TableColumn("calls", "count", found.calls),
        TableColumn("total", "ns", found.total),
        TableColumn("self", "ns", found.own),
        TableColumn("median", "ns", unknown_p95 if usual is None else usual.median),
        TableColumn("average", "ns", ratio(found.total, found.calls) if usual is None else usual.average),
        TableColumn("minimum", "ns", found.minimum),
        TableColumn("maximum", "ns", found.maximum),
        TableColumn("p95", "ns", p95),
        TableColumn("share", "share", ratio(found.best, int(found.best.sum()))),
        TableColumn("per_step", "count", ratio(found.calls, _spread(profile, steps))),
    ]
    if side is Side.HOST and has_device:
        columns += [
            TableColumn("device_total", "ns", sum_of(device_total, groups, count)),
            TableColumn("device_self", "ns", sum_of(device_own, groups, count)),
        ]
    columns += [
        TableColumn("flops", "flops", sum_of(operators["flops"], groups, count)),
        TableColumn("bytes", "bytes", sum_of(operators["bytes"], groups, count)),
    ]
    if by in ("name", "shape"):
        columns.append(TableColumn("information", "text", operators["information"][firsts], texts))
    return Grouped(groups, SortedTable(columns))


def run_rows(profile: Profile, groups: NDArray[np.intp], group: int) -> NDArray[np.intp]:
    """The slices that are runs of the operators of a group; none where the log has only sums."""
    slices = profile.tables.get("slices")
    if slices is None:
        return np.zeros(0, np.intp)
    members = np.flatnonzero(groups == group)
    return np.flatnonzero(np.isin(slices["operator"], members))


def _runs(
    profile: Profile, steps: NDArray[np.intp] | None
) -> tuple[SliceSums, NDArray[np.int64], NDArray[np.int64]]:
    """Of each operator on its own side, and the time of the kernels that it launched (in all, its own)."""
    operators = profile.tables["operators"]
    if steps is None:
        own = SliceSums(*(operators[name] for name in ("calls", "total", "self", "minimum", "maximum")))
        return own, operators["device_total"], operators["device_self"]
    slices = profile.tables["slices"]
    count = len(operators["calls"])
    inside = are_of(slices["step"], steps)
    rows = np.flatnonzero(inside & (slices["operator"] >= 0))
    launched = np.zeros(count, np.int64)
    if (kernels := profile.tables.get("kernels")) is not None:
        runs = np.flatnonzero(inside & (slices["kernel"] >= 0))
        launchers = kernels["operator"][slices["kernel"][runs]]
        known = launchers >= 0
        np.add.at(launched, launchers[known], slices["duration"][runs[known]])
    return runs_of_slices(slices, rows, slices["operator"][rows], count), launched, launched


def _percentiles(
    profile: Profile, groups: NDArray[np.intp], count: int, steps: NDArray[np.intp] | None
) -> NDArray[np.int64]:
    slices = profile.tables.get("slices")
    if slices is None:
        return np.full(count, -1)
    wanted = slices["operator"] >= 0
    if steps is not None:
        wanted &= are_of(slices["step"], steps)
    rows = np.flatnonzero(wanted)
    owners = groups[slices["operator"][rows]]
    rows, owners = rows[owners >= 0], owners[owners >= 0]
    return nearest_rank(slices["duration"][rows], owners, count, 0.95)


def _spread(profile: Profile, steps: NDArray[np.intp] | None) -> int:
    """Over how many steps the calls are spread; 0 where none is known."""
    if steps is not None:
        return int((steps >= 0).sum())
    table = profile.tables.get("steps")
    return 0 if table is None else len(table["number"])


def shape_listing(profile: Profile, table: Table) -> SortedTable:
    """Operators and kernels whose shapes change, call by call."""
    texts = profile.texts
    return SortedTable(
        [
            TableColumn("step", "number", table["step"]),
            *(TableColumn(name, "text", table[name], texts) for name in ("kind", "type", "name", "shapes")),
            TableColumn("duration", "ns", table["duration"]),
        ]
    )


_MOST_NAMES = 200_000


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
    if len(found) > _MOST_NAMES:
        found = dict(sorted(found.items(), key=lambda one: -one[1][0])[:_MOST_NAMES])
    return {
        "names": list(found),
        "times": [both[0] for both in found.values()],
        "calls": [both[1] for both in found.values()],
    }


def _outermost(profile: Profile) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each operator: time and number of the calls that are within no other operator."""
    slices = profile.tables["slices"]
    operator = slices["operator"]
    around = nearest_marked(operator >= 0, slices["parent"])
    rows = np.flatnonzero((operator >= 0) & (around < 0))
    count = len(profile.tables["operators"]["calls"])
    times = np.zeros(count, np.int64)
    np.add.at(times, operator[rows], slices["duration"][rows])
    return times, np.bincount(operator[rows], minlength=count)
