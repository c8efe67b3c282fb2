"""Series of a file that nothing was added to: compact, and listed without a ``Series`` for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyBlock, StoredBlock
from insight_core.plugin import Claim, SeriesField, SeriesInfo, SeriesKey, SeriesTable
from insight_core.store.segment import FileOrder
from insight_core.store.snapshot import NUMBERS, described

Fact: TypeAlias = Literal["points", "first_step", "last_step", "last_value", "last_wall_time"]


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
                    self.fact("points"),
                    self.fact("first_step"),
                    self.fact("last_step"),
                    self.fact("last_value"),
                    self.fact("last_wall_time"),
                    map(self.metadata.get, self.block.tags),
                    strict=True,
                )
            ]
        return self._infos

    def fact(self, name: Fact) -> list[Any]:
        """One fact of each series; the last value is None unless there are numbers alone."""
        block = self.block
        found: NDArray[Any]
        if name == "last_value" and block.layout != NUMBERS:
            return [None] * len(block.tags)
        if isinstance(block, StoredBlock):
            facts, _ = block.tables()
            found = np.diff(facts["end"], prepend=0) if name == "points" else facts[name]
        elif name == "points":
            found = block.counts()
        elif name == "first_step":
            found = block.columns.steps[block.ends - block.counts()]
        else:
            columns = block.columns
            column = {
                "last_step": columns.steps,
                "last_wall_time": columns.wall_times,
                "last_value": columns.values,
            }[name]
            assert column is not None
            found = column[block.ends - 1]
        listed: list[Any] = found.tolist()
        return listed

    def table(self, fields: Collection[SeriesField]) -> SeriesTable:
        """All series by column; only these fields are read."""
        common: dict[str, object] = {}
        columns: dict[str, list[object]] = {}
        for field in fields:
            if field == "attempts":
                common[field] = 1  # nothing rests that went back
            elif field == "claims":
                common[field] = (self.claim,)
            elif field == "display_name" or field == "description":
                if self.metadata:
                    known = map(self.metadata.get, self.block.tags)
                    columns[field] = [getattr(each, field) if each else "" for each in known]
                else:
                    common[field] = ""
            else:
                columns[field] = self.fact("points" if field == "kept" else field)
        return SeriesTable(self.run, self.block.tags, common, columns)
