"""Series of a file that nothing was added to: compact, and listed without a ``Series`` for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from attrs import define

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
            self._infos = [
                described(
                    SeriesKey(self.run, tag), count, count, first, last, value, time, 1, metadata, claims
                )
                for tag, count, first, last, value, time, metadata in zip(
                    self.block.tags,
                    *self._facts(),
                    map(self.metadata.get, self.block.tags),
                    strict=True,
                )
            ]
        return self._infos

    def _facts(self) -> tuple[list[Any], ...]:
        """Of each series: points, first and last step, last value (of numbers alone) and last wall time."""
        block = self.block
        if isinstance(block, StoredBlock):
            facts, _ = block.tables()
            found = facts["first_step"], facts["last_step"], facts["last_value"], facts["last_wall_time"]
            counts = np.diff(facts["end"], prepend=0)
        else:
            columns, counts, lasts = block.columns, block.counts(), block.ends - 1
            values = lasts if columns.values is None else columns.values[lasts]
            found = (
                columns.steps[block.ends - counts],
                columns.steps[lasts],
                values,
                columns.wall_times[lasts],
            )
        firsts, lasts, values, times = [column.tolist() for column in found]
        return (
            counts.tolist(),
            firsts,
            lasts,
            values if block.layout == NUMBERS else [None] * len(values),
            times,
        )
