"""Links between ranks: who sent how much to whom, and how long it took, in all and by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from insight_profiler.analysis.rank_summary import renumbered
from insight_profiler.analysis.steps import are_named
from insight_profiler.analysis.sums import numbered, ratio
from insight_profiler.model import Profile

_MOST = 200_000  # links
_MOST_CELLS = 20_000_000  # of links by steps


@frozen(eq=False)
class RankLinks:
    """Columns, one row for each pair of ranks and kind of transport; ``kind`` is a place in ``kinds``.

    ``by_step`` is float64[links, steps]: bytes a second of the fastest transfer of a step, as the end saw it
    that came last, so that waiting for the other end hardly counts; NaN where nothing is known. It has no
    columns where there are too many links and steps. ``spent`` has their times in ns.
    """

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    kind: NDArray[np.int64]
    elapsed: NDArray[np.float64]  # ns
    bytes: NDArray[np.float64]
    kinds: Sequence[str]
    numbers: NDArray[np.int64] = field(factory=lambda: np.empty(0, np.int64))  # of the steps
    by_step: NDArray[np.float64] = field(factory=lambda: np.empty((0, 0)))
    spent: NDArray[np.float64] = field(factory=lambda: np.empty((0, 0)))

    @property
    def bandwidth(self) -> NDArray[np.float64]:
        """Bytes a second; NaN where size or time is not known."""
        found: NDArray[np.float64] = ratio(self.bytes, self.elapsed) * 1e9
        found[self.elapsed <= 0] = np.nan
        return found


def links_of(ranks: Sequence[Profile], steps: str | None) -> RankLinks:
    """Links between different ranks, of the steps that ``steps`` names (``2-5,9``) or of all.

    A link counts as its sender saw it, and as its receiver did only where the sender says nothing. Where
    ranks are numbered within a group, as in ``communication_matrix.json``, the copies of ranks to
    themselves tell which rank has which number, as in msprof-analyze; a number that these do not tell
    counts as the rank itself.
    """
    kinds: dict[str, int] = {}
    own = _own_numbers(ranks)
    parts: list[NDArray[np.float64]] = []
    for rank in ranks:
        table = rank.tables.get("links")
        if table is None:
            continue
        chosen = np.ones(len(table["step"]), bool) if steps is None else are_named(table["step"], steps)
        rows = np.flatnonzero(chosen & (table["source"] != table["target"]))
        if not len(rows):
            continue
        ends = [_of_job(rank, table["group"][rows], table[end][rows], own) for end in ("source", "target")]
        kind = renumbered(table["kind"][rows], rank.texts, kinds)
        if (kind < 0).any():
            kind[kind < 0] = kinds.setdefault("", len(kinds))
        fastest = table.get("fastest", table["bandwidth"])[rows]
        told = table["elapsed"][rows], table["bytes"][rows]
        columns = [*ends, kind, *told, np.full(len(rows), rank.rank), table["step"][rows], fastest]
        parts.append(np.array(columns, np.float64))
    if not parts:
        empty = np.empty(0)
        return RankLinks(
            empty.astype(np.int64), empty.astype(np.int64), empty.astype(np.int64), empty, empty, ()
        )
    source, target, kind_column, elapsed, size, reporter, step, fastest = np.concatenate(parts, axis=1)
    is_sender = reporter == source
    keys = [source, target, kind_column]
    groups, _ = numbered(keys, np.ones(len(source), bool))
    has_sender = np.bincount(groups, is_sender) > 0
    counted = is_sender | ~has_sender[groups]
    is_known = (elapsed > 0) & (size >= 0)
    groups, firsts = numbered(keys, counted & is_known)
    rows = np.flatnonzero(groups >= 0)
    links = RankLinks(
        source[firsts].astype(np.int64),
        target[firsts].astype(np.int64),
        kind_column[firsts].astype(np.int64),
        np.bincount(groups[rows], elapsed[rows], len(firsts)).astype(np.float64),
        np.bincount(groups[rows], size[rows], len(firsts)).astype(np.float64),
        tuple(kinds),
    )
    both, _ = numbered(keys, is_known)  # the same links in the same order, as both ends saw them
    return _by_step(links, both, step, elapsed, fastest)


def _by_step(
    links: RankLinks,
    groups: NDArray[np.intp],
    step: NDArray[np.float64],
    elapsed: NDArray[np.float64],
    fastest: NDArray[np.float64],
) -> RankLinks:
    """The links with their columns by step. ``groups``: the link of each row, an index."""
    rows = np.flatnonzero((groups >= 0) & (step >= 0) & (fastest > 0))
    numbers, column = np.unique(step[rows].astype(np.int64), return_inverse=True)
    shape = len(links.source), len(numbers)
    if not len(rows) or shape[0] * shape[1] > _MOST_CELLS:
        return links
    by_step, spent = np.zeros(shape), np.full(shape, np.inf)
    np.maximum.at(by_step, (groups[rows], column), fastest[rows])
    np.minimum.at(spent, (groups[rows], column), elapsed[rows])
    nothing = by_step == 0
    by_step[nothing] = spent[nothing] = np.nan
    return evolve(links, numbers=numbers, by_step=by_step, spent=spent)


def links_answer(links: RankLinks) -> dict[str, Any]:
    """Columns of the links as JSON; of very many those that took the longest. ``count`` is of all."""
    count = len(links.source)
    rows: NDArray[np.intp] = np.arange(count)
    if count > _MOST:
        rows = np.sort(np.argpartition(-links.elapsed, _MOST)[:_MOST])
    bandwidth = links.bandwidth[rows]
    return {
        "kinds": list(links.kinds),
        "source": links.source[rows],
        "target": links.target[rows],
        "kind": links.kind[rows],
        "elapsed": links.elapsed[rows].round(),
        "bytes": links.bytes[rows].round(),
        "bandwidth": np.where(np.isnan(bandwidth), np.nan, bandwidth.round()),
        "count": count,
    }


def _own_numbers(ranks: Sequence[Profile]) -> Mapping[tuple[str, int], int]:
    """Ranks of the job by group and by their numbers within it."""
    found: dict[tuple[str, int], int] = {}
    for rank in ranks:
        table = rank.tables.get("links")
        if table is None:
            continue
        rows = np.flatnonzero((table["source"] == table["target"]) & (table["group"] >= 0))
        for group, number in zip(table["group"][rows].tolist(), table["source"][rows].tolist(), strict=True):
            found.setdefault((rank.texts[group], number), rank.rank)
    return found


def _of_job(
    rank: Profile, groups: NDArray[np.int32], numbers: NDArray[np.int32], own: Mapping[tuple[str, int], int]
) -> NDArray[np.int32]:
    if (groups < 0).all():
        return numbers
    pairs, rows = np.unique(np.stack((groups, numbers)), axis=1, return_inverse=True)
    found = [
        own.get((rank.texts[group], number), number) if group >= 0 else number
        for group, number in pairs.T.tolist()
    ]
    return np.array(found, np.int32)[rows.ravel()]
