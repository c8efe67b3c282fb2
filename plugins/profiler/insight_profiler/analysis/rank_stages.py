"""Which pipeline stage each rank of a job is of: as the logs say, else by whom ranks send to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from insight_profiler.model import Profile, Source


def stages_of_job(ranks: Sequence[Profile]) -> Mapping[int, Any]:
    """The stage of each rank by its number; nothing where neither the logs nor their sends and receives tell.

    Where the log of any rank names a stage, only these count: stages of MindSpore, and the place of a rank in
    its process group of a pipeline (``trace_head.py``).
    """
    told = {rank.rank: stage for rank in ranks if (stage := rank.facts.get("stage")) is not None}
    return told or _stages_by_peers(ranks)


def _stages_by_peers(ranks: Sequence[Profile]) -> Mapping[int, int]:
    """The place of each rank in its chain of sends and receives, if these make chains of equal length.

    Stages of a pipeline send to the next and back, so that their ranks are chains; the end with the smaller
    rank is the first stage. Chains of two may also be pairs that exchange parts of a batch: they count as
    stages if the second is half of the ranks away, as frameworks place the stages of a pipeline. A ring
    tells nothing.
    """
    pairs = _pairs(ranks)
    near: dict[int, list[int]] = {}
    for one, other in pairs:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    if near.keys() != {rank.rank for rank in ranks} or any(len(peers) > 2 for peers in near.values()):
        return {}
    found: dict[int, int] = {}
    lengths = set()
    for first in sorted(rank for rank, peers in near.items() if len(peers) == 1):
        chain = [first] if first not in found else []
        while chain and (after := [peer for peer in near[chain[-1]] if peer not in chain]):
            chain += after
        found.update({rank: place for place, rank in enumerate(chain)})
        lengths.update({len(chain)} - {0})
    if len(lengths) != 1 or len(found) != len(near):  # the ranks of a ring have no end
        return {}
    are_far = all(2 * abs(one - other) == len(near) for one, other in pairs)
    return found if lengths != {2} or (are_far and len(near) > 2) else {}


def _pairs(ranks: Sequence[Profile]) -> list[list[int]]:
    """The pairs of ranks between which traces of torch show transfers; the smaller rank comes first."""
    ends = [
        np.stack((np.minimum(table["source"], table["target"]), np.maximum(table["source"], table["target"])))
        for rank in ranks
        if rank.source is Source.TORCH and (table := rank.tables.get("links")) is not None
    ]
    if not ends:
        return []
    both = np.unique(np.concatenate(ends, axis=1), axis=1)
    found: list[list[int]] = both[:, both[0] != both[1]].T.tolist()
    return found
