"""Series of a file that nothing was added to: compact, and listed without a ``Series`` for each."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyBlock, StoredBlock
from insight_core.plugin import Claim, SeriesInfo, SeriesKey
from insight_core.store.segment import FileOrder
from insight_core.store.snapshot import NUMBERS, described


@define(eq=False)
class Resting:
    """Series of the first file of a run, all points kept: a ``Series`` is made when one is needed."""

    run: str
    order: FileOrder
    claim: Claim
    reader: str  # the plugin, or the claim
    block: AnyBlock
    metadata: Mapping[str, Metadata]  # of the run, by tag; does not change as long as this exists
    _infos: list[SeriesInfo] | None = None

    def infos(self) -> list[SeriesInfo]:
        """``Series.info`` of each series."""
        if self._infos is None:
            claims = (self.claim,)
            facts = {name: column.tolist() for name, column in self.facts().items()}
            self._infos = [
                described(
                    SeriesKey(self.run, tag), count, count, first, last, value, time, 1, metadata, claims
                )
                for tag, count, first, last, value, time, metadata in zip(
                    self.block.tags,
                    facts["points"],
                    facts["first_step"],
                    facts["last_step"],
                    facts.get("last_value", itertools.repeat(None, len(self.block.tags))),
                    facts["last_wall_time"],
                    map(self.metadata.get, self.block.tags),
                    strict=True,
                )
            ]
        return self._infos

    def facts(self) -> dict[str, NDArray[Any]]:
        """One value for each series: points, first and last step, last wall time; last value of numbers."""
        block = self.block
        if isinstance(block, StoredBlock):
            table, _ = block.tables()
            names = ("first_step", "last_step", "last_wall_time", "last_value")
            found = {"points": np.diff(table["end"], prepend=0)} | {name: table[name] for name in names}
        else:
            columns, counts, lasts = block.columns, block.counts(), block.ends - 1
            found = {
                "points": counts,
                "first_step": columns.steps[block.ends - counts],
                "last_step": columns.steps[lasts],
                "last_wall_time": columns.wall_times[lasts],
            }
            if columns.values is not None:
                found["last_value"] = columns.values[lasts]
        if block.layout != NUMBERS:
            found.pop("last_value", None)
        return found
