"""All that the store has of one event file, as plain values that the index can save and restore."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from attrs import Factory, frozen
from numpy.typing import NDArray

from insight_core.formats.batch import Flaw
from insight_core.formats.event import Metadata
from insight_core.plugin import Claim, Dialect
from insight_core.store.column_memory import Column


@frozen(eq=False)
class SeriesGroup:
    """Several series that one file gave to a plugin, end to end by tag.

    ``plugin`` is the text of the claim for values that no plugin claims.
    """

    plugin: str
    tags: tuple[str, ...]
    claims: tuple[Claim, ...]  # by which the values were taken; a column "claims" counts in these
    columns: Mapping[str, Column]  # one-dimensional, equally long, of what is retained; may be read-only
    ends: NDArray[np.int64]  # index after the last point of each tag
    totals: NDArray[np.int64] | None  # points recorded of each; None: all of them are retained
    ascending: NDArray[np.bool_]  # whether the steps of each tag never decrease

    def counts(self) -> NDArray[np.int64]:
        """Number of retained points of each tag."""
        counts = self.ends.copy()
        counts[1:] -= self.ends[:-1]
        return counts

    def columns_of(self, place: int) -> Mapping[str, Column]:
        """The columns of one tag, shared."""
        if len(self.tags) == 1:
            return self.columns
        first, end = self.ends[place - 1] if place else 0, self.ends[place]
        return {name: column[first:end] for name, column in self.columns.items()}


@frozen(eq=False)
class FileState:
    """What the store holds of one file that is read."""

    dialect: Dialect | None  # of an event file
    start_time: float | None  # smallest wall time seen
    metadata: Mapping[str, Metadata] = Factory(dict)  # by tag
    groups: tuple[SeriesGroup, ...] = ()  # no tag of a plugin twice
    refused: Mapping[str, Flaw] = Factory(dict)  # tags rejected by a cache policy or a wrong type
