"""Joins rows of the tables of a profiler's database, and keeps the tracks that they lie on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, field
from numpy.typing import NDArray

from insight_profiler.building import Building
from insight_profiler.derived.operators import groups
from insight_profiler.model import Category, FlowKind, Track
from insight_profiler.reading.sqlite_tables import Columns, Integers
from insight_profiler.reading.trace_kinds import torch_kind

LAUNCH = (
    "name",
    "device",
    "stream",
    *(f"{what}{axis}" for what in ("grid", "block") for axis in "XYZ"),
    "registers",
    "shared_memory",
)


@define(eq=False)
class DatabaseTracks:
    """Tracks by the names of their process and themselves, and the device."""

    building: Building
    _known: dict[tuple[str, str, int], int] = field(factory=dict, init=False)

    def track(self, process: str, label: str, kind: str, device: int = -1, order: int = 0) -> int:
        """A track of a process, which is a track too."""
        key = process, label, device
        if key not in self._known:
            outer = process, "", device
            if outer not in self._known:
                self._known[outer] = self.building.track(Track("process", process, device=device))
            track = Track(kind, label, self._known[outer], device, order)
            self._known[key] = self.building.track(track)
        return self._known[key]

    def of_numbers(
        self, process: str, label: Callable[[int], str], kind: str, number: Integers, device: Integers
    ) -> Integers:
        """int64[rows]: the track of each number and device."""
        distinct, place = combinations([device, number])
        tracks = {
            (where, own): self.track(process, label(own), kind, where, order)
            for order, (where, own) in enumerate(sorted(distinct))
        }
        return np.array([tracks[one] for one in distinct], np.int64)[place]


@define(eq=False)
class DatabaseKernels:
    """Kernels of GPUs, told apart by name and by how they were launched."""

    building: Building
    _known: dict[tuple[int, ...], int] = field(factory=dict, init=False)

    def rows(self, columns: Mapping[str, Integers]) -> Integers:
        """int64[runs]: the row of the kernel of each run. ``name`` and ``stream`` are places of texts,
        ``gridX`` to ``blockZ``, ``registers`` and ``shared_memory`` -1 where they are not known."""
        keys, place = combinations([columns[name] for name in LAUNCH])
        fresh = [dict(zip(LAUNCH, key, strict=True)) for key in keys if key not in self._known]
        if fresh:
            first = self.building.add(
                "kernels",
                **{name: [one[name] for one in fresh] for name in ("name", "device", "stream")},
                grid=self.building.texts(_size(one, "grid") for one in fresh),
                block=self.building.texts(_size(one, "block") for one in fresh),
                registers=[one["registers"] for one in fresh],
                shared_memory=[one["shared_memory"] for one in fresh],
            )
            unknown = (key for key in keys if key not in self._known)
            self._known.update({key: first + row for row, key in enumerate(list(unknown))})
        rows = np.array([self._known[key] for key in keys], np.int64)
        return rows[place]


def kernel_category(name: str) -> int:
    """What a kernel of this name does."""
    kind = torch_kind("kernel", name)
    return int(kind.category if kind is not None else Category.KERNEL)


def count_copies(building: Building, name: Integers, size: Integers, duration: Integers) -> None:
    """Adds copies to the document ``copies``; ``name`` are places of texts, sizes bytes, times ns."""
    copies = building.documents.setdefault("copies", {})
    shown = building.all_texts()
    for place in np.unique(name).tolist():
        mine = (name == place) & (size > 0)
        found = copies.setdefault(shown[place], {"count": 0, "bytes": 0, "time": 0.0})
        found["count"] += int(mine.sum())
        found["bytes"] += int(size[mine].sum())
        found["time"] += float(duration[mine].sum())


def _size(launch: Mapping[str, int], what: str) -> str:
    sizes = [launch[f"{what}{axis}"] for axis in "XYZ"]
    return " x ".join(map(str, sizes)) if min(sizes) >= 0 else ""


def combinations(columns: Sequence[Integers]) -> tuple[list[tuple[Any, ...]], Integers]:
    """The distinct rows of columns, and of each row which it is."""
    first, place = groups(list(columns))
    return list(zip(*(column[first].tolist() for column in columns), strict=True)), place


def timed(columns: Columns) -> Columns:
    """Rows with a ``start`` and an ``end``."""
    fine = (columns["start"] >= 0) & (columns["end"] >= columns["start"])
    return columns if fine.all() else {name: column[fine] for name, column in columns.items()}


def joined(keys: Integers, others: Integers, *, is_last: bool = False) -> tuple[NDArray[np.bool_], Integers]:
    """Whether each key is among others, and at which row: the first, or the last."""
    if not len(others):
        return np.zeros(len(keys), np.bool_), np.zeros(len(keys), np.int64)
    order = np.argsort(others, kind="stable")
    at = np.searchsorted(others[order], keys, "right" if is_last else "left") - is_last
    places = order[np.clip(at, 0, len(order) - 1)]
    return others[places] == keys, places


def taken(column: Integers, rows: Integers) -> Integers:
    """Rows of a column; -1 of an empty one."""
    return column[rows] if len(column) else np.full(len(rows), -1)


def mapped(numbers: Integers, value: Callable[[int], int]) -> Integers:
    """What a function says of numbers, of each once."""
    distinct, places = np.unique(numbers, return_inverse=True)
    return np.array([value(number) for number in distinct.tolist()], np.int64)[places]


def numbered(building: Building, numbers: Integers) -> Integers:
    """The places of numbers as texts; -1 for what is negative."""
    return mapped(numbers, lambda number: building.text(str(number) if number >= 0 else ""))


def add_launches(
    building: Building, sources: Integers, source_keys: Integers, targets: Integers, target_keys: Integers
) -> None:
    """Arrows between slices with the same key, which is no negative number; of several sources the last."""
    wanted = source_keys >= 0
    known, at = joined(target_keys, source_keys[wanted], is_last=True)
    known &= target_keys >= 0
    if known.any():
        building.add(
            "flows",
            source=sources[wanted][at[known]],
            target=targets[known],
            kind=np.full(int(known.sum()), FlowKind.LAUNCH),
        )
