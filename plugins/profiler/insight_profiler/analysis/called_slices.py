"""The slices of a profile as trees of calls: time of the host, or of devices by what launched it."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.call_tree import CallTree, tree_of_slices
from insight_profiler.model import Category, FlowKind, Profile, Side

_NUMBERED = re.compile(r"#\d+$")  # ProfilerStep#12: one node for all steps
_WORK = (Category.KERNEL, Category.MEMCPY, Category.MEMSET, Category.COMMUNICATION)


def has_calls(profile: Profile, side: Side) -> bool:
    """Whether there are calls of the host, or of the work of devices that calls launched."""
    slices = profile.tables.get("slices")
    if slices is None:
        return False
    if side is Side.DEVICE:
        return bool((_launchers(profile)[_is_work(profile)] >= 0).any())
    return bool((slices["parent"][_calls_operators(profile)] >= 0).any())


def call_tree(profile: Profile, side: Side, steps: NDArray[np.intp] | None) -> tuple[CallTree, list[str]]:
    """The tree of the calls of the host with their own time, or with that of the work of devices that they
    launched, all ns; in some steps (rows), or in all. The texts are those of its names."""
    slices = profile.tables["slices"]
    is_device = _is_work(profile)
    counts = np.ones(len(is_device), bool) if steps is None else np.isin(slices["step"], steps)
    parent = slices["parent"].copy()
    if side is Side.DEVICE:
        launcher = _launchers(profile)
        parent = np.where(is_device & (launcher >= 0), launcher, np.where(is_device, -1, parent))
        own = np.where(is_device & counts, slices["duration"], 0)
        # the call that launches is as wide as what it launched, and says nothing more
        launches = slices["category"] == Category.RUNTIME
        rows = np.flatnonzero(_with_callers(parent, is_device & counts) & ~launches)
    else:
        own = slices["self"]
        rows = np.flatnonzero(~is_device & counts & _calls_operators(profile))
    texts = [_NUMBERED.sub("", text) for text in profile.texts]
    words = list(dict.fromkeys(texts))
    places = {text: place for place, text in enumerate(words)}
    named = np.array([places[text] for text in texts] or [0], np.int32)
    return tree_of_slices(parent, named[slices["name"]], own, rows), words


def _is_work(profile: Profile) -> NDArray[np.bool_]:
    """bool[slices]: the work of devices."""
    slices = profile.tables["slices"]
    devices = [track.device >= 0 and profile.devices[track.device].kind != "cpu" for track in profile.tracks]
    return np.asarray(
        np.array(devices or [False], bool)[slices["track"]] & np.isin(slices["category"], _WORK)
    )


def _calls_operators(profile: Profile) -> NDArray[np.bool_]:
    """The slices of threads that run operators, launch work or load data; others span the recording."""
    slices = profile.tables["slices"]
    does = (slices["operator"] >= 0) | np.isin(slices["category"], (Category.RUNTIME, Category.DATA))
    return np.asarray(np.isin(slices["track"], slices["track"][does]))


def _launchers(profile: Profile) -> NDArray[np.int64]:
    """For each slice the row of the call that launched it, -1 for none."""
    found = np.full(len(profile.tables["slices"]["parent"]), -1, np.int64)
    flows = profile.tables.get("flows")
    if flows is not None:
        launches = flows["kind"] == FlowKind.LAUNCH
        found[flows["target"][launches]] = flows["source"][launches]
    return found


def _with_callers(parent: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    kept = chosen.copy()
    at = np.flatnonzero(chosen)
    while len(at):
        at = parent[at]
        at = np.unique(at[at >= 0])
        at = at[~kept[at]]
        kept[at] = True
    return kept
