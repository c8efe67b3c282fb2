"""Finds where the ranks of a job stopped: who is missing in a collective, and who asked for another one.

Collectives of a process group have one number on all ranks. A rank is missing in the first one that not all
have completed if its own last one came before; where the recorder no longer has that number, nothing is
said of the rank. A rank of which no dump can be read is never missing: it may have called anything. Times
are compared within a group after their clocks are set by earlier collectives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.model import Note, Profile

_LATE = 1.0  # seconds after the others
# of collectives whose sizes are equal on all ranks; others give each rank its own
_SAME_SIZES = re.compile(r"all_?reduce|broadcast|reduce_scatter|all_?gather|(^|[:_])reduce$", re.IGNORECASE)
_OWN_SIZES = re.compile(r"all_?to_?all|coalesced|(^|:)_?(gather|scatter)|uneven|_v$", re.IGNORECASE)
_MOST = 50  # differences of a group
_NS = 1e9


@frozen
class RankLast:
    """The last collective of a rank in a group; ``sequence`` is -1 if it recorded none of the group."""

    rank: int
    sequence: int
    name: str
    state: str
    stack: Sequence[str] = ()


@frozen
class UnreadRank:
    """A rank of a group of which nothing is known: ``cause`` says why its dump cannot be read, None if there
    is no dump."""

    rank: int
    cause: Note | None = None


@frozen
class Disagreement:
    """A collective for which ranks asked differently: by what is said of it the ranks that said so."""

    sequence: int
    what: str  # name, sizes, types
    said: Mapping[str, Sequence[int]]


@frozen
class GroupState:
    """A process group: ``waiting`` ranks are in the collective ``sequence``, which ``missing`` ones have not
    called; 0 if all ranks have completed all that they recorded. ``late`` came so much later, seconds."""

    group: str
    ranks: Sequence[int]
    unread: Sequence[UnreadRank]
    sequence: int = 0
    name: str = ""
    sizes: str = ""
    waiting: Sequence[RankLast] = ()
    missing: Sequence[RankLast] = ()
    late: Mapping[int, float] = {}
    differences: Sequence[Disagreement] = ()


def hangs(profile: Profile) -> Sequence[GroupState]:
    """Each process group of a job; those that wait first."""
    table = profile.tables.get("flights")
    if table is None:
        return ()
    found = []
    for group in np.unique(table["group"]).tolist():
        rows = np.flatnonzero(table["group"] == group)
        found.append(_Group(profile, {name: column[rows] for name, column in table.items()}).state())
    return sorted(found, key=lambda one: (not one.missing, not one.differences, not one.sequence, one.group))


def _unread(rank: int, cause: Mapping[str, Any] | None) -> UnreadRank:
    return UnreadRank(rank, None if cause is None else Note(cause["code"], cause["values"], cause["text"]))


class _Group:
    def __init__(self, profile: Profile, rows: Mapping[str, NDArray[Any]]) -> None:
        self._profile, self._rows = profile, rows
        self._group = profile.texts[int(rows["group"][0])]
        recorded = np.unique(rows["rank"]).tolist()
        known = profile.documents.get("groups", {}).get(self._group) or recorded
        read = set(profile.documents.get("ranks", recorded))
        self._ranks = [rank for rank in known if rank in read]
        causes = profile.documents.get("unreadable", {})
        self._unread = [_unread(rank, causes.get(str(rank))) for rank in known if rank not in read]

    def state(self) -> GroupState:
        rows = self._rows
        done = [text == "completed" for text in self._profile.texts]
        last = {rank: self._last(rank) for rank in self._ranks}
        is_done = np.array([*done, False])[rows["state"]] | self._is_passed(last.values())
        differences = self._differences()
        opened = rows["sequence"][~is_done]
        plain = GroupState(self._group, self._ranks, self._unread, differences=differences)
        if not len(opened):
            return plain
        sequence = int(opened.min())
        at = np.flatnonzero((rows["sequence"] == sequence) & ~is_done)
        waiting = [self._told(int(row)) for row in at.tolist()]
        missing = [one for rank, one in last.items() if one.sequence < sequence]
        first = int(at[0])
        return GroupState(
            self._group,
            self._ranks,
            self._unread,
            sequence,
            self._text(rows["name"][first]),
            self._text(rows["sizes"][first]),
            waiting,
            missing,
            {} if missing else self._late(sequence),
            differences,
        )

    def _is_passed(self, last: Iterable[RankLast]) -> NDArray[np.bool_]:
        """Entries of gloo that all ranks have called: its recorder never says which are completed."""
        is_gloo = [text.startswith("gloo:") for text in self._profile.texts]
        called_by_all = min((one.sequence for one in last), default=-1)
        rows = self._rows
        passed: NDArray[np.bool_] = np.array([*is_gloo, False])[rows["name"]]
        passed &= rows["sequence"] <= called_by_all
        return passed

    def _last(self, rank: int) -> RankLast:
        mine = np.flatnonzero(self._rows["rank"] == rank)
        if not len(mine):
            return RankLast(rank, -1, "", "")
        return self._told(int(mine[np.argmax(self._rows["sequence"][mine])]))

    def _told(self, row: int) -> RankLast:
        rows = self._rows
        return RankLast(
            int(rows["rank"][row]),
            int(rows["sequence"][row]),
            self._text(rows["name"][row]),
            self._text(rows["state"][row]),
            self._stack(int(rows["stack"][row])),
        )

    def _stack(self, stack: int) -> list[str]:
        """Frames of a stack, the innermost first, as function and place."""
        if stack < 0:
            return []
        tables, texts = self._profile.tables, self._profile.texts
        ends = tables["stacks"]["end"]
        frames = tables["stack_frames"]["frame"][int(ends[stack - 1]) if stack else 0 : int(ends[stack])]
        columns = (tables["frames"][name][frames].tolist() for name in ("name", "file", "line"))
        return [f"{texts[name]} ({texts[file]}:{line})" for name, file, line in zip(*columns, strict=True)]

    def _differences(self) -> list[Disagreement]:
        """Collectives that ranks did not ask for alike; sizes count where all ranks must give equal ones."""
        rows, found = self._rows, []
        order = np.lexsort((rows["rank"], rows["sequence"]))
        starts = np.flatnonzero(np.diff(rows["sequence"][order], prepend=-1))
        for what in ("name", "sizes", "types"):
            column = rows[what][order]
            low, high = np.minimum.reduceat(column, starts), np.maximum.reduceat(column, starts)
            ends = np.append(starts[1:], len(order))
            for place in np.flatnonzero(low != high).tolist():
                mine = order[starts[place] : ends[place]]
                if what != "name" and not self._has_equal(mine):
                    continue
                said: dict[str, list[int]] = {}
                for row in mine.tolist():
                    said.setdefault(self._text(rows[what][row]), []).append(int(rows["rank"][row]))
                found.append(Disagreement(int(rows["sequence"][mine[0]]), what, said))
        return sorted(found, key=lambda one: one.sequence)[:_MOST]

    def _has_equal(self, rows: NDArray[np.intp]) -> bool:
        """Whether all ranks must give the same sizes: they call the same, and not one that takes any."""
        names = {self._text(self._rows["name"][row]) for row in rows.tolist()}
        if len(names) > 1:
            return False
        [name] = names
        return bool(_SAME_SIZES.search(name)) and not _OWN_SIZES.search(name)

    def _late(self, sequence: int) -> dict[int, float]:
        """How many seconds after the median of the others ranks came, by their own clocks, set by the
        collectives before."""
        rows = self._rows
        sequences, ranks = np.unique(rows["sequence"]), np.unique(rows["rank"])
        times = np.full((len(sequences), len(ranks)), np.nan)
        at = np.searchsorted(sequences, rows["sequence"]), np.searchsorted(ranks, rows["rank"])
        times[at] = (rows["created"] - rows["created"].min()) / _NS
        earlier = times[(sequences < sequence) & ~np.isnan(times).any(axis=1)]
        if len(earlier) < 2 or len(ranks) < 3:
            return {}
        offset = np.median(earlier - np.median(earlier, axis=1, keepdims=True), axis=0)
        came = times[sequences == sequence][0] - offset
        lag = came - np.nanmedian(came)
        return {
            int(ranks[place]): round(float(lag[place]), 3) for place in np.flatnonzero(lag > _LATE).tolist()
        }

    def _text(self, place: int) -> str:
        return self._profile.texts[place] if place >= 0 else ""
