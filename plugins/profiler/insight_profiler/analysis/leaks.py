"""Finds memory that every step takes and none gives back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Profile, Table

LEAST_STEPS = 4  # that each kept something: a few keep gradients, caches and the state of optimisers
_STEADY = 0.5  # of the usual amount is kept by each step at least
_SMALL = 512  # bytes; the allocator gives nothing smaller
_MARK = "Optimizer.step#"
_MOST = 20


@frozen
class Leak:
    """What the calls of one stack took in each of some steps and is still there at the end.

    ``since`` is the first step (from 0), ``steps`` how many keep something, ``per_step`` the usual bytes,
    ``bytes`` all of it.
    """

    device: int
    stack: int
    since: int
    steps: int
    per_step: int
    bytes: int
    count: int


def step_ends(profile: Profile, device: int) -> NDArray[np.int64]:
    """When the marked updates of the parameters end, ns: what ends a step. Empty where none is marked."""
    marks = profile.tables.get("annotations")
    if marks is None:
        return np.empty(0, np.int64)
    named = [place for place, text in enumerate(profile.texts) if text.startswith(_MARK)]
    is_step = np.isin(marks["name"], named) & np.isin(marks["device"], (device, -1))
    return np.sort(marks["start"][is_step] + marks["duration"][is_step])


def leaks(profile: Profile) -> Sequence[Leak]:
    """What grows with every step, the largest first.

    Each of the steps has to have kept about the same from one place of the code, up to the last one that is
    recorded whole: a cache that fills once, or of a fixed length, has steps that keep nothing.
    """
    found: list[Leak] = []
    table = profile.tables.get("allocations")
    if table is None or "stack" not in table:
        return found
    for device in np.unique(table["device"]).tolist():
        ends = step_ends(profile, device)
        if len(ends) >= LEAST_STEPS:
            found += _of_device(table, device, ends)
    return sorted(found, key=lambda one: -one.bytes)[:_MOST]


def _of_device(table: Table, device: int, ends: NDArray[np.int64]) -> list[Leak]:
    rows = np.flatnonzero((table["device"] == device) & (table["end"] < 0) & (table["stack"] >= 0))
    steps = np.searchsorted(ends, table["start"][rows], "left")
    stacks, places = np.unique(table["stack"][rows], return_inverse=True)
    held = np.zeros((len(stacks), len(ends) + 1), np.int64)
    counts = np.zeros_like(held)
    np.add.at(held, (places, steps), np.maximum(table["bytes"][rows], 0))
    np.add.at(counts, (places, steps), 1)
    found = []
    for place, kept in enumerate(held[:, : len(ends)]):  # what comes behind the last update is no whole step
        usual = float(np.median(kept[kept > 0])) if kept.any() else 0.0
        steady = kept >= max(1.0, _STEADY * usual)
        since = len(kept) - int(np.argmin(steady[::-1])) if not steady.all() else 0
        many = len(kept) - since
        if many < LEAST_STEPS or (since > 0 and many <= since):
            continue
        found.append(
            Leak(
                device=device,
                stack=int(stacks[place]),
                since=since,
                steps=many,
                per_step=int(np.median(kept[since:])),
                bytes=int(held[place, since:].sum()),
                count=int(counts[place, since:].sum()),
            )
        )
    return found


def taker(profile: Profile, leak: Leak) -> str:
    """The name of the call that took what leaks."""
    allocations = profile.tables["allocations"]
    name = int(allocations["name"][(allocations["stack"] == leak.stack).argmax()])
    return profile.texts[name] if name >= 0 else ""
