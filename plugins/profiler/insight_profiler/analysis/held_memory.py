"""What memory is held at a moment: by whom and by which calls."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.allocations import AllocationChanges, highest, live, of_one_device
from insight_profiler.analysis.call_tree import CallTree, tree_of_stacks
from insight_profiler.derived.library_calls import is_noise, step_of_library, without_arguments
from insight_profiler.model import Profile, Table

_MOST_BANDS = 12
_AT_ONCE = 1 << 18  # events
BY = ("purpose", "name", "module")
OWNER = ("name", "module", "purpose")


@frozen(eq=False)
class HeldMemory:
    """The allocations of one device of a profile, and the segments that they lie in."""

    profile: Profile
    device: int
    allocations: Table
    segments: Table

    @classmethod
    def of(cls, profile: Profile, device: int) -> HeldMemory:
        """Those of a device, by its place among the devices of the profile."""
        found: list[Table] = []
        for name in ("allocations", "segments"):
            table = profile.tables.get(name, {})
            found.append(of_one_device(table, device) if table else table)
        return cls(profile, device, *found)

    @cached_property
    def last(self) -> int:
        """When the last event is, ns."""
        return max((int(self.allocations[name].max(initial=0)) for name in ("start", "end")), default=0)

    @cached_property
    def peak(self) -> int:
        """When most is allocated, ns."""
        return highest(self.allocations)[0]

    def bands(self, by: str, width: int, per: str = "event") -> dict[str, Any]:
        """How much each owner holds over time: ``time`` [columns], where most is held in each column;
        ``names`` of the largest owners, the rest as one without a name; ``bytes`` [owners, columns].

        Columns are of equally many events, or ``per`` time equally long.
        """
        every = AllocationChanges.of(self.allocations)
        if not len(every.times):
            return {"time": [], "names": [], "bytes": []}
        moments = _highest_moments(every, width, per)
        owners = np.unique(self.allocations[by])
        held = np.zeros((len(owners), len(moments) + 1), np.int64)
        for begin in range(0, len(every.times), _AT_ONCE):  # there may be millions
            part = slice(begin, begin + _AT_ONCE)
            rows = every.rows[part]
            sizes = np.where(every.is_end[part], -1, 1) * self.allocations["bytes"][rows]
            group = np.searchsorted(owners, self.allocations[by][rows])
            np.add.at(held, (group, np.searchsorted(moments, every.times[part])), sizes)
        held = np.cumsum(held, axis=1)[:, :-1]
        order = np.argsort(-held.max(axis=1), kind="stable")
        shown, rest = order[:_MOST_BANDS], order[_MOST_BANDS:]
        bands = held[shown]
        names: list[str | None] = [self._text(int(owners[one])) for one in shown]
        if len(rest):
            bands = np.vstack([bands, held[rest].sum(axis=0)])
            names.append(None)
        return {"time": moments, "names": names, "bytes": bands.tolist()}

    def tree(self, at: int, since: int | None = None) -> tuple[CallTree, list[str]]:
        """The calls that took what is held at a moment, or of that what they took after ``since``, the
        outermost first, and the texts of their names."""
        rows = live(self.allocations, at, since)
        stacks = self.profile.tables["stacks"]["end"]
        spent, counts = np.zeros(len(stacks), np.int64), np.zeros(len(stacks), np.int64)
        known = rows[self.allocations["stack"][rows] >= 0]
        np.add.at(spent, self.allocations["stack"][known], self.allocations["bytes"][known])
        np.add.at(counts, self.allocations["stack"][known], 1)
        used = np.flatnonzero(counts)
        names, ends, texts = _outermost_first(self.profile, used)
        return tree_of_stacks(names, ends, spent[used], counts[used]), texts

    def taken(self, at: int, since: int | None, most: int) -> dict[str, Any]:
        """The largest allocations that are held at a moment, or of these those taken after ``since``: columns
        ``name, module, purpose`` (texts), ``bytes, start``; the ``count`` and ``total`` bytes of all."""
        rows = live(self.allocations, at, since)
        sizes = self.allocations["bytes"][rows]
        shown = rows[np.argsort(-sizes, kind="stable")[:most]]
        texts = {name: self.texts(name, shown) for name in OWNER}
        numbers = {name: self.allocations[name][shown] for name in ("bytes", "start")}
        return {**texts, **numbers, "count": len(rows), "total": int(sizes.sum())}

    def texts(self, column: str, rows: NDArray[np.intp]) -> list[str]:
        """The texts of a column of allocations."""
        return [self._text(int(one)) for one in self.allocations[column][rows]]

    def _text(self, place: int) -> str:
        return self.profile.texts[place] if place >= 0 else ""


def _highest_moments(every: AllocationChanges, width: int, per: str) -> NDArray[np.int64]:
    """When most is held in each of ``width`` columns, the first time if several; columns without an event are
    left out."""
    times, level = every.times, every.level
    if per == "event":
        starts = np.unique(-(-np.arange(width + 1) * len(times) // width))
    else:
        length = int(times[-1] - times[0]) + 1
        starts = np.unique(np.searchsorted(times, times[0] - (-np.arange(width + 1) * length // width)))
    bounds = starts[starts < len(times)].tolist()
    tops = [low + int(np.argmax(level[low:high])) for low, high in pairwise([*bounds, len(times)])]
    return np.asarray(times[np.unique(tops)])


@frozen(eq=False)
class _Calls:
    """The frames of a profile: what each is called, whether it is Python's, and whether it says anything."""

    texts: list[str]
    is_python: NDArray[np.bool_]
    is_step: NDArray[np.bool_]
    is_noise: NDArray[np.bool_]

    @classmethod
    def of(cls, profile: Profile) -> _Calls:
        frames, texts = profile.tables["frames"], []
        is_python, is_step, is_hidden = (np.zeros(len(frames["name"]), bool) for _ in range(3))
        columns = (frames[key].tolist() for key in ("name", "file", "line"))
        for row, (name, file, line) in enumerate(zip(*columns, strict=True)):
            called = profile.texts[name] if name >= 0 else "?"
            where = profile.texts[file] if file >= 0 else ""
            is_python[row] = where.endswith(".py") or where.startswith("<")
            step = "" if is_python[row] else step_of_library(called)
            is_step[row], is_hidden[row] = bool(step), not is_python[row] and is_noise(called)
            texts.append(f"{called} {where}:{line}" if is_python[row] else step or without_arguments(called))
        return cls(texts, is_python, is_step, is_hidden)

    def stack(self, frames: NDArray[np.int32]) -> NDArray[np.int32]:
        """The frames of a stack from the outermost: Python's, then the operators and steps of the backward
        pass; where there are neither, those of the library. A snapshot has the library's first, the innermost
        before the others, and those of the interpreter among them."""
        python, steps = frames[self.is_python[frames]][::-1], frames[self.is_step[frames]][::-1]
        if not len(python) and not len(steps):
            return frames[~self.is_noise[frames]][::-1]
        repeats = np.array(
            [self.texts[one] == self.texts[other] for one, other in pairwise(steps.tolist())], bool
        )
        return np.concatenate([python, steps[~np.append(False, repeats)[: len(steps)]]])


def _outermost_first(
    profile: Profile, stacks: NDArray[np.intp]
) -> tuple[NDArray[np.int32], NDArray[np.int64], list[str]]:
    """The names of the calls of some stacks, the outermost first, where each stack ends, and the texts."""
    ends, frames = profile.tables["stacks"]["end"], profile.tables["stack_frames"]["frame"]
    calls = _Calls.of(profile)
    words = list(dict.fromkeys(calls.texts))
    places = {text: place for place, text in enumerate(words)}
    name = np.array([places[text] for text in calls.texts], np.int32)
    found = [
        calls.stack(frames[int(ends[one - 1]) if one else 0 : int(ends[one])]) for one in stacks.tolist()
    ]
    lengths = np.array([len(one) for one in found], np.int64)
    return name[np.concatenate(found)] if found else np.empty(0, np.int32), np.cumsum(lengths), words
