"""Keeps a lake in order: joins small segments, removes runs, deletes what nothing refers to."""

from __future__ import annotations

import math
import re
import shutil
import time
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from deltalake.exceptions import DeltaError
from numpy.typing import NDArray

from insight_core.plugin import ProviderSettings, Unavailable
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey
from insight_lake.delta import (
    LakeCommit,
    LakeSegment,
    LakeVersion,
    existing,
    follow,
    newest,
    opened_table,
    publish,
    segments_of,
)
from insight_lake.lake import Lake
from insight_lake.provider import LakeProvider
from insight_lake.row_reader import RowReader
from insight_lake.store import DRAFTS, LakeStore
from insight_lake.tables import SCHEMAS
from insight_lake.writing import SegmentDraft, write_series

TARGET = 128 << 20  # bytes of the tables of a segment
GRACE = 86_400.0  # seconds for which hosts may show a version, and builders write objects
_NONE = np.zeros(0, np.int64)


def _every_point(
    series: Hashable,
    steps: NDArray[np.int64],
    wall_times: NDArray[np.float64],
    values: NDArray[np.float32] | NDArray[np.float64],
    query: ScalarQuery,
    *,
    total: int | None = None,
) -> ScalarColumns:
    """Implements ``AnswerScalars`` for queries that reduce nothing."""
    count = len(steps)
    return ScalarColumns(
        steps, wall_times, values, count, total or count, 0, count, 0.0, (0.0, 0.0), _NONE, _NONE, (0, 0, 0)
    )


def open_whole(store: LakeStore, version: LakeVersion) -> LakeProvider:
    """A version of a lake as it is stored: every point and payload, by the names of plugins that it has."""
    provider = LakeProvider(store, ProviderSettings({}, 0.0, answer_scalars=_every_point))
    provider.followed.show(version)
    return provider


class StoredRecords:
    """Implements ``RecordSource``: payloads stay where they are."""

    def __init__(self, data: LakeProvider) -> None:
        self._data = data

    def columns(self, plugin: str, key: SeriesKey) -> Any:  # noqa: ANN401
        """See RecordSource."""
        return self._data.record_columns(plugin, key)


def rewritten(
    store: LakeStore, segments: Sequence[LakeSegment], without: Collection[str] = ()
) -> LakeSegment | None:
    """Joins segments into one, without some runs, and stores it; returns None if no run is left."""
    data = open_whole(store, LakeVersion.of(segments))
    try:
        stored = {name: one for name, one in data.lake().runs().items() if name not in without}
        if not stored:
            return None
        with store.drafts() as directory:
            draft = SegmentDraft(directory)
            write_series(draft, data, list(stored), StoredRecords(data))
            draft.add_runs(
                [one.run for one in stored.values()],
                data,
                {name: one.note for name, one in stored.items()},
            )
            payloads = {each.key: each for one in segments for each in one.payloads}
            return draft.store(store, [each for key, each in payloads.items() if key in draft.copied])
    finally:
        data.close()


def remove_runs(
    store: LakeStore, chosen: Callable[[LakeVersion], set[str]], known: LakeVersion | None = None
) -> int:
    """Publishes a version without the runs that ``chosen`` names; returns how many these are."""
    reader = RowReader(store)
    count = [0]

    def change(version: LakeVersion) -> LakeCommit | None:
        runs = chosen(version)
        count[0] = len(runs)
        if not runs:
            return None
        lake = Lake(reader, version, None)
        holders = {entry.id: entry for run in runs if (entry := lake.entry_of(run)) is not None}
        left = [rewritten(store, [entry], runs) for entry in holders.values()]
        return LakeCommit(list(holders), [entry for entry in left if entry is not None])

    try:
        publish(store, change, known)
    finally:
        reader.close()
    return count[0]


def compact(store: LakeStore, target: int = TARGET) -> tuple[int, int]:
    """Joins segments of less than half of the target; returns how many there were and are.

    Not by Delta's ``optimize``, which knows neither the order of a series nor the places of its rows.
    """
    before = current = existing(store)
    for group in _groups(before.segments, target):
        joined, names = rewritten(store, group), {segment.id for segment in group}
        assert joined is not None, "a segment has a run"
        commit = LakeCommit(names, [joined])

        def change(version: LakeVersion, commit: LakeCommit = commit) -> LakeCommit | None:
            # nothing where another writer has replaced one of them
            return commit if {*commit.removed} <= {segment.id for segment in version.segments} else None

        current = publish(store, change, current)
    return len(before.segments), len(current.segments)


def _groups(segments: Sequence[LakeSegment], target: int) -> Iterator[list[LakeSegment]]:
    group: list[LakeSegment] = []
    size = 0
    for segment in segments:
        if segment.size >= target // 2:
            continue
        if group and size + segment.size > target:
            if len(group) > 1:
                yield group
            group, size = [], 0
        group.append(segment)
        size += segment.size
    if len(group) > 1:
        yield group


def expire(store: LakeStore, older_than: float, runs: re.Pattern[str] | None = None) -> int:
    """Removes runs whose last value was written more than so many seconds ago; returns how many.

    With ``runs`` only those in whose names the expression is found. A run without a time is kept.
    """
    limit = time.time() - older_than
    reader = RowReader(store)

    def old(version: LakeVersion) -> set[str]:
        found = Lake(reader, version, None).runs().items()
        return {
            name
            for name, stored in found
            if stored.last_wall_time < limit and (runs is None or runs.search(name))
        }

    try:
        return remove_runs(store, old)
    finally:
        reader.close()


def delete_unused(store: LakeStore, grace: float = GRACE) -> int:
    """Deletes what was replaced more than ``grace`` seconds ago, and objects of that age that nothing refers
    to; returns how many objects were deleted.
    """
    version = newest(store)
    if version.version < 0:
        return 0
    follow(store, version)  # files that a killed writer published are in no table else
    deleted = 0
    for name in SCHEMAS:
        try:
            deleted += len(
                opened_table(store, name).vacuum(
                    math.ceil(grace / 3600), dry_run=False, enforce_retention_duration=False, full=True
                )
            )
        except (DeltaError, OSError) as error:
            raise Unavailable(f"{store.location}/{name}: {error}") from error
    # payloads are needed while a file of runs names them, of a version that was replaced as well
    listed = [key.partition("/")[2] for key, _ in store.list("runs/") if key.endswith(".parquet")]
    named = [one for path in listed if "/" not in path for one in segments_of(store, path)]
    used = {payload.key for segment in named for payload in segment.payloads}
    limit = time.time() - grace
    unused = [key for key, time_ in store.list("payloads/") if key not in used and time_ < limit]
    store.delete(unused)
    if store.root is not None:
        for draft in (store.root / DRAFTS).glob("*"):
            if draft.stat().st_mtime < limit:
                shutil.rmtree(draft, ignore_errors=True)
                deleted += 1
    return deleted + len(unused)
