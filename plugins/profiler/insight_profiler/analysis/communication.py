"""Collectives and links of one rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.analysis.steps import are_named
from insight_profiler.analysis.sums import numbered, ratio, sum_of
from insight_profiler.model import Profile, Table


def collective_listing(profile: Profile, steps: str | None) -> SortedTable:
    """Collectives by name and kind: how often, how long, how much was sent. ``steps``: ``2-5,9``, or all."""
    table = profile.tables["collectives"]
    chosen = _chosen(table, steps)
    groups, firsts = numbered([table["name"], table["kind"]], chosen)
    count = len(firsts)
    elapsed = sum_of(table["elapsed"], groups, count)
    return SortedTable(
        [
            TableColumn("name", "text", table["name"][firsts], profile.texts),
            TableColumn("kind", "text", table["kind"][firsts], profile.texts),
            TableColumn("calls", "count", np.bincount(groups[groups >= 0], minlength=count)),
            TableColumn("total", "ns", elapsed),
            TableColumn("transit", "ns", sum_of(table["transit"], groups, count)),
            TableColumn("wait", "ns", sum_of(table["wait"], groups, count)),
            TableColumn("bytes", "bytes", sum_of(table["bytes"], groups, count)),
            TableColumn("share", "share", ratio(elapsed, int(elapsed.clip(0).sum()))),
        ]
    )


def link_listing(profile: Profile, steps: str | None) -> SortedTable:
    """Links between ranks; the bandwidth is what was sent over the time that it took."""
    table = profile.tables["links"]
    chosen = _chosen(table, steps)
    groups, firsts = numbered([table["source"], table["target"], table["kind"]], chosen)
    count = len(firsts)
    elapsed = sum_of(table["elapsed"], groups, count)
    size = sum_of(table["bytes"], groups, count)
    bandwidth = ratio(size, elapsed) * 1e9
    return SortedTable(
        [
            TableColumn("source", "number", table["source"][firsts]),
            TableColumn("target", "number", table["target"][firsts]),
            TableColumn("kind", "text", table["kind"][firsts], profile.texts),
            TableColumn("calls", "count", np.bincount(groups[groups >= 0], minlength=count)),
            TableColumn("total", "ns", elapsed),
            TableColumn("bytes", "bytes", size),
            TableColumn("bandwidth", "bytes_per_second", bandwidth),
        ]
    )


def _chosen(table: Table, steps: str | None) -> NDArray[np.bool_]:
    return are_named(table["step"], steps) if steps else np.ones(len(table["step"]), bool)
