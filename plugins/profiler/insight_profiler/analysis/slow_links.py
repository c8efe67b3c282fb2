"""Finds links between ranks that are slower than others, or than they were."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.changes import rising_since
from insight_profiler.analysis.rank_links import RankLinks

SLOW = 0.7  # of the usual bandwidth: a link above it is not worth a word
LEAST_LINKS = 4  # of a kind, fewer tell nothing
_LEAST_SIZE = 0.25  # of the median size: less cannot fill a link
_CHANCE = 0.01  # that noise alone makes one of the links slow
_TWO_WAY = 0.5  # of the links have one in the other direction


def slow_links(links: RankLinks) -> list[dict[str, Any]]:
    """Links that are clearly slower than others of their kind and direction, or than in earlier steps, the
    slowest first.

    A link is slow if its bandwidth is below ``SLOW`` times the median of its kind and further below it than
    chance explains: its modified z-score (``outliers.py``) is beyond the quantile at which one of so many
    healthy links would be so with a probability of a hundredth. Where ranks send in both directions, as the
    stages of a pipeline do, each is judged alone: what goes forward and what comes back differ in size. Links
    with little to send, and kinds with fewer than four links, are not judged. ``since`` is the number of the
    step since which a link is slower than before (``rising_since``), None for one that is slower than others;
    ``lost`` are the ns that it takes more than it would at the usual bandwidth.
    """
    found = {**dict(_slower_than_others(links)), **dict(_slower_than_before(links))}
    told = [
        {
            "source": int(links.source[row]),
            "target": int(links.target[row]),
            "kind": links.kinds[links.kind[row]],
            **one,
        }
        for row, one in found.items()
    ]
    return sorted(told, key=lambda one: one["bandwidth"] / one["usual"])


def _slower_than_others(links: RankLinks) -> Iterator[tuple[int, dict[str, Any]]]:
    bandwidth = _usual(links)
    direction = np.where(links.target > links.source, 1, -1) * _are_two_way(links)
    for kind, way in np.unique(np.stack((links.kind, direction)), axis=1).T.tolist():
        rows = np.flatnonzero((links.kind == kind) & (direction == way) & (bandwidth > 0))
        rows = rows[links.bytes[rows] >= _LEAST_SIZE * np.median(links.bytes[rows])] if len(rows) else rows
        if len(rows) < LEAST_LINKS:
            continue
        own = bandwidth[rows]
        usual = float(np.median(own))
        spread = float(np.median(np.abs(own - usual))) / 0.6745
        limit = min(SLOW * usual, usual - NormalDist().inv_cdf(1 - _CHANCE / len(rows)) * spread)
        for row in rows[own < limit].tolist():
            lost = float(links.elapsed[row]) * (1 - float(bandwidth[row]) / usual)
            yield row, {"bandwidth": float(bandwidth[row]), "usual": usual, "since": None, "lost": lost}


def _slower_than_before(links: RankLinks) -> Iterator[tuple[int, dict[str, Any]]]:
    """Links whose transfers take longer since some step; those that do not send in every step are left
    out."""
    rows = np.flatnonzero(~np.isnan(links.by_step).any(axis=1)) if links.by_step.size else np.empty(0, int)
    if not len(rows):
        return
    for at, one in slower_since(links.by_step[rows], links.spent[rows], links.numbers):
        yield int(rows[at]), one


def slower_since(
    bandwidth: NDArray[np.float64], spent: NDArray[np.float64], numbers: NDArray[np.int64]
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of [rows, steps] whose bandwidth since some step is below ``SLOW`` times that before."""
    since = rising_since(np.median(bandwidth, axis=1, keepdims=True) / bandwidth)
    for row in np.flatnonzero(since).tolist():
        first = int(since[row])
        usual, now = (float(np.median(part)) for part in np.split(bandwidth[row], [first]))
        if now < SLOW * usual:
            lost = float(spent[row, first:].sum()) * (1 - now / usual)
            yield row, {"bandwidth": now, "usual": usual, "since": int(numbers[first]), "lost": lost}


def _usual(links: RankLinks) -> NDArray[np.float64]:
    """float64[links]: the median over the steps, or the mean where they are not known."""
    if not links.by_step.size:
        return links.bandwidth
    known = ~np.isnan(links.by_step).all(axis=1)
    found = links.bandwidth
    found[known] = np.nanmedian(links.by_step[known], axis=1)
    return found


def _are_two_way(links: RankLinks) -> NDArray[np.bool_]:
    """bool[links]: whether most links of the kind have one in the other direction."""
    count = int(max(links.source.max(initial=0), links.target.max(initial=0))) + 1
    there = (links.kind * count + links.source) * count + links.target
    back = (links.kind * count + links.target) * count + links.source
    has_back = np.isin(back, there)
    found = np.zeros(len(there), bool)
    for kind in np.unique(links.kind).tolist():
        mine = links.kind == kind
        found[mine] = has_back[mine].mean() >= _TWO_WAY
    return found
