"""The manifest of a lake: which segments it consists of, one object for each version."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from insight_core.plugin import InvalidArgument, Unavailable
from insight_lake.objects import ObjectMissing, ObjectStore

FORMAT = "insight-lake"
FORMAT_VERSION = 1
MANIFESTS = "manifests/"
_MOST_TRIES = 100  # of one change, while other writers publish theirs


@frozen
class LakeObject:
    """An object of a segment: its key, and what is needed to read and to check it."""

    key: str
    size: int  # bytes
    sha256: str
    footer: int = 0  # bytes of the footer of a Parquet file, with its length and magic


@frozen
class SegmentEntry:
    """A group of runs: each run of a lake is in one segment, and segments never change.

    ``tables`` are the Parquet files: ``runs``, ``series`` and, where there is any, ``scalars``, ``levels``
    and ``records``. ``payloads`` are objects of bytes, which segments that replace each other share.
    """

    id: str
    tables: Mapping[str, LakeObject]
    payloads: tuple[LakeObject, ...] = ()
    runs: int = 0
    series: int = 0
    points: int = 0
    records: int = 0
    plugins: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of the tables."""
        return sum(table.size for table in self.tables.values())

    def objects(self) -> list[LakeObject]:
        """Every object of the segment."""
        return [*self.tables.values(), *self.payloads]


@frozen
class LakeManifest:
    """A version of a lake. ``version`` 0 is the empty lake, which has no object."""

    version: int = 0
    segments: tuple[SegmentEntry, ...] = ()
    written: float = 0.0  # seconds since the epoch
    commit: str = field(factory=lambda: uuid.uuid4().hex)  # a writer knows its own version by it

    def with_segments(self, removed: Sequence[str], added: Sequence[SegmentEntry]) -> LakeManifest:
        """The next version: without the segments of these ids, with others."""
        kept = [segment for segment in self.segments if segment.id not in removed]
        return LakeManifest(self.version + 1, (*kept, *added), time.time())

    def encoded(self) -> bytes:
        """Encodes the manifest as JSON."""
        segments = [
            {
                "id": one.id,
                "tables": {name: _object_fields(table) for name, table in one.tables.items()},
                "payloads": [_object_fields(each) for each in one.payloads],
                "runs": one.runs,
                "series": one.series,
                "points": one.points,
                "records": one.records,
                "plugins": list(one.plugins),
            }
            for one in self.segments
        ]
        head = {"format": FORMAT, "format_version": FORMAT_VERSION, "version": self.version}
        return json.dumps(
            {**head, "written": self.written, "commit": self.commit, "segments": segments}, indent=1
        ).encode()


def _object_fields(one: LakeObject) -> dict[str, object]:
    return {"key": one.key, "size": one.size, "sha256": one.sha256, "footer": one.footer}


def decoded(data: bytes, where: str) -> LakeManifest:
    """A manifest of its JSON. Raises InvalidArgument for anything else."""
    try:
        found: dict[str, Any] = json.loads(data)
        if found["format"] != FORMAT or found["format_version"] != FORMAT_VERSION:
            raise InvalidArgument(
                f"{where}: version {found['format_version']!r} of the format {found['format']!r}, "
                f"and this insight-host reads version {FORMAT_VERSION} of {FORMAT!r}"
            )
        segments = [
            SegmentEntry(
                one["id"],
                {name: LakeObject(**table) for name, table in one["tables"].items()},
                tuple(LakeObject(**each) for each in one["payloads"]),
                one["runs"],
                one["series"],
                one["points"],
                one["records"],
                tuple(one["plugins"]),
            )
            for one in found["segments"]
        ]
        return LakeManifest(found["version"], tuple(segments), found["written"], found["commit"])
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidArgument(f"{where}: not the manifest of a lake ({error!r})") from error


def key_of(version: int) -> str:
    """The key of the manifest of a version."""
    return f"{MANIFESTS}{version:012}.json"


def read(store: ObjectStore, version: int) -> LakeManifest:
    """The manifest of a version. Raises ObjectMissing."""
    key = key_of(version)
    return decoded(store.get(key), f"{store.location}/{key}")


def newest(store: ObjectStore) -> LakeManifest:
    """The newest manifest, by one listing; version 0 of an empty lake."""
    while True:
        keys = [found.key for found in store.list(MANIFESTS) if found.key.endswith(".json")]
        if not keys:
            return LakeManifest()
        try:
            return read(store, int(max(keys).removeprefix(MANIFESTS).removesuffix(".json")))
        except ObjectMissing:  # deleted since: there are newer ones
            continue


def existing(store: ObjectStore) -> LakeManifest:
    """The newest manifest. Raises Unavailable without one: the location is not a lake, or not yet."""
    found = newest(store)
    if not found.version:
        raise Unavailable(f"{store.location}: no lake is here; insight-host lake build makes one")
    return found


def newer(store: ObjectStore, known: LakeManifest) -> LakeManifest:
    """The newest manifest after ``known``, by one request where nothing has changed; ``known`` if it is.

    It has to be asked before ``known`` is so old that versions after it were deleted.
    """
    while True:
        try:
            known = read(store, known.version + 1)
        except ObjectMissing:
            return known


def publish(store: ObjectStore, change: Callable[[LakeManifest], LakeManifest | None]) -> LakeManifest:
    """Makes the next version of a lake; of several writers at the same time, all do so one after the other.

    ``change`` makes the next version of the one that it gets, or returns None if nothing is to be changed. It
    is called again, with the version of another writer, if that one was faster. Returns the newest version.
    """
    current = newest(store)
    for _ in range(_MOST_TRIES):
        wanted = change(current)
        if wanted is None:
            return current
        wanted = evolve(wanted, version=current.version + 1)
        if store.create(key_of(wanted.version), wanted.encoded()):
            return wanted
        if read(store, wanted.version).commit == wanted.commit:  # the answer was lost
            return wanted
        current = newest(store)
    raise Unavailable(f"{store.location}: other writers were faster {_MOST_TRIES} times; try again")
