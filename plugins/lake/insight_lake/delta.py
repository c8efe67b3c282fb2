"""A lake as Delta tables: the table ``runs`` says what counts, and the other tables follow it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from attrs import asdict, frozen
from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from insight_core.plugin import InvalidArgument, Unavailable
from insight_lake.row_reader import whole_table
from insight_lake.store import LakeStore, ObjectMissing
from insight_lake.tables import MEASURED, SCHEMAS, LakeObject, write_table

FOLLOWING = tuple(name for name in SCHEMAS if name != "runs")
_MOST_TRIES = 100  # of one commit, while other writers make theirs
_MOST_FILES = 16  # of the table ``runs``, which a host reads whole
_COMMIT = CommitProperties(max_commit_retries=0)  # fails if another writer was faster
_FORMAT = "insight.lakeFormat", "3"
_SETTINGS: Mapping[str, str | None] = {
    "delta.checkpointInterval": "5",
    "delta.logRetentionDuration": "interval 2 days",
    "delta.deletedFileRetentionDuration": "interval 1 days",
    _FORMAT[0]: _FORMAT[1],
}
_LAST_TEXT = "\U0010ffff"
_MEASURED = "delta.dataSkippingStatsColumns"  # delta-rs takes the bounds of others for null, and finds no row
_PAUSE = 0.05  # seconds after another writer was faster; grows with each try


class LakeSegment:
    """A group of runs, with all of each: rows of ``runs``, and one file in each of the other tables."""

    def __init__(self, runs: pa.Table) -> None:
        """``runs`` is a pyarrow Table, of which the first row says the rest."""
        self.runs = runs
        self.id: str = runs["segment"][0].as_py()
        self.plugins: Sequence[str] = runs["plugins"][0].as_py()
        self.objects = [LakeObject(**one) for one in runs["files"][0].as_py()]
        self.tables = {one.table: one for one in self.objects if one.table in FOLLOWING}

    @classmethod
    def of(
        cls, name: str, runs: pa.Table, objects: Sequence[LakeObject], plugins: Sequence[str]
    ) -> LakeSegment:
        """The segment with these rows of ``runs`` (at least one), of which the last columns are replaced."""
        nothing = [None] * (len(runs) - 1)
        columns = {one: runs[one] for one in runs.column_names} | {
            "segment": [name] * len(runs),
            "plugins": [list(plugins), *nothing],
            "files": [[asdict(one) for one in objects], *nothing],
        }
        return cls(pa.table(columns, schema=SCHEMAS["runs"]))

    @property
    def size(self) -> int:
        """Bytes of the tables."""
        return sum(table.size for table in self.tables.values())

    def rows(self, table: str) -> int:
        """Rows in one of the tables."""
        return len(self.runs) if table == "runs" else self.tables[table].rows if table in self.tables else 0


@frozen(eq=False)
class LakeVersion:
    """What is in a lake at a version of the table ``runs``; -1: there is no lake."""

    version: int = -1
    files: Mapping[str, tuple[int, Sequence[LakeSegment]]] = {}  # of ``runs``: size and segments by path

    @property
    def segments(self) -> list[LakeSegment]:
        """The segments, in the order in which they were written."""
        return [segment for _, segments in self.files.values() for segment in segments]

    def facts(self, *columns: str) -> dict[str, tuple[Any, ...]]:
        """Columns of ``runs``, by run."""
        return {
            row[0]: row[1:]
            for segment in self.segments
            for row in zip(*(segment.runs[name].to_pylist() for name in ("run", *columns)), strict=True)
        }


@frozen
class LakeCommit:
    """A change of a lake: segments that go, by id, and segments that come."""

    removed: Collection[str] = ()
    added: Sequence[LakeSegment] = ()


def newest(store: LakeStore, known: LakeVersion | None = None) -> LakeVersion:
    """The newest version; of ``known`` what is still there is not read again."""
    try:
        table = _opened(store, "runs")
    except TableNotFoundError as error:
        if known is not None and known.version >= 0:  # it was there: such as a directory that was unmounted
            raise Unavailable(f"{store.location}: the lake is away") from error
        if any(True for _ in store.list("manifests/")):  # of the format before Delta
            raise _earlier(store) from None
        return LakeVersion()
    if table.metadata().configuration.get(_FORMAT[0]) != _FORMAT[1]:
        raise _earlier(store)
    before = {} if known is None else known.files
    sizes = _files_of(table)
    new = [path for path in sizes if path not in before]
    with ThreadPoolExecutor(_MOST_FILES) as pool:
        read = dict(zip(new, pool.map(lambda path: segments_of(store, path), new), strict=True))
    files = {path: before[path] if path in before else (size, read[path]) for path, size in sizes.items()}
    return LakeVersion(table.version(), files)


def existing(store: LakeStore) -> LakeVersion:
    """The newest version. Raises Unavailable without one: the location is not a lake, or not yet."""
    found = newest(store)
    if found.version < 0:
        raise _no_lake(store)
    return found


def newer(store: LakeStore, known: LakeVersion) -> LakeVersion:
    """The newest version after ``known``, by one request where nothing has changed."""
    try:
        store.get(f"runs/_delta_log/{known.version + 1:020}.json")
    except ObjectMissing:
        return known
    return newest(store, known)


def publish(
    store: LakeStore, change: Callable[[LakeVersion], LakeCommit | None], known: LakeVersion | None = None
) -> LakeVersion:
    """Commits a change of ``runs``; of several writers at the same time, all do so one after the other.

    ``change`` makes the change of the version that it gets, or returns None if nothing is to be changed. It
    is called again, with the version of another writer, if that one was faster. The other tables follow.
    ``known`` is a version that was read.
    """
    current = newest(store, known)
    if current.version < 0:
        _create_tables(store)
    made: set[str] = set()
    for number in range(_MOST_TRIES):
        current = newest(store, current)
        if made and made <= {segment.id for segment in current.segments}:  # the answer was lost
            break
        wanted = change(current)
        if wanted is None:
            break
        made = {segment.id for segment in wanted.added}
        if _commit_runs(store, current, wanted):
            current = newest(store, current)
            break
        time.sleep(_PAUSE * (1 + number % 10))
    else:
        raise Unavailable(f"{store.location}: other writers were faster {_MOST_TRIES} times; try again")
    follow(store, current)
    return current


def follow(store: LakeStore, version: LakeVersion) -> None:
    """Makes the other tables have the files that ``runs`` names: also what a killed writer left undone."""
    for name in FOLLOWING:
        for number in range(_MOST_TRIES):
            table = opened_table(store, name)
            # read after the table: a writer that commits to it in the meantime makes this commit fail
            version = newer(store, version)
            wanted = {
                one.key.partition("/")[2]: one
                for segment in version.segments
                if (one := segment.tables.get(name)) is not None
            }
            known = _files_of(table)
            removed = [_removed(path, size) for path, size in known.items() if path not in wanted]
            added = [_added(store, one) for path, one in wanted.items() if path not in known]
            if (not removed and not added) or _committed(table, [*removed, *added]):
                break
            time.sleep(_PAUSE * (1 + number % 10))


def opened_table(store: LakeStore, name: str) -> DeltaTable:
    """One of the tables. Raises Unavailable."""
    try:
        return _opened(store, name)
    except TableNotFoundError as error:
        raise _no_lake(store) from error


def segments_of(store: LakeStore, path: str) -> list[LakeSegment]:
    """The segments of a file of ``runs``, which has the rows of each one after the other."""
    table = whole_table("runs", store.get(f"runs/{path}"))
    firsts = pc.indices_nonzero(table["files"].is_valid()).to_pylist()
    stops = [*firsts[1:], len(table)]
    return [LakeSegment(table.slice(first, stop - first)) for first, stop in zip(firsts, stops, strict=True)]


# --- inside -------------------------------------------------------------------------------------------


def _earlier(store: LakeStore) -> InvalidArgument:
    return InvalidArgument(
        f"{store.location}: a lake of an earlier insight-host, which is not read any more; build it anew "
        "from the logs, in an empty place: insight-host lake build"
    )


def _no_lake(store: LakeStore) -> Unavailable:
    return Unavailable(f"{store.location}: no lake is here; insight-host lake build makes one")


def _opened(store: LakeStore, name: str) -> DeltaTable:
    """A table at its newest version; what is known of it is not read again."""
    table = store.opened.pop(name, None)
    try:
        if table is None:
            table = DeltaTable(f"{store.location}/{name}", storage_options=store.delta_options)
        else:
            table.update_incremental()
    except TableNotFoundError:
        raise
    except (DeltaError, OSError) as error:
        raise Unavailable(f"{store.location}/{name}: {error}") from error
    store.opened[name] = table
    return table


def _create_tables(store: LakeStore) -> None:
    """Creates the tables; ``runs`` last, without which there is no lake."""
    for name in (*FOLLOWING, "runs"):
        schema = SCHEMAS[name]
        measured = ",".join(column for column in MEASURED if column in schema.names)
        if store.root is not None:
            (store.root / name).mkdir(parents=True, exist_ok=True)
        try:
            DeltaTable.create(
                f"{store.location}/{name}",
                schema,
                mode="ignore",
                configuration={**_SETTINGS, _MEASURED: measured},
                raise_if_key_not_exists=False,
                storage_options=store.delta_options,
            )
        except (DeltaError, OSError):
            opened_table(store, name)  # another writer may have created it


def _files_of(table: DeltaTable) -> dict[str, int]:
    """The sizes of the files of a table, by path."""
    found = pa.table(table.get_add_actions()).select(["path", "size_bytes", "modification_time"])
    rows = sorted(found.to_pylist(), key=lambda row: (row["modification_time"], row["path"]))
    return {row["path"]: row["size_bytes"] for row in rows}


def _commit_runs(store: LakeStore, current: LakeVersion, wanted: LakeCommit) -> bool:
    """Commits a change of ``runs``; returns whether no other writer was faster."""
    replaced = {
        path: size
        for path, (size, segments) in current.files.items()
        if len(current.files) >= _MOST_FILES or any(one.id in wanted.removed for one in segments)
    }
    kept = [one for path in replaced for one in current.files[path][1] if one.id not in wanted.removed]
    actions: list[AddAction | RemoveAction] = [_removed(path, size) for path, size in replaced.items()]
    tables = [segment.runs for segment in (*kept, *wanted.added)]
    if tables:
        with store.drafts() as drafts:
            path, rows = drafts / "runs", pa.concat_tables(tables)
            write_table(path, "runs", rows)
            stored = LakeObject.of(path, f"runs/{uuid.uuid4().hex}.parquet", len(rows))
            store.put_file(stored.key, path)
        actions.append(_added(store, stored))
    if not actions:
        return True
    table = _opened(store, "runs")
    # what was written stays if this fails: the answer of the store may have been lost
    return table.version() == current.version and _committed(table, actions)


def _committed(table: DeltaTable, actions: list[AddAction | RemoveAction]) -> bool:
    """Commits actions as the version after the one that was read; False if there is one."""
    try:
        table.create_write_transaction(actions, "append", table.schema(), commit_properties=_COMMIT)
    except CommitFailedError:
        return False
    except (DeltaError, OSError) as error:
        raise Unavailable(f"{table.table_uri}: {error}") from error
    return True


def _removed(path: str, size: int) -> RemoveAction:
    return RemoveAction(path, True, int(time.time() * 1000), size, {})


def _added(store: LakeStore, one: LakeObject) -> AddAction:
    """The entry of a file, with the least and greatest values of columns, by which engines leave it out."""
    footer = pq.read_metadata(pa.BufferReader(store.get_range(one.key, one.size - one.footer, one.size)))
    least: dict[str, object] = {}
    greatest: dict[str, object] = {}
    for place in range(footer.num_columns if footer.num_rows else 0):
        name = footer.schema.column(place).path
        if name in MEASURED:
            parts = [footer.row_group(at).column(place).statistics for at in range(footer.num_row_groups)]
            # a text of more than 4 kB has none, and a file without bounds would be left out by some
            is_known = all(part is not None and part.has_min_max for part in parts)
            least[name] = min(part.min for part in parts) if is_known else ""
            greatest[name] = max(part.max for part in parts) if is_known else _LAST_TEXT
    statistics = {"numRecords": footer.num_rows, "minValues": least, "maxValues": greatest}
    statistics["nullCount"] = dict.fromkeys(least, 0)
    path = one.key.partition("/")[2]
    return AddAction(path, one.size, {}, int(time.time() * 1000), True, json.dumps(statistics))
