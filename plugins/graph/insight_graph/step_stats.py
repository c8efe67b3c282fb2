"""Compute times of nodes, from the step statistics of a run.

Source: step_stats.proto, config.proto.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from insight_graph.columns import Graph
from insight_graph.messages import parsed
from insight_graph.model import Times
from insight_graph.texts import text_of

Rows: TypeAlias = list[tuple[str, int, int]]  # device, start and duration in microseconds

_ALL_STREAMS = "stream:all"  # what the other streams of a device have too


def rows_of(data: bytes) -> dict[str, Rows]:
    """Times by node name. Raises ValueError for bytes that are not a RunMetadata."""
    found: dict[str, Rows] = {}
    for device in parsed("RunMetadata", data).step_stats.dev_stats:
        name = text_of(device.device)
        if name.endswith(_ALL_STREAMS):
            continue
        for one in device.node_stats:
            node = text_of(one.node_name).partition(":")[0]
            took = one.all_end_rel_micros or one.op_end_rel_micros
            found.setdefault(node, []).append((name, one.all_start_micros, max(0, took)))
    return found


def times_of(graph: Graph, rows: dict[str, Rows]) -> Times | None:
    """Of the nodes of a graph that have these names; None if none has."""
    micros = np.full(len(graph), np.nan)
    by_node: dict[int, Rows] = {}
    for node in range(len(graph)):
        found = rows.get(graph.path(node)) if rows else None
        if found:
            by_node[node] = found
            micros[node] = sum(time for _, _, time in found)
    return Times(micros, by_node) if by_node else None
