"""Keeps a lake in order: joins small segments, removes old runs, deletes objects that nothing refers to."""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator, Sequence

from insight_lake.building import remove_runs
from insight_lake.lake import Lake
from insight_lake.manifest import MANIFESTS, LakeManifest, SegmentEntry, existing, publish, read
from insight_lake.objects import ObjectMissing, ObjectStore
from insight_lake.rewriting import rewritten
from insight_lake.row_reader import RowReader
from insight_lake.tables import SCHEMAS

TARGET = 128 << 20  # bytes of the tables of a segment
GRACE = 86_400.0  # seconds for which hosts may show a version, and builders write objects
_FOLDERS = (*(f"{name}/" for name in SCHEMAS), "payloads/", ".drafts/")


def compact(store: ObjectStore, target: int = TARGET) -> tuple[int, int]:
    """Joins segments of less than half of the target; returns how many there were and are."""
    before = existing(store)
    current = before
    for group in _groups(before.segments, target):
        joined = rewritten(store, group)
        names = {segment.id for segment in group}

        def change(
            manifest: LakeManifest,
            joined: SegmentEntry | None = joined,
            names: frozenset[str] = frozenset(names),
        ) -> LakeManifest | None:
            if joined is None or not names <= {segment.id for segment in manifest.segments}:
                return None  # another writer has replaced one of them
            return manifest.with_segments(list(names), [joined])

        current = publish(store, change)
    return len(before.segments), len(current.segments)


def _groups(segments: Sequence[SegmentEntry], target: int) -> Iterator[list[SegmentEntry]]:
    group: list[SegmentEntry] = []
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


def expire(store: ObjectStore, older_than: float, runs: re.Pattern[str] | None = None) -> int:
    """Removes runs whose last value was written more than so many seconds ago; returns how many.

    With ``runs`` only those in whose names the expression is found. A run without a time is kept.
    """
    limit = time.time() - older_than
    reader = RowReader(store)

    def old(manifest: LakeManifest) -> set[str]:
        found = Lake(reader, manifest, None).runs().items()
        return {
            name
            for name, stored in found
            if stored.last_wall_time < limit and (runs is None or runs.search(name))
        }

    try:
        return remove_runs(store, old)
    finally:
        reader.close()


def delete_unused(store: ObjectStore, grace: float = GRACE) -> int:
    """Deletes manifests that were replaced more than ``grace`` seconds ago, and objects of that age that no
    other manifest refers to; returns how many objects were deleted.
    """
    limit = time.time() - grace
    versions = sorted(
        (int(one.key.removeprefix(MANIFESTS).removesuffix(".json")), one)
        for one in store.list(MANIFESTS)
        if one.key.endswith(".json")
    )
    # a version is needed until the one after it is old
    stale = [one for (_, one), (_, after) in itertools.pairwise(versions) if after.modified < limit]
    keys = {one.key for one in stale}
    used: set[str] = set()
    for version, one in versions:
        if one.key in keys:
            continue
        try:
            manifest = read(store, version)
        except ObjectMissing:  # another process deletes too
            continue
        used.update(each.key for segment in manifest.segments for each in segment.objects())
    for folder in _FOLDERS:
        keys.update(one.key for one in store.list(folder) if one.key not in used and one.modified < limit)
    store.delete(keys)
    return len(keys)
