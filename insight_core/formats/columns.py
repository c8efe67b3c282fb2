"""Columns of points: the one form that values have from the scanner to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import define
from numpy.typing import NDArray


@define(eq=False)
class Columns:
    """Points, in the order of their file. Nothing changes an array once it is here; it may be mapped."""

    steps: NDArray[np.int64]  # [n]
    wall_times: NDArray[np.float64]  # [n], seconds since the epoch
    values: NDArray[np.float64] | NDArray[np.float32] | None = None  # [n]; None: payloads alone
    # [3, n]: offset of the record in its file, offset and bytes of the payload; None: numbers alone
    places: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, points: slice | NDArray[Any]) -> Columns:
        """Some of the points: a slice shares memory, indices copy."""
        return Columns(
            self.steps[points],
            self.wall_times[points],
            None if self.values is None else self.values[points],
            None if self.places is None else self.places[:, points],
        )

    @property
    def layout(self) -> tuple[bool, bool]:
        """Whether there are values, and whether there are places."""
        return self.values is not None, self.places is not None

    def loaded(self) -> Columns:
        """These columns: they are in memory."""
        return self

    def without_places(self) -> Columns:
        """The same columns, without places."""
        return Columns(self.steps, self.wall_times, self.values)

    def arrays(self) -> list[NDArray[Any]]:
        """The columns that are there, in the order of the class."""
        every = (self.steps, self.wall_times, self.values, self.places)
        return [column for column in every if column is not None]


@define(eq=False)
class Block:
    """Points of some tags from one file: the points of one tag in file order, then those of the next tag.

    Numbers of simple_value and scalar_value have no places, and payloads have no values. Tensors of one
    number have both, or no places if their plugin reads only numbers (NumberTags).
    """

    field: str  # of the event; empty once a claim is known
    tags: tuple[str, ...]  # [t]
    ends: NDArray[np.int64]  # [t], index after the last point of each tag
    ascending: NDArray[np.bool_]  # [t], whether the steps of each tag never decrease
    columns: Columns
    totals: NDArray[np.int64] | None = None  # [t], points that were recorded; None: all of them are here
    stretches: NDArray[np.int64] | None = None  # [t], see ``SeriesPart.stretch``; None: the next

    @property
    def layout(self) -> tuple[bool, bool]:
        """See ``Columns.layout``."""
        return self.columns.layout

    def loaded(self) -> Block:
        """This block: it is in memory."""
        return self

    def counts(self) -> NDArray[np.int64]:
        """int64[t]: number of points of each tag."""
        counts = self.ends.copy()
        counts[1:] -= self.ends[:-1]
        return counts

    def columns_of(self, place: int) -> Columns:
        """The columns of the tag at this index, shared."""
        if len(self.tags) == 1:
            return self.columns
        return self.columns[self.ends[place - 1] if place else 0 : self.ends[place]]

    def of_tags(self, first: int, end: int) -> Block:
        """The part with the tags from index ``first`` to before ``end``, of a block as a scanner made it."""
        start = int(self.ends[first - 1]) if first else 0
        return Block(
            self.field,
            self.tags[first:end],
            self.ends[first:end] - start,
            self.ascending[first:end],
            self.columns[start : int(self.ends[end - 1])],
        )


def concatenated(pieces: Sequence[Columns]) -> Columns:
    """All points, with the columns that every piece has."""
    if len(pieces) == 1:
        return pieces[0]
    values: list[NDArray[Any]] = [piece.values for piece in pieces if piece.values is not None]
    places = [piece.places for piece in pieces if piece.places is not None]
    return Columns(
        np.concatenate([piece.steps for piece in pieces]),
        np.concatenate([piece.wall_times for piece in pieces]),
        np.concatenate(values) if len(values) == len(pieces) else None,
        np.concatenate(places, axis=1) if len(places) == len(pieces) else None,
    )


def never_back(steps: NDArray[Any]) -> bool:
    """Whether no step is smaller than the step before it."""
    return not np.count_nonzero(steps[1:] < steps[:-1])
