"""Series of a file that nothing was added to: compact, and listed without a ``Series`` for each."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from attrs import define
from numpy.typing import NDArray

from insight_core.formats.columns import Block
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyBlock, StoredBlock
from insight_core.plugin import CachePolicy, Claim
from insight_core.plugin.data import SeriesField, SeriesInfo, SeriesKey, SeriesTable
from insight_core.store.retention import keeps_all
from insight_core.store.segment import FileOrder
from insight_core.store.snapshot import NO_METADATA, NUMBERS, described

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
    _places: Mapping[str, int] | None = None
    _infos: list[SeriesInfo] | None = None

    @property
    def places(self) -> Mapping[str, int]:
        """The index of each tag; runs with equal tags share it."""
        if self._places is None:
            self._places = _places_of(self.block.tags)
        return self._places

    def infos(self, tags: Collection[str] | None = None) -> Sequence[SeriesInfo]:
        """``Series.info`` of each series, or of those that have one of the ``tags``."""
        if tags is not None:
            return self._described(self._chosen(tags))
        if self._infos is None:
            self._infos = self._described(None)
        return self._infos

    def _chosen(self, tags: Collection[str]) -> list[int]:
        """Places of these tags, ascending."""
        known = self.places
        return sorted({place for tag in tags if (place := known.get(tag)) is not None})

    def _described(self, places: list[int] | None) -> list[SeriesInfo]:
        tags, claims = self._tags(places), (self.claim,)
        return [
            described(SeriesKey(self.run, tag), count, count, first, last, value, time, 1, metadata, claims)
            for tag, count, first, last, value, time, metadata in zip(
                tags,
                self.fact("points", places),
                self.fact("first_step", places),
                self.fact("last_step", places),
                self.fact("last_value", places),
                self.fact("last_wall_time", places),
                map(self.metadata.get, tags),
                strict=True,
            )
        ]

    def _tags(self, places: list[int] | None) -> tuple[str, ...]:
        tags = self.block.tags
        return tags if places is None else tuple([tags[place] for place in places])

    def fact(self, name: Fact, places: list[int] | None = None) -> list[Any]:
        """One fact of each series, or of those at ``places``; the last value is None unless there are numbers
        alone.
        """
        block = self.block
        found: NDArray[Any]
        if name == "last_value" and block.layout != NUMBERS:
            return [None] * len(block.tags if places is None else places)
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
        listed: list[Any] = (found if places is None else found[places]).tolist()
        return listed

    def table(self, fields: Collection[SeriesField], only: Collection[str] | None = None) -> SeriesTable:
        """Series by column, all or those that have one of the tags ``only``; only these fields are read."""
        places = None if only is None else self._chosen(only)
        tags = self._tags(places)
        common: dict[str, object] = {}
        columns: dict[str, list[object]] = {}
        for field in fields:
            if field == "attempts":
                common[field] = 1  # nothing rests that went back
            elif field == "claims":
                common[field] = (self.claim,)
            elif (
                field == "display_name"
                or field == "description"
                or field == "content"
                or field == "data_class"
            ):
                if self.metadata:
                    known = map(self.metadata.get, tags)
                    columns[field] = [getattr(each or NO_METADATA, field) for each in known]
                else:
                    common[field] = getattr(NO_METADATA, field)
            else:
                columns[field] = self.fact("points" if field == "kept" else field, places)
        return SeriesTable(self.run, tags, common, columns)


def may_rest(block: AnyBlock, policy: CachePolicy, *, takes_numbers: bool) -> bool:
    """Whether a block can stay as it is: all its points are there and are kept, and no steps go back."""
    if policy.series or not keeps_all(policy):
        return False
    if isinstance(block, StoredBlock):
        return block.rests and not (takes_numbers and block.layout == (True, True))
    return is_whole(block)


def is_whole(block: Block) -> bool:
    """Whether all points of a block are there, and no steps go back."""
    return bool(
        block.totals is None
        and (block.stretches is None or not np.count_nonzero(block.stretches))
        and np.count_nonzero(block.ascending) == len(block.tags)
    )


@lru_cache(256)
def _places_of(tags: tuple[str, ...]) -> Mapping[str, int]:
    return {tag: place for place, tag in enumerate(tags)}
