"""Files with the same series that were read together: their points are in columns that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_core.formats.columns import Block, Columns
from insight_core.formats.dialects import Dialect

# of a file: its version, its first wall time (NaN: none), CRC-32C of its first bytes and of its last ones
FILES = np.dtype(
    [
        ("device", np.int64),
        ("inode", np.uint64),
        ("size", np.int64),
        ("mtime_ns", np.int64),
        ("ctime_ns", np.int64),
        ("start_time", np.float64),
        ("head_checksum", np.uint32),
        ("tail_checksum", np.uint32),
    ]
)
# numbers that say where a block is: its first row, the row after its last, then the first of its values, of
# its places and of its tags
PLACE = 5


class AlikeBlock(NamedTuple):
    """What a block has in common with those of files that are alike."""

    field: str  # of the event
    tags: tuple[str, ...]
    values: str  # "f" or "d", the character of their type; empty: payloads alone
    has_places: bool


@define(eq=False)
class SharedColumns:
    """The points of several files, one after the other."""

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    singles: NDArray[np.float32]
    doubles: NDArray[np.float64]
    places: NDArray[np.int64]  # [3, n], as ``Columns.places``
    ends: NDArray[np.int64]  # of each tag of each block, as ``Block.ends``
    ascending: NDArray[np.bool_]  # likewise
    is_counted: bool = False  # in the memory of the store

    def block(self, kind: AlikeBlock, place: Sequence[int]) -> Block:
        """A block at a PLACE, which shares memory with all others."""
        first, end, number_at, place_at, member = place
        points, members = end - first, slice(member, member + len(kind.tags))
        columns = Columns(self.steps[first:end], self.wall_times[first:end])
        if kind.values:
            numbers = self.singles if kind.values == "f" else self.doubles
            columns.values = numbers[number_at : number_at + points]
        if kind.has_places:
            columns.places = self.places[:, place_at : place_at + points]
        return Block(kind.field, kind.tags, self.ends[members], self.ascending[members], columns)


@define(eq=False)
class AlikeFiles:
    """Nothing changes them once the scan is over."""

    dialect: Dialect
    kinds: tuple[AlikeBlock, ...]
    columns: SharedColumns
    files: NDArray[Any]  # FILES
    places: NDArray[np.int64]  # [files, kinds, PLACE]

    def blocks(self, number: int) -> list[Block]:
        """The blocks of the file with this number."""
        places = self.places[number].tolist()
        return [self.columns.block(kind, place) for kind, place in zip(self.kinds, places, strict=True)]

    def start_time(self, number: int) -> float | None:
        """The smallest finite wall time of the file with this number."""
        time = self.files["start_time"].item(number)
        return None if time != time else time
