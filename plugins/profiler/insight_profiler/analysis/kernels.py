"""Device kernels and the operators that launched them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.analysis.sums import SliceSums, are_of, numbered, ratio, runs_of_slices, summed
from insight_profiler.analysis.usual_times import usual_times
from insight_profiler.model import Profile

GROUPINGS = ("none", "name", "operator")
_TEXTS = ("stream", "grid", "block", "core")


def kernel_listing(profile: Profile, by: str, steps: NDArray[np.intp] | None) -> SortedTable:
    """Kernels one by one, by name, or by the operator that launched them."""
    kernels, texts = profile.tables["kernels"], profile.texts
    count = len(kernels["name"])
    if steps is None:
        runs = SliceSums(
            kernels["calls"], kernels["total"], kernels["total"], kernels["minimum"], kernels["maximum"]
        )
    else:
        slices = profile.tables["slices"]
        rows = np.flatnonzero((slices["kernel"] >= 0) & are_of(slices["step"], steps))
        runs = runs_of_slices(slices, rows, slices["kernel"][rows], count)
    launchers = _launchers(profile)
    chosen = runs.calls > 0
    if by == "none":
        groups, firsts = numbered([np.arange(count)], chosen)
    else:
        groups, firsts = numbered([kernels["name"] if by == "name" else launchers], chosen)
    found = summed(runs, groups, len(firsts))
    first: list[TableColumn] = []
    if by != "operator":
        first.append(TableColumn("name", "text", kernels["name"][firsts], texts))
    if by != "name":
        first.append(TableColumn("operator", "text", launchers[firsts], texts))
    if by == "none":
        first += [TableColumn(name, "text", kernels[name][firsts], texts) for name in _TEXTS]
        first += [
            TableColumn("registers", "number", kernels["registers"][firsts]),
            TableColumn("shared_memory", "bytes", kernels["shared_memory"][firsts]),
            TableColumn("occupancy", "percent", kernels["occupancy"][firsts]),
        ]
    else:
        first.append(TableColumn("members", "count", np.bincount(groups[groups >= 0], minlength=len(firsts))))
    usual = usual_times(profile, "kernel", groups, len(firsts), steps)
    whole = int(found.total.clip(0).sum())
    return SortedTable(
        [
            *first,
            TableColumn("calls", "count", found.calls),
            TableColumn("total", "ns", found.total),
            TableColumn("median", "ns", np.full(len(firsts), -1) if usual is None else usual.median),
            TableColumn("average", "ns", ratio(found.total, found.calls) if usual is None else usual.average),
            TableColumn("minimum", "ns", found.minimum),
            TableColumn("maximum", "ns", found.maximum),
            TableColumn("share", "share", ratio(found.total, whole)),
        ]
    )


def _launchers(profile: Profile) -> NDArray[np.int32]:
    """The name of the operator that launched each kernel, as a place of a text."""
    kernels = profile.tables["kernels"]
    operators = profile.tables.get("operators")
    launchers = kernels["operator"]
    names = np.full(len(launchers), -1, np.int32)
    known = launchers >= 0
    if operators is not None:
        names[known] = operators["name"][launchers[known]]
    return names
