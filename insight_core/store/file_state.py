"""Everything the store holds of one event file, as plain values: fit to be written down and restored."""

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
    """What one file gave to some series of a plugin, end to end: the points of one tag, then those of the
    next. ``plugin`` is a claim's text for values that no plugin takes."""

    plugin: str
    tags: tuple[str, ...]
    claims: tuple[Claim, ...]  # by which the values were taken; a column "claims" counts in these
    columns: Mapping[str, Column]  # one-dimensional, equally long, of what is retained; may be read-only
    ends: NDArray[np.int64]  # index after the last point of each tag
    totals: NDArray[np.int64] | None  # points recorded of each; None: all of them are retained
    ascending: NDArray[np.bool_]  # whether the steps of each never go back

    def counts(self) -> NDArray[np.int64]:
        """How many points of each tag are retained."""
        counts = self.ends.copy()
        counts[1:] -= self.ends[:-1]
        return counts

    def columns_of(self, place: int) -> Mapping[str, Column]:
        """Those of one tag, shared."""
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
    refused: Mapping[str, Flaw] = Factory(dict)  # tags that a cache policy or a wrong type kept out
