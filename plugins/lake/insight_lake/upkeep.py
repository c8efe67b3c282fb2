"""Keeps a lake in order: joins small segments, removes runs, deletes unused objects, checks the others."""

from __future__ import annotations

import hashlib
import math
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake.exceptions import DeltaError

from insight_core.plugin import InsightError, Unavailable
from insight_lake.delta import (
    LakeCommit,
    LakeVersion,
    existing,
    follow,
    newest,
    opened_table,
    publish,
    segments_of,
)
from insight_lake.sources import portions
from insight_lake.store import DRAFTS, LakeStore
from insight_lake.tables import SCHEMAS, LakeObject
from insight_lake.writing import rewritten

TARGET = 128 << 20  # bytes of the tables of a segment
GRACE = 86_400.0  # seconds for which hosts may show a version, and builders write objects
_PIECE = 8 << 20  # bytes


def remove_runs(
    store: LakeStore, chosen: Callable[[LakeVersion], set[str]], known: LakeVersion | None = None
) -> int:
    """Publishes a version without the runs that ``chosen`` names; returns how many these are."""
    count = 0

    def change(version: LakeVersion) -> LakeCommit | None:
        nonlocal count
        runs = chosen(version)
        count = len(runs)
        holders = [one for one in version.segments if not runs.isdisjoint(one.runs["run"].to_pylist())]
        left = [rewritten(store, [one], runs) for one in holders]
        removed = [one.id for one in holders]
        return LakeCommit(removed, [one for one in left if one is not None]) if runs else None

    publish(store, change, known)
    return count


def compact(store: LakeStore, target: int = TARGET) -> tuple[int, int]:
    """Joins segments of less than half of the target; returns how many there were and are.

    Not by Delta's ``optimize``, which knows neither the order of a series nor the places of its rows.
    """
    before = current = existing(store)
    small = [segment for segment in before.segments if segment.size < target // 2]
    for group in portions(small, [segment.size for segment in small], target):
        if len(group) < 2:
            continue
        joined, names = rewritten(store, group), {segment.id for segment in group}
        assert joined is not None, "a segment has a run"
        commit = LakeCommit(names, [joined])

        def change(version: LakeVersion, commit: LakeCommit = commit) -> LakeCommit | None:
            # nothing where another writer has replaced one of them
            return commit if {*commit.removed} <= {segment.id for segment in version.segments} else None

        current = publish(store, change, current)
    return len(before.segments), len(current.segments)


def expire(store: LakeStore, older_than: float, runs: re.Pattern[str] | None = None) -> int:
    """Removes runs whose last value was written more than so many seconds ago; returns how many.

    With ``runs`` only those in whose names the expression is found. A run without a time is kept.
    """
    limit = time.time() - older_than

    def old(version: LakeVersion) -> set[str]:
        return {
            run
            for run, (last,) in version.facts("last_wall_time").items()
            if last is not None and last < limit and (runs is None or runs.search(run))
        }

    return remove_runs(store, old)


def delete_unused(store: LakeStore, grace: float = GRACE) -> int:
    """Deletes what was replaced more than ``grace`` seconds ago, and objects of that age that nothing refers
    to; returns how many objects were deleted.
    """
    version = newest(store)
    if version.version < 0:
        return 0
    follow(store, version)  # files that a killed writer published are in no table else
    deleted, hours = 0, math.ceil(grace / 3600)
    for name in SCHEMAS:
        table = opened_table(store, name)
        try:
            deleted += len(table.vacuum(hours, dry_run=False, enforce_retention_duration=False, full=True))
        except (DeltaError, OSError) as error:
            raise Unavailable(f"{store.location}/{name}: {error}") from error
    # payloads are needed while a file of runs names them, of a version that was replaced as well
    listed = [key.partition("/")[2] for key, _ in store.list("runs/") if key.endswith(".parquet")]
    named = [one for path in listed if "/" not in path for one in segments_of(store, path)]
    used = {one.key for segment in named for one in segment.objects}
    limit = time.time() - grace
    unused = [key for key, written in store.list("payloads/") if key not in used and written < limit]
    store.delete(unused)
    drafts = [] if store.root is None else list((store.root / DRAFTS).glob("*"))
    old = [draft for draft in drafts if draft.stat().st_mtime < limit]
    for draft in old:
        shutil.rmtree(draft, ignore_errors=True)
    return deleted + len(unused) + len(old)


def check(store: LakeStore, version: LakeVersion, tell: Callable[[str], None]) -> list[str]:
    """Reads every object of a version; returns its problems, a line each."""
    runs = Counter(run for segment in version.segments for run in segment.runs["run"].to_pylist())
    problems = [f"the run {run!r} is in two segments" for run, count in sorted(runs.items()) if count > 1]
    objects = {one.key: one for segment in version.segments for one in segment.objects}
    for number, one in enumerate(objects.values()):
        tell(f"insight-host lake: object {number + 1} of {len(objects)}")
        try:
            problems += _problems_of(store, one)
        except (InsightError, pa.ArrowException) as error:
            problems.append(f"{store.location}/{one.key}: {error}")
    return problems


def _problems_of(store: LakeStore, one: LakeObject) -> Iterator[str]:
    digest = hashlib.sha256()
    for start in range(0, one.size, _PIECE):
        digest.update(store.get_range(one.key, start, min(one.size, start + _PIECE)))
    if digest.hexdigest() != one.sha256:
        yield f"{store.location}/{one.key}: its bytes are not those that were written"
    elif one.footer:
        footer = store.get_range(one.key, one.size - one.footer, one.size)
        rows = pq.read_metadata(pa.BufferReader(footer)).num_rows
        if rows != one.rows:
            yield f"{store.location}/{one.key}: has {rows:,} rows, and the table runs says {one.rows:,}"
