"""The slices of a profile as trees of calls: time of the host, or of devices by what launched it."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.call_tree import CallTree, tree_of_calls
from insight_profiler.analysis.sums import are_of
from insight_profiler.derived.call_paths import nearest
from insight_profiler.derived.work import by_operator, device_tracks, is_work, launching_calls
from insight_profiler.model import Category, FlowKind, Profile, Side

_NUMBERED = re.compile(r"#\d+$")  # ProfilerStep#12: one node for all steps


def has_calls(profile: Profile, side: Side) -> bool:
    """Whether there are calls of the host, or of the work of devices that calls launched."""
    slices = profile.tables.get("slices")
    if slices is None:
        return False
    if side is Side.DEVICE:
        flows, work = profile.tables.get("flows"), work_of(profile)
        if flows is None:
            return False
        is_launch = (flows["kind"] == FlowKind.LAUNCH) & work[flows["target"]] & ~work[flows["source"]]
        return bool(is_launch.any())
    return bool((slices["parent"][_calls_operators(profile)] >= 0).any())


def call_tree(profile: Profile, side: Side, steps: NDArray[np.intp] | None) -> tuple[CallTree, list[str]]:
    """The tree of the calls of the host with their own time, or with that of the work of devices that they
    launched, all ns; in some steps (rows), or in all. The texts are those of its names."""
    slices = profile.tables["slices"]
    is_device = work_of(profile)
    counts = np.ones(len(is_device), bool) if steps is None else are_of(slices["step"], steps)
    parent = slices["parent"].astype(np.int64)
    if side is Side.DEVICE:
        parent = np.where(is_device, launchers(profile, of_operators=True), parent)
        own = np.where(is_device & counts, slices["duration"], 0)
        # the call that launches is as wide as what it launched, and says nothing more
        launches = slices["category"] == Category.RUNTIME
        shown = _with_callers(parent, is_device & counts) & ~launches
    else:
        own = slices["self"]
        shown = ~is_device & counts & _calls_operators(profile)
    texts = [_NUMBERED.sub("", text) for text in profile.texts]
    words = list(dict.fromkeys(texts))
    places = {text: place for place, text in enumerate(words)}
    named = np.array([places[text] for text in texts] or [0], np.int32)
    rows = np.flatnonzero(shown)
    place = np.full(len(shown) + 1, -1, np.int64)
    place[rows] = np.arange(len(rows))
    # what is not shown is as if it were not there
    around = np.append(nearest(shown, parent), -1)[parent[rows]]
    ones = np.ones(len(rows), np.int64)
    return tree_of_calls(place[around], named[slices["name"][rows]], own[rows], ones), words


def work_of(profile: Profile) -> NDArray[np.bool_]:
    """bool[slices]: the work of devices, communication too. Needs slices."""
    return is_work(profile.tables["slices"], device_tracks(profile.tracks, profile.devices))


def launchers(profile: Profile, *, of_operators: bool = False) -> NDArray[np.int32]:
    """int32[slices]: the row of the call of the host that launched each work of a device, -1 where nothing
    says it and for all other slices. ``of_operators``: rather the call of an operator, or one in it, than a
    call of the runtime on a thread that only launches. Needs slices."""
    slices = profile.tables["slices"]
    flows = profile.tables.get("flows")
    if flows is None:
        return np.full(len(slices["start"]), -1, np.int32)
    first = by_operator(slices) if of_operators else None
    return launching_calls(slices, flows, work_of(profile), first)


def _calls_operators(profile: Profile) -> NDArray[np.bool_]:
    """The slices of threads that run operators, launch work or load data; others span the recording."""
    slices = profile.tables["slices"]
    does = (slices["operator"] >= 0) | np.isin(slices["category"], (Category.RUNTIME, Category.DATA))
    calls = np.zeros(len(profile.tracks) or 1, bool)
    calls[slices["track"][does]] = True
    return np.asarray(calls[slices["track"]])


def _with_callers(parent: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    kept = chosen.copy()
    at = np.flatnonzero(chosen)
    while len(at):
        at = parent[at]
        at = np.unique(at[at >= 0])
        at = at[~kept[at]]
        kept[at] = True
    return kept
