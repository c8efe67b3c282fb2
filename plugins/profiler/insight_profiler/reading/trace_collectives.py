"""Reads collectives and transfers between ranks from the kernels of a trace.

Since version 2.2 torch.profiler says with each kernel of NCCL which collective it is, how many elements go
in and come out, and of which type; since 2.6 also the peer of a transfer between two ranks, as a rank of
the whole job. The size of a collective is the larger of what goes in and what comes out, as in nccl-tests
(https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md); its time is that of its kernel, in
which it waits for the other ranks too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_profiler.building import Building

COLLECTIVE = "Collective name"
_TRANSFERS = ("send", "recv")
_BYTES = {
    "byte": 1, "char": 1, "bool": 1, "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1, "short": 2, "half": 2, "bfloat16": 2, "uint16": 2, "int": 4, "float": 4,
    "uint32": 4, "long": 8, "double": 8, "complexfloat": 8, "complexhalf": 4, "complexdouble": 16,
    "uint64": 8,
}  # fmt: skip
_MOST_RANKS = 1 << 24


class TraceCollectives:
    """Collectives of the window that is being read, by the rows of their kernels."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._rows: list[int] = []
        self._names: list[int] = []
        self._kinds: list[int] = []
        self._sizes: list[float] = []
        self._peers: list[tuple[int, int]] = []  # source, target; -1: this rank or unknown
        self._links: list[tuple[NDArray[Any], ...]] = []
        building.before_finish(self._add_links)

    def look(self, row: int, said: Mapping[str, Any]) -> None:
        """Notes the collective of a kernel, if it is one. ``row`` is that of its slice in the window."""
        name = said.get(COLLECTIVE)
        if not isinstance(name, str) or not name:
            return
        text = self._building.text
        is_transfer = name.lower() in _TRANSFERS
        self._rows.append(row)
        self._names.append(text(name))
        self._kinds.append(text("p2p" if is_transfer else "collective"))
        self._sizes.append(_size(said))
        peers = (_rank(said.get("Src Rank")), _rank(said.get("Dst Rank"))) if is_transfer else (-1, -1)
        self._peers.append(peers)

    def add(self, starts: NDArray[np.int64], durations: NDArray[np.int64], good: NDArray[np.bool_]) -> None:
        """Adds those of a window whose slices have a time."""
        if not self._rows:
            return
        rows = np.array(self._rows)
        keep = good[rows]
        rows = rows[keep]
        start, elapsed = starts[rows], durations[rows]
        size = np.array(self._sizes)[keep]
        self._building.add(
            "collectives",
            name=np.array(self._names)[keep],
            kind=np.array(self._kinds)[keep],
            start=start,
            elapsed=elapsed,
            bytes=size,
        )
        peers = np.array(self._peers)[keep]
        named = (peers >= 0).any(axis=1)
        if named.any():
            self._links.append((peers[named], start[named], elapsed[named], size[named]))
        for each in (self._rows, self._names, self._kinds, self._sizes, self._peers):
            each.clear()

    def _add_links(self) -> None:
        """The other end of each transfer is this rank, which the head of the trace names, often at its
        end."""
        rank = self._building.rank
        if rank < 0:
            return
        for peers, start, elapsed, size in self._links:
            ends = np.where(peers >= 0, peers, rank)
            bandwidth = np.full(len(size), np.nan)
            np.divide(size * 1e9, elapsed, out=bandwidth, where=elapsed > 0)
            self._building.add(
                "links",
                source=ends[:, 0],
                target=ends[:, 1],
                kind=np.full(len(size), self._building.text("NCCL")),
                start=start,
                elapsed=elapsed,
                bytes=size,
                bandwidth=bandwidth,
            )
        self._links.clear()


def _size(said: Mapping[str, Any]) -> float:
    width = _BYTES.get(str(said.get("dtype", "")).lower())
    counts = [
        count
        for count in (said.get("In msg nelems"), said.get("Out msg nelems"))
        if isinstance(count, int) and count >= 0
    ]
    return float(width * max(counts)) if width and counts else np.nan


def _rank(value: object) -> int:
    if isinstance(value, str) and value.isdecimal():
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < _MOST_RANKS else -1
