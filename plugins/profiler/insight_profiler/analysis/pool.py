"""Where memory lies: the segments of an allocator and their blocks, and how much is free in which pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.allocations import live
from insight_profiler.analysis.held_memory import HeldMemory
from insight_profiler.model import Profile

OUT_OF_MEMORY = "out of memory"  # an annotation
_MOST_BLOCKS = 200_000  # that are drawn; facts are of all
_BLOCK = 512  # bytes; the allocator gives whole multiples
_SUMS = ("reserved", "allocated", "pending", "requested", "free_blocks", "unused_segments", "segments")


@frozen
class Failure:
    """An allocation that failed: when (ns), on which device, bytes that were wanted, and were free there."""

    device: int
    at: int
    wanted: int
    free: int


def failures(profile: Profile) -> list[Failure]:
    """The last allocations that failed for want of memory, in their order by device."""
    told = profile.documents.get("failures", ())
    marks = profile.tables.get("annotations")
    if not told or marks is None or OUT_OF_MEMORY not in profile.texts:
        return []
    times = marks["start"][marks["name"] == profile.texts.index(OUT_OF_MEMORY)].tolist()
    return [Failure(at=at, **one) for at, one in zip(times, told, strict=False)]


def pools(profile: Profile, device: int) -> list[Mapping[str, Any]]:
    """What the snapshot says of each pool of a device at its end, by stream.

    Bytes that are ``reserved``, ``allocated``, ``pending`` (freed, but a stream may still use them) and
    ``requested``, of the ``largest_free`` block and of ``unused_segments``; how many ``free_blocks`` and
    ``segments`` there are.
    """
    return [one for one in profile.documents.get("pools", ()) if one["device"] == device]


def pool_facts(of_streams: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The same of several pools together."""
    known = list(of_streams)
    sums = {name: sum(one[name] for one in known) for name in _SUMS}
    return {**sums, "largest_free": max((one["largest_free"] for one in known), default=0)}


def pool_at(held: HeldMemory, at: int) -> dict[str, Any]:
    """The segments of a device at a moment, and their blocks by address, of which the largest are drawn.

    ``facts`` are of all of them (``pool_facts``): at the end what the snapshot says, before that what its
    events say, where blocks are as large as what was asked for, in whole multiples of 512 bytes.
    """
    segments, rows = held.segments, live(held.allocations, at)
    alive = live(segments, at)
    alive = alive[np.argsort(segments["address"][alive])]
    rows = rows[np.argsort(held.allocations["address"][rows])]
    base, whole = segments["address"][alive], segments["bytes"][alive]
    address = held.allocations["address"][rows]
    of = np.searchsorted(base, address, "right") - 1
    inside = of >= 0
    inside[inside] = address[inside] < (base + whole)[of[inside]]
    rows, address, of = rows[inside], address[inside], of[inside]
    asked = held.allocations["bytes"][rows]
    known = pools(held.profile, held.device) if at >= held.last else []
    facts = pool_facts(known) if known else _Layout(base, whole, address, asked, of).facts()
    if len(rows) > _MOST_BLOCKS:
        kept = np.sort(np.argpartition(-asked, _MOST_BLOCKS)[:_MOST_BLOCKS])
        rows, address, asked, of = rows[kept], address[kept], asked[kept], of[kept]
    return {
        "segments": {"address": base, "bytes": whole},
        "blocks": {
            "segment": of.astype(np.int32),
            "offset": address - base[of] if len(of) else address,
            "bytes": asked,
            "name": held.texts("name", rows),
            "purpose": held.texts("purpose", rows),
            "start": held.allocations["start"][rows],
        },
        "facts": facts,
        "streams": known if len(known) > 1 else [],
    }


@frozen(eq=False)
class _Layout:
    """Segments by address, and the blocks in them by address with the segment that each lies in."""

    base: NDArray[np.int64]
    whole: NDArray[np.int64]
    address: NDArray[np.int64]
    asked: NDArray[np.int64]
    of: NDArray[np.intp]

    def facts(self) -> dict[str, Any]:
        end = (self.base + self.whole)[self.of]
        is_last = np.append(self.of[1:] != self.of[:-1], True)[: len(self.of)]
        limit = np.where(is_last, end, np.append(self.address[1:], 0)[: len(self.of)])
        sizes = np.maximum(-(-self.asked // _BLOCK) * _BLOCK, _BLOCK)
        sizes = np.clip(sizes, 0, np.maximum(limit - self.address, 0))
        behind = limit - self.address - sizes
        is_first = np.append(True, self.of[1:] != self.of[:-1])[: len(self.of)]
        before = (self.address - self.base[self.of])[is_first]
        used = np.bincount(self.of, sizes, len(self.base)).astype(np.int64)
        empty = self.whole[used == 0]
        free = np.concatenate([behind, before, empty])
        return {
            "reserved": int(self.whole.sum()),
            "allocated": int(used.sum()),
            "pending": 0,
            "requested": int(self.asked.sum()),
            "free_blocks": int((free > 0).sum()),
            "unused_segments": int(empty.sum()),
            "segments": len(self.base),
            "largest_free": int(free.max(initial=0)),
        }
