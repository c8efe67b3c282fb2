"""Adds files that were read whole, each the first of its run, many at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from attrs import Factory, define
from numpy.typing import NDArray

from insight_core.formats.alike_files import AlikeFiles, SharedColumns
from insight_core.formats.batch import Batch
from insight_core.formats.columns import Block, Columns
from insight_core.plugin import Claim, Dialect
from insight_core.store.claims import Claims, FileState, assign
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.indexed_runs import IndexedRuns, RecalledFile
from insight_core.store.segment import FileOrder

_AT_ONCE = 2000  # files that are added without letting readers in
# of each block: its claim, and whether the plugin that reads it has no use for places
_Claims: TypeAlias = Sequence[tuple[Claim, bool]]


class FirstFile(NamedTuple):
    """Everything in a log file: it is one of some that are alike."""

    run: str
    name: str
    order: FileOrder
    dialect: Dialect | None  # of the user's own event files
    alike: AlikeFiles
    number: int


@define(eq=False)
class LoadedFiles:
    """The first files of runs, whose points are in memory. See ``RecalledFiles``."""

    alike: AlikeFiles
    dialect: Dialect | None
    claims: _Claims
    runs: list[str] = Factory(list)
    names: list[str] = Factory(list)
    orders: list[FileOrder] = Factory(list)
    numbers: list[int] = Factory(list)  # among those that are alike
    start_times: list[float] = Factory(list)

    def opened(self, number: int, *, is_compared: bool) -> Sequence[RecalledFile]:
        """See ``RecalledFiles``."""
        return [RecalledFile(self.orders[number], self.names[number], self.content(number))]

    def content(self, number: int) -> FileState:
        """All that the file of the run with this number has."""
        at = self.numbers[number]
        blocks = tuple(
            [
                (claim, _without_places(block) if is_smaller else block)
                for (claim, is_smaller), block in zip(self.claims, self.alike.blocks(at), strict=True)
            ]
        )
        return FileState(self.dialect, self.alike.start_time(at), {}, blocks)


class FirstFiles:
    """Decides once for all files with the same series where their values belong."""

    def __init__(
        self, lock: threading.Lock, indexed: IndexedRuns, claims: Claims, memory: ColumnMemory
    ) -> None:
        """``lock`` is the store's."""
        self._lock, self._indexed, self._claims, self._memory = lock, indexed, claims, memory

    def add(self, files: Sequence[FirstFile]) -> list[bool]:
        """Adds files of new runs; False for a file that ``Store.append`` has to add, or report."""
        added = [False] * len(files)
        alike: dict[tuple[AlikeFiles, Dialect | None], list[int]] = {}
        for place, file in enumerate(files):
            alike.setdefault((file.alike, file.dialect), []).append(place)
        for (whole, dialect), places in alike.items():
            for some in _pieces(places):
                with self._lock:
                    self._add(whole, dialect, [(place, files[place]) for place in some], added)
        return added

    def place_of(self, run: str, order: FileOrder) -> tuple[LoadedFiles, int] | None:
        """Where the points of a file are that was added here; None if they are elsewhere by now."""
        with self._lock:
            place = self._indexed.place_of(run)
        if place is None:
            return None
        files, number = place
        is_there = isinstance(files, LoadedFiles) and files.orders[number] == order
        return (cast(LoadedFiles, files), number) if is_there else None

    def _add(
        self,
        whole: AlikeFiles,
        dialect: Dialect | None,
        files: Sequence[tuple[int, FirstFile]],
        added: list[bool],
    ) -> None:
        claims = self._claims_of(whole)
        if claims is None:
            return
        found = LoadedFiles(whole, dialect, claims)
        for place, file in files:
            if self._indexed.is_untouched(file.run):
                found.runs.append(file.run)
                found.names.append(file.name)
                found.orders.append(file.order)
                found.numbers.append(file.number)
                added[place] = True
        if not found.runs:
            return
        found.start_times = whole.files["start_time"][found.numbers].tolist()
        if self._indexed.place(found):
            self._count(whole.columns)
        else:
            for place, _ in files:
                added[place] = False

    def _count(self, shared: SharedColumns) -> None:
        """Counts the columns in the memory of the store, or moves them into a file."""
        if shared.is_counted:
            return
        shared.is_counted = True
        kept = self._memory.adopt(Columns(shared.steps, shared.wall_times, shared.singles, shared.places))
        assert kept.places is not None
        shared.steps, shared.wall_times, shared.places = kept.steps, kept.wall_times, kept.places
        shared.singles = cast("NDArray[np.float32]", kept.values)
        doubles = self._memory.adopt(Columns(shared.steps[:0], shared.wall_times[:0], shared.doubles)).values
        shared.doubles = cast("NDArray[np.float64]", doubles)

    def _claims_of(self, whole: AlikeFiles) -> _Claims | None:
        """None if some of the blocks cannot stay as they are."""
        batch = Batch(0, whole.dialect, whole.blocks(0))
        blocks = batch.blocks
        tags = {tag for block in blocks for tag in block.tags}
        if "" in tags or len(tags) < sum(len(block.tags) for block in blocks):
            return None
        claimed = list(self._claims.of_tags(assign(batch, (), "")))
        if [block for _, block in claimed] != blocks:  # some was split
            return None
        return [
            (claim, self._claims.taken(claim, block.columns) is not block.columns) for claim, block in claimed
        ]


def _without_places(block: Block) -> Block:
    columns = block.columns.without_places()
    return Block(block.field, block.tags, block.ends, block.ascending, columns)


def _pieces(places: Sequence[int]) -> Iterator[Sequence[int]]:
    for at in range(0, len(places), _AT_ONCE):
        yield places[at : at + _AT_ONCE]
