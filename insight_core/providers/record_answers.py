"""Records of stored series: their tables, and their payloads from the log files."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.batch import DamagedRecord, unreadable
from insight_core.formats.file_references import LONGEST, FileReference
from insight_core.ingest.event_file import read_payload
from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_core.plugin import FileName, NotFound, Undecodable
from insight_core.plugin.data import (
    Payload,
    PayloadPlaces,
    PayloadStream,
    RecordTable,
    SeriesKey,
    ShownAttempts,
)
from insight_core.plugin.data.places import undecodable
from insight_core.providers.common import unknown_series
from insight_core.providers.payload_streams import payload_of_file, stream_of_file, stream_of_payload
from insight_core.store.segment import FileOrder
from insight_core.store.snapshot import Snapshot
from insight_core.store.store import Store
from insight_record.formats.reason import Reason

_PIECE = 8 << 20  # bytes
_GONE = Reason("its file in the store was changed or deleted", "referenced_file_gone")


class RecordAnswers:
    """Answers about records of a store.

    ``snapshot`` returns a series, None for an unknown one; ``path_of`` the path of a file of a run, None if
    it is gone. ``fetch`` brings parts of files of remote logdirs; ``shown_path`` is how users know a file.
    Records of files that are ``translated`` from stores may refer to files of these. Files that are
    ``passing`` end with this process.
    """

    def __init__(
        self,
        store: Store,
        snapshot: Callable[[str, SeriesKey], Snapshot | None],
        path_of: Callable[[str, FileOrder], str | None],
        *,
        fetch: Fetch | None,
        shown_path: Callable[[str], str],
        translated: Callable[[str], bool],
        passing: Callable[[str], bool],
    ) -> None:
        self._store = store
        self._snapshot = snapshot
        self._path_of = path_of
        self._fetch = fetch
        self._shown_path = shown_path
        self._is_translated = translated
        self._is_passing = passing

    def table(self, plugin: str, key: SeriesKey, attempts: ShownAttempts = "last") -> RecordTable:
        """Steps, wall times and sizes of the records of a series. Raises NotFound for an unknown series."""
        snapshot, shown = self._shown_records(plugin, key, attempts)
        columns = snapshot.columns if shown is None else snapshot.columns[shown]
        assert columns.places is not None
        return RecordTable(
            columns.steps,
            columns.wall_times,
            self._sizes(key, snapshot, shown),
            total=snapshot.total,
            kept=len(snapshot),
            hidden=len(snapshot) - len(columns),
            purged=snapshot.attempts.purged if attempts == "last" else 0,
        )

    def payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        limit: int | None = None,
    ) -> Payload:
        """The bytes of one record; see ``DataProvider.payload`` for limits and errors."""
        vanished = self._store.vanished
        snapshot, at, path = self._place(plugin, key, index, attempts)
        claim = snapshot.claim_of(at)
        try:
            if isinstance(claim, FileName):
                return payload_of_file(path, claim, limit, fetch=self._fetch)
            record, start, size = snapshot.place_of(at)
            if size <= LONGEST and self._is_translated(path):
                data = read_payload(path, record, start, size)
                if (reference := FileReference.of(data)) is not None:
                    data = content_of(reference, self._fetch)
                return Payload(data if limit is None else data[:limit], claim)
            data = read_payload(path, record, start, size, limit=limit, fetch=self._fetch)
        except DamagedRecord as error:
            self._store.note_served(key.run, snapshot.file_of(at), error.flaw.offset, error.flaw, vanished)
            raise _unreadable(key, snapshot, at, index, error) from error
        except (OSError, ValueError) as error:
            raise _unreadable(key, snapshot, at, index, error) from error
        if limit is None or limit >= size:  # it was verified
            self._store.note_served(key.run, snapshot.file_of(at), record, None, vanished)
        return Payload(data, claim)

    def open_payload(
        self,
        plugin: str,
        key: SeriesKey,
        index: int,
        attempts: ShownAttempts = "last",
        *,
        offset: int = 0,
        length: int | None = None,
    ) -> PayloadStream:
        """The bytes of one record, or a part of them, as a stream; see ``DataProvider.open_payload``."""
        snapshot, at, path = self._place(plugin, key, index, attempts)
        claim = snapshot.claim_of(at)
        if not isinstance(claim, FileName):
            if length == 0:
                return PayloadStream(io.BytesIO(), int(self._sizes(key, snapshot, np.array([at]))[0]), claim)
            return stream_of_payload(self.payload(plugin, key, index, attempts), offset, length)
        try:
            return stream_of_file(path, claim, offset, length, fetch=self._fetch)
        except OSError as error:
            raise _unreadable(key, snapshot, at, index, error) from error

    def _place(
        self, plugin: str, key: SeriesKey, index: int, attempts: ShownAttempts
    ) -> tuple[Snapshot, int, str]:
        """The location of a record: its series, the index in it, and the path of its file."""
        snapshot, shown = self._shown_records(plugin, key, attempts)
        if not 0 <= index < len(snapshot if shown is None else shown):
            raise NotFound(f"{key.tag!r} of run {key.run!r} has no record {index}")
        at = index if shown is None else int(shown[index])
        path = self._path_of(key.run, snapshot.file_of(at))
        if path is None:
            raise NotFound(f"the file of {key.tag!r} of run {key.run!r} is gone")
        return snapshot, at, path

    def _shown_records(
        self, plugin: str, key: SeriesKey, attempts: ShownAttempts
    ) -> tuple[Snapshot, NDArray[np.intp] | None]:
        """A series of records, and the indices of the shown records; None: all."""
        snapshot = self._snapshot(plugin, key)
        if snapshot is None or snapshot.columns.places is None:
            raise unknown_series(plugin, key)
        return snapshot, snapshot.attempts.visible if attempts == "last" else None

    def _sizes(self, key: SeriesKey, snapshot: Snapshot, rows: NDArray[np.intp] | None) -> NDArray[np.int64]:
        """Bytes of payloads, with the files that they refer to."""
        assert snapshot.columns.places is not None
        _, starts, stored = snapshot.columns.places
        sizes: NDArray[np.int64] = np.array(stored)
        edges = pairwise((0, *snapshot.ends))
        for (file, _), claim, (begin, end) in zip(snapshot.parts, snapshot.claims, edges, strict=True):
            path = None if isinstance(claim, FileName) else self._path_of(key.run, file)
            if path is not None and self._is_translated(path):
                with suppress(OSError):  # reading the record reports it
                    sizes[begin:end] = whole_sizes(path, starts[begin:end], sizes[begin:end])
        return sizes if rows is None else sizes[rows]

    def places(self, plugin: str, key: SeriesKey) -> PayloadPlaces:
        """Where the payloads of a series are. Raises NotFound for an unknown series or file."""
        snapshot, _ = self._shown_records(plugin, key, "all")
        assert snapshot.columns.places is not None
        paths = [self._path_of(key.run, file) for file, _ in snapshot.parts]
        if None in paths:
            raise NotFound(f"a file of {key.tag!r} of run {key.run!r} is gone")
        records, starts, _ = snapshot.columns.places
        whole = np.array([isinstance(claim, FileName) for claim in snapshot.claims], bool)
        part = np.repeat(np.arange(len(paths)), np.diff((0, *snapshot.ends)))
        return PayloadPlaces(
            [self._shown_path(str(path)) for path in paths],
            snapshot.claims,
            part,
            np.where(whole[part], -1, records),
            np.where(whole[part], 0, starts),
            passing=any(self._is_passing(str(path)) for path in paths),
        )


def _unreadable(
    key: SeriesKey, snapshot: Snapshot, at: int, index: int, error: OSError | ValueError
) -> Undecodable:
    cause = unreadable(error) if isinstance(error, OSError) else error
    return undecodable(key, int(snapshot.columns.steps[at]), index, cause)


def content_of(reference: FileReference, fetch: Fetch | None) -> bytes:
    """The message with the content of the file. Raises OSError, and ValueError for another version of it."""
    if os.path.realpath(reference.path) != reference.path:  # a link, which may lead anywhere
        raise ValueError(_GONE)
    try:
        if fetch is not None:
            fetch([FilePart(reference.path)])
        with opened(reference.path) as file:
            if not reference.is_version(os.fstat(file.fileno())):
                raise ValueError(_GONE)
            content = b"".join(iter(lambda: file.read(_PIECE), b""))
    except FileNotFoundError:
        raise ValueError(_GONE) from None
    if len(content) != reference.size:
        raise ValueError(_GONE)
    return reference.message(content)


def whole_sizes(path: str, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sizes of payloads of an event file, with the content of the files that they refer to."""
    found = sizes.copy()
    inode = os.stat(path).st_ino
    for row in np.flatnonzero(sizes <= LONGEST).tolist():
        found[row] = _whole_size(path, inode, int(starts[row]), int(sizes[row]))
        if not row and found[0] == sizes[0]:  # a tag has references, or none
            return sizes
    return found


@lru_cache(maxsize=1 << 16)
def _whole_size(path: str, inode: int, start: int, size: int) -> int:
    with opened(path) as file:
        reference = FileReference.of(os.pread(file.fileno(), size, start))
    return size if reference is None else reference.whole
