"""Keeps a lake in order: joins small segments, removes old runs, deletes what nothing refers to."""

from __future__ import annotations

import json
import math
import re
import shutil
import time
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import evolve
from deltalake.exceptions import DeltaError

from insight_core.plugin import InvalidArgument, Unavailable
from insight_lake.building import remove_runs
from insight_lake.delta import (
    LakeCommit,
    LakeSegment,
    LakeVersion,
    create_tables,
    existing,
    follow,
    newest,
    opened_table,
    publish,
    segment_of,
    segments_of,
)
from insight_lake.lake import Lake
from insight_lake.rewriting import rewritten
from insight_lake.row_reader import RowReader
from insight_lake.store import DRAFTS, LakeStore
from insight_lake.tables import SCHEMAS, LakeObject

TARGET = 128 << 20  # bytes of the tables of a segment
GRACE = 86_400.0  # seconds for which hosts may show a version, and builders write objects


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


def convert(store: LakeStore) -> int:
    """Makes Delta tables of a lake of the format before: of the same files, but for those of runs.

    Returns how many segments there are. Raises InvalidArgument if there is no such lake.
    """
    manifests = sorted(key for key, _ in store.list("manifests/") if key.endswith(".json"))
    if not manifests:
        raise InvalidArgument(f"{store.location}: no lake of an earlier insight-host is here")
    segments = []
    for one in json.loads(store.get(manifests[-1]))["segments"]:
        tables = {name: LakeObject(**table) for name, table in one["tables"].items()}
        source = pa.BufferReader(store.get(tables.pop("runs").key))
        runs = pq.ParquetFile(source, pre_buffer=False).read(use_threads=False)
        rows = {"scalars": one["points"], "records": one["records"], "series": one["series"]}
        files = [evolve(table, rows=rows.get(name, 0)) for name, table in tables.items()]
        files += [LakeObject(**each) for each in one["payloads"]]
        if len(runs):
            columns = {name: runs[name].to_pylist() for name in runs.column_names}
            segments.append(segment_of(one["id"], columns, files, one["plugins"]))
    create_tables(store)
    publish(store, lambda version: None if version.segments else LakeCommit((), segments))
    store.delete(manifests)
    return len(segments)
