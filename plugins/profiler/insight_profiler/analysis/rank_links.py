"""Links between ranks: who sent how much to whom, how long it took, and which links are slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.rank_summary import renumbered
from insight_profiler.analysis.steps import are_named
from insight_profiler.analysis.sums import numbered, ratio
from insight_profiler.model import Profile

SLOW = 0.7  # of the median bandwidth of its kind: a link above it is not worth a word
LEAST_LINKS = 4  # of a kind, fewer tell nothing
_LEAST_SIZE = 0.25  # of the median size: less cannot fill a link
_CHANCE = 0.01  # that noise alone makes one of the links slow
_MOST = 200_000  # links


@frozen(eq=False)
class RankLinks:
    """Columns, one row for each pair of ranks and kind of transport; ``kind`` is a place in ``kinds``."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    kind: NDArray[np.int64]
    elapsed: NDArray[np.float64]  # ns
    bytes: NDArray[np.float64]
    kinds: Sequence[str]

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
        columns = [*ends, kind, table["elapsed"][rows], table["bytes"][rows], np.full(len(rows), rank.rank)]
        parts.append(np.array(columns, np.float64))
    if not parts:
        empty = np.empty(0)
        return RankLinks(
            empty.astype(np.int64), empty.astype(np.int64), empty.astype(np.int64), empty, empty, ()
        )
    source, target, kind_column, elapsed, size, reporter = np.concatenate(parts, axis=1)
    is_sender = reporter == source
    groups, _ = numbered([source, target, kind_column], np.ones(len(source), bool))
    has_sender = np.bincount(groups, is_sender) > 0
    counted = is_sender | ~has_sender[groups]
    groups, firsts = numbered([source, target, kind_column], counted & (elapsed > 0) & (size >= 0))
    rows = np.flatnonzero(groups >= 0)
    return RankLinks(
        source[firsts].astype(np.int64),
        target[firsts].astype(np.int64),
        kind_column[firsts].astype(np.int64),
        np.bincount(groups[rows], elapsed[rows], len(firsts)).astype(np.float64),
        np.bincount(groups[rows], size[rows], len(firsts)).astype(np.float64),
        tuple(kinds),
    )


def slow_links(links: RankLinks) -> list[dict[str, Any]]:
    """Links that are clearly slower than others of their kind, the slowest first.

    A link is slow if its bandwidth is below ``SLOW`` times the median of its kind and further below it than
    chance explains: its modified z-score (``outliers.py``) is beyond the quantile at which one of so many
    healthy links would be so with a probability of a hundredth. Links with little to send, and kinds with
    fewer than four links, are not judged.
    """
    found: list[dict[str, Any]] = []
    bandwidth = links.bandwidth
    for kind in np.unique(links.kind).tolist():
        rows = np.flatnonzero((links.kind == kind) & (bandwidth > 0))
        rows = rows[links.bytes[rows] >= _LEAST_SIZE * np.median(links.bytes[rows])] if len(rows) else rows
        if len(rows) < LEAST_LINKS:
            continue
        own = bandwidth[rows]
        usual = float(np.median(own))
        spread = float(np.median(np.abs(own - usual))) / 0.6745
        limit = min(SLOW * usual, usual - NormalDist().inv_cdf(1 - _CHANCE / len(rows)) * spread)
        for row in rows[own < limit].tolist():
            found.append(
                {
                    "source": int(links.source[row]),
                    "target": int(links.target[row]),
                    "kind": links.kinds[kind],
                    "bandwidth": float(bandwidth[row]),
                    "usual": usual,
                }
            )
    return sorted(found, key=lambda one: one["bandwidth"] / one["usual"])


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
