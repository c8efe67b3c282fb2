"""Compute times of nodes: from the step statistics of a run, and from profiles of the same run.

Source: step_stats.proto, config.proto."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from threading import Lock
from typing import Any, TypeAlias, cast

import numpy as np
from cachetools import LRUCache

from insight_core.plugin import (
    Ask,
    InsightError,
    PluginNameEnum,
    ReasonKind,
    Unavailable,
    Undecodable,
)
from insight_graph.columns import Graph, Kind
from insight_graph.messages import parsed
from insight_graph.model import Times
from insight_graph.texts import text_of
from insight_graph.torch_modules import modules_of, times_by_module

Rows: TypeAlias = list[tuple[str, int, int]]  # device, start and duration in microseconds
_ALL_STREAMS = "stream:all"  # what the other streams of a device have too
_PREFIX = "profiler:"  # before the path of a profile, where the tag of a record could stand too
_PROFILER = str(PluginNameEnum.PROFILER)
_KEPT = 8
_PROFILE_READING = ReasonKind("graph_profile_reading", "the profile {path!r} is being read")
_PROFILE_UNREADABLE = ReasonKind(
    "graph_profile_unreadable", "the profile {path!r} of run {run!r} cannot be read"
)


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


def is_profiled(name: str) -> bool:
    """Whether the name refers to a profile of the profiler plugin."""
    return name.startswith(_PREFIX)


class ProfiledTimes:
    """Times for graphs, the last few kept. For any thread."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._lock = Lock()
        self._kept: LRUCache[tuple[object, ...], Times | None] = LRUCache(_KEPT)

    def of_runs(self, runs: Collection[str] | None) -> list[dict[str, object]]:
        """Profiles as ``/graphs`` lists records with times; none without the profiler plugin."""
        try:
            answer = cast("dict[str, Any]", self._ask(_PROFILER, "/profiles", run=list(runs or ())))
        except InsightError:
            return []
        return [
            {
                "run": profile["run"],
                "tag": _PREFIX + profile["profile"],
                "index": 0,
                "step": 0,
                "wall_time": profile["wall_time"],
                "size": profile["bytes"],
            }
            for profile in answer["profiles"]
        ]

    def get(self, key: tuple[object, ...], graph: Graph, run: str, name: str) -> Times | None:
        """Of a graph that ``key`` tells from others, by the profile that is listed as ``name``.

        Raises Unavailable while that is being read, NotFound without one, Undecodable if it cannot be read.
        """
        key = (*key, name)
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        path = name.removeprefix(_PREFIX)
        modules = modules_of(graph)
        answer = cast(
            "dict[str, Any]",
            self._ask(_PROFILER, "/operator_times", run=run, profile=path, outermost=int(bool(modules))),
        )
        if answer["state"] == "reading":
            raise Unavailable(_PROFILE_READING(path=path))
        if answer["state"] == "failed":
            raise Undecodable(_PROFILE_UNREADABLE(path=path, run=run))
        by_name = dict(zip(answer["names"], answer["times"], strict=True))
        times = times_by_name(graph, by_name) or times_by_module(graph, modules, by_name)
        with self._lock:
            self._kept[key] = times
        return times


def times_by_name(graph: Graph, nanoseconds: Mapping[str, int]) -> Times | None:
    """Of the operators of a graph that have these names; None if none has."""
    micros = np.full(len(graph), np.nan)
    if nanoseconds:
        for node in np.flatnonzero(graph.kinds == Kind.OPERATOR).tolist():
            found = nanoseconds.get(graph.path(node))
            if found is not None:
                micros[node] = found / 1000
    return Times(micros, {}) if np.isfinite(micros).any() else None
