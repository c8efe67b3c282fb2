"""Adds files that were read whole, each the first of its run, many at a time."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from insight_core.formats.batch import Batch
from insight_core.plugin import Claim, Dialect
from insight_core.store.changed_series import Came, SeriesLog
from insight_core.store.claims import Claims, assign
from insight_core.store.held_file import HeldFile
from insight_core.store.resting import is_whole
from insight_core.store.run_table import RunTable
from insight_core.store.segment import FileOrder

_AT_ONCE = 500  # files that are added without letting readers in
# of each block, which is kept as it is: the claim, and the plugin that reads it
_Readers: TypeAlias = Sequence[tuple[Claim, str]]


class FirstFile(NamedTuple):
    """Everything in a log file."""

    run: str
    name: str
    order: FileOrder
    dialect: Dialect | None  # of the user's own event files
    batch: Batch


class FirstFiles:
    """Decides once for all files with the same series where their values belong."""

    def __init__(
        self, lock: threading.Lock, tables: Mapping[str, RunTable], claims: Claims, log: SeriesLog
    ) -> None:
        """``lock`` is the store's."""
        self._lock, self._tables, self._claims, self._log = lock, tables, claims, log

    def add(self, files: Sequence[FirstFile]) -> list[bool]:
        """Adds files of new runs; False for a file that ``Store.append`` has to add, or report."""
        added: list[bool] = []
        known: dict[object, _Readers | None] = {}
        for at in range(0, len(files), _AT_ONCE):
            came: list[Came] = []
            with self._lock:
                added += [self._add(file, known, came) for file in files[at : at + _AT_ONCE]]
                if any(added[at:]):
                    self._log.add(came, runs=True)
        return added

    def _add(self, file: FirstFile, known: dict[object, _Readers | None], came: list[Came]) -> bool:
        batch, table = file.batch, self._tables.get(file.run)
        if table is None or batch.metadata or batch.session_step is not None:
            return False
        blocks = batch.blocks
        kind = batch.dialect, *[(block.field, block.tags, block.columns.layout) for block in blocks]
        if kind not in known:
            known[kind] = self._readers(batch)
        readers = known[kind]
        if readers is None or not all(map(is_whole, blocks)):
            return False
        held = HeldFile(file.name, file.dialect)
        held.note_times(batch)
        held.sessions.has_values = bool(blocks)
        found = [(claim, reader, block) for (claim, reader), block in zip(readers, blocks, strict=True)]
        if not table.rest_first(file.order, held, found):
            return False
        came += [Came(file.run, claim, block.tags) for claim, _, block in found]
        return True

    def _readers(self, batch: Batch) -> _Readers | None:
        """None if some of the blocks cannot stay as they are."""
        blocks = batch.blocks
        tags = {tag for block in blocks for tag in block.tags}
        if "" in tags or len(tags) < sum(len(block.tags) for block in blocks):
            return None
        claimed = list(self._claims.of_tags(assign(batch, (), "")))
        if [block for _, block in claimed] != blocks:  # some was split
            return None
        readers = [(claim, self._claims.reader(claim, block.layout)) for claim, block in claimed]
        keeps = all(reader and self._claims.keeps_all(reader) for _, reader in readers)
        return readers if keeps else None
