"""Reads one log file into the store."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from insight_core.formats.batch import Batch, Flaw, SmallFile, unreadable
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import Lost
from insight_core.ingest.event_file import EventFile, WholeFile
from insight_core.ingest.fetching import Fetch, FilePart
from insight_core.ingest.file_record import Entry
from insight_core.ingest.folding import Folding, NotPart, has_points
from insight_core.ingest.followed_file import HEAD, TAIL, Replaced
from insight_core.ingest.found import FoundFile
from insight_core.ingest.log_file import FormatReader, LogFile, Waiting
from insight_core.ingest.scanner.small_files import read_small_files
from insight_core.plugin import FileChanged
from insight_core.store.claims import ClaimedBlock, assign
from insight_core.store.first_files import FirstFile, LoadedFiles
from insight_core.store.segment import FileOrder
from insight_core.store.store import Store
from insight_record.formats.reason import ReasonKind

if TYPE_CHECKING:  # a host without a cache does not load these
    from insight_core.ingest.index.cache import IndexCache
    from insight_core.ingest.index.segment_file import StoredFile

log = logging.getLogger(__name__)

_MOST_EXPECTED = 64.0  # limit for reserving memory, as a multiple of the present size; unused memory is free
_READING_FAILED = ReasonKind("reading_failed", "reading failed: {cause}")


class ReadState(NamedTuple):
    """How far a file was read, and the version of the file."""

    position: int
    size: int
    mtime_ns: int


@define(eq=False)
class Tailed:
    """Reads one file into the store. One thread at a time may read or describe it."""

    found: FoundFile
    store: Store
    folding: Folding
    cache: IndexCache | None = None
    lose: Callable[[str], None] = lambda path: None  # has the file at a path read again
    reader: FormatReader | None = None  # of a log format; None for event files
    fetch: Fetch | None = None  # of a file in a mirror
    _file: EventFile | LogFile | None = None  # made when it is read
    _stored: StoredFile | WholeFile | None = None  # what the store has of it, until the file is read on
    is_new: bool = True  # not read by this process
    has_points: bool = False  # other values than hyperparameters are known of it
    is_lost: bool = False  # stored points could not be read: the file is to be read again
    failure: str = ""  # of the last attempt
    kept: ReadState | None = None  # what the index of the next start has of it
    kept_at: float = 0.0  # monotonic seconds
    lock: threading.Lock = field(init=False, factory=threading.Lock)

    @property
    def place(self) -> tuple[str, str, FileOrder]:
        """Run, name and order of the file, for the store."""
        return self.found.run, self.found.name, self.found.order

    @property
    def position(self) -> int:
        """Offset of the first byte that was not read."""
        if self._file is not None:
            return self._file.position
        return 0 if self._stored is None else self._stored.position

    @property
    def is_behind(self) -> bool:
        """Whether the file had unread bytes at the last check."""
        if self.is_lost:
            return True
        if self._file is not None:
            return not self._file.is_unchanged(self.found.size, self.found.mtime_ns)
        return self._stored is None or self._stored.version[2:4] != self.found.version[2:4]

    @property
    def unread(self) -> int:
        """Unread bytes."""
        return max(0, self.found.size - self.position) if self.is_behind else 0

    @property
    def is_waiting(self) -> bool:
        """Whether the log format has not returned yet."""
        return isinstance(self._file, LogFile) and self._file.is_waiting

    @property
    def values_path(self) -> str:
        """The path of the event file with values of a log format; empty without any."""
        file = self._file
        return file.values_path if isinstance(file, LogFile) else ""

    @property
    def is_kept(self) -> bool:
        """Whether there is an index entry of an earlier process, which may be used."""
        return self.cache is not None and self.cache.holds(self.found.path)

    def read(self, most: int, may_scan_ahead: bool = False) -> tuple[int, bool]:
        """Reads up to ``most`` batches; returns their number and whether unread bytes remain. With 0 it takes
        only what the index has."""
        with self.lock:
            try:
                if self.is_lost:
                    self._start_anew()
                if self.is_new:
                    self.is_new = False
                    self._resume()
                    if not self.is_behind:
                        return 0, self._finish()
                if self.fetch is not None and most:
                    self._fetch_unread(self.fetch)
                for count in range(most):
                    batch = self._opened().read(may_scan_ahead)
                    if batch is None:
                        return count, self._finish()
                    self._append(batch)
                    if not self.is_behind:
                        return count + 1, self._finish()
                return most, True
            except Replaced:
                self._start_anew()
                return 1, True
            except NotPart:  # it will be read for a run of its own
                self._start_anew()
                return 1, False
            except FileChanged:
                return 1, False  # elsewhere: the next listing handles that
            except Lost as error:
                log.warning("%s; the file is read again", error)
                # read on if the points were its own; those of another file of the run come first
                return 1, self.is_lost or error.path == os.path.abspath(self.found.path)
            except Waiting:
                self.say_damage()
                return most, False
            except FileNotFoundError:
                return 1, False  # deleted: the next walk handles that
            except OSError as error:
                self._fail(unreadable(error))
            except Exception as error:  # an error in one file must not stop the others
                cause = str(error) or type(error).__name__
                reason = _READING_FAILED(cause=cause)
                if reason != self.failure:  # retried at every walk, logged once
                    log.exception("reading %s failed", self.found.path)
                    self.failure = reason
                self._fail(reason)
            return 1, False

    def _fetch_unread(self, fetch: Fetch) -> None:
        """Has the unread bytes fetched, and those by which the file and its damage are recognised."""
        path, position = self.found.path, self.position
        parts = [FilePart(path, max(0, position - TAIL), grows=True)]
        if position > TAIL:
            parts.append(FilePart(path, 0, HEAD, grows=True))
        if self._file is not None:
            damaged = [flaw for flaw in self._file.flaws() if flaw.offset < position]
            parts += [FilePart(path, flaw.offset, flaw.offset + flaw.skipped, grows=True) for flaw in damaged]
        fetch(parts)

    def take(self, found: SmallFile, *, is_stored: bool) -> bool:
        """Adopts the result of a bulk read; nothing was read before. The store gets it, unless it has it.

        Returns False if the store fails.
        """
        with self.lock:
            try:
                version = self.found.version  # equal unless the file has changed since: kept once
                if version != found.version:
                    version = found.version
                self._stored = WholeFile(version, found.dialect, found.head_checksum, found.tail_checksum)
                self._file = None  # there is one if the index has an entry of another version
                if is_stored:
                    self.has_points = found.has_points
                else:
                    self._append(found.batch)
            except Exception:
                log.debug("%s is read by itself", self.found.path, exc_info=True)
                return False
            return True

    @property
    def state(self) -> ReadState:
        """How far the file was read."""
        if self._file is None:  # it was read by an earlier process, or not yet
            size = self._stored.version[2] if self._stored else 0
            return ReadState(self.position, size, self.found.mtime_ns)
        return ReadState(self._file.position, self._file.size, self.found.mtime_ns)

    def say_damage(self) -> None:
        """Passes the current flaws to the store."""
        self.store.set_damage(self.found.run, self.found.name, self._file.flaws() if self._file else ())

    def entry(self) -> Entry | None:
        """The state for an index entry; None until the file is read to its end, and if points are lost."""
        with self.lock:
            known = self._opened() if self._stored is None else self._stored
            record = known.record()
            try:
                content = self.store.file_state(self.found.run, self.found.order) if record else None
            except Lost as error:
                log.warning("%s; the file will be read again", error)
                return None
            self.note_kept()
            return Entry(record, content) if record and content else None

    def loaded_place(self) -> tuple[LoadedFiles, int] | None:
        """Where its points are among those of other files; None if they are in memory of their own."""
        if not isinstance(self._stored, WholeFile):
            return None
        return self.store.loaded_place(self.found.run, self.found.order)

    def note_kept(self) -> None:
        """Called when the index gets what was read."""
        self.kept, self.kept_at = self.state, time.monotonic()

    def restored(self, stored: StoredFile) -> None:
        """Called before anything is read, when the store has what an earlier process read of the file."""
        self.is_new, self._stored, self.has_points = False, stored, stored.has_points
        if self.found.part:
            cache, lose = self.cache, self.lose
            self.folding.recall(self.found, lambda: stored.content(cache.dropping(lose) if cache else lose))
        self.kept_at = time.monotonic()
        self.kept = ReadState(stored.position, stored.version[2], stored.version[3])

    def _resume(self) -> None:
        """Loads the index entry of this file, if there is a valid one."""
        entry = self.cache.load(self.found.path, self.lose) if self.cache else None
        if entry is None or not self._opened().resume(entry.file, self.found.version):
            return
        try:
            self._note_content(entry.content.blocks, entry.content.metadata)
            is_restored = self.store.restore(*self.place, entry.content)
        except Exception:
            self._start_anew()  # otherwise earlier points would be lost
            raise
        if is_restored:
            self.kept, self.kept_at = self.state, time.monotonic()
        else:
            self._start_anew()

    def _append(self, batch: Batch) -> None:
        found = self.found
        expected = min(_MOST_EXPECTED, found.size / max(1, batch.end))
        try:
            if found.part and batch.session_step is not None:
                self.folding.refute(found)
            if not self.has_points or found.part:
                self._note_content(assign(batch, (batch.metadata,), ""), batch.metadata)
            dialect = None if found.is_translated else self._opened().dialect  # that of the user's own files
            self.store.append(found.run, found.name, found.order, dialect, batch, expected)
        except Exception:
            self._start_anew()  # otherwise the points of this batch would be lost
            raise

    def _note_content(self, blocks: Iterable[ClaimedBlock], metadata: Mapping[str, Metadata]) -> None:
        blocks = list(blocks)
        if self.found.part:
            self.folding.check(self.found, blocks, metadata)
        self.has_points = self.has_points or has_points(blocks)

    def drop(self) -> None:
        """Removes the points of the file from the store, with what the host keeps of it."""
        self.store.drop_file(*self.place)
        self.folding.forget(self.found)
        if isinstance(self._file, LogFile):
            self._file.discard()

    def _start_anew(self) -> None:
        self.is_lost = False
        self.drop()
        self._file = self._stored = self.kept = None

    def _opened(self) -> EventFile | LogFile:
        if self._file is None:
            if self.reader is not None:
                self._file = LogFile(self.found.path, self.reader)
            else:
                self._file = EventFile(self.found.path, self.found.dialect, self.store.number_plugins)
            if self._stored is not None:
                self._file.resume(self._stored.record(), self._stored.version)
                self._stored = None
        return self._file

    def _finish(self) -> bool:
        self.failure = ""
        self.say_damage()
        return False

    def _fail(self, reason: str) -> None:
        flaws = self._file.flaws() if self._file else ()
        self.store.set_damage(self.found.run, self.found.name, [*flaws, Flaw(self.position, reason)])


def read_together(files: Sequence[Tailed], number_plugins: frozenset[str]) -> list[Tailed]:
    """Reads unread small files in bulk; returns the files that were read to their end.

    The caller reads the other files one by one: files that are damaged, unusual, changing or deleted, files
    that the store rejects, and all files that follow one of these in its run.
    """
    fetch = files[0].fetch
    if fetch is not None:
        try:
            fetch([FilePart(tailed.found.path, grows=True) for tailed in files])
        except (OSError, FileChanged):  # reported of each file by itself
            return []
    found = read_small_files(
        [tailed.found.path for tailed in files],
        [tailed.found.dialect for tailed in files],
        number_plugins,
        HEAD,
        TAIL,
    )
    stored = _store_first(files, found)
    left: set[str] = set()  # runs
    done = []
    for tailed, file in zip(files, found, strict=True):
        is_stored = tailed.found.run in stored
        stored.discard(tailed.found.run)
        if file is not None and tailed.found.run not in left and tailed.take(file, is_stored=is_stored):
            done.append(tailed)
        else:
            left.add(tailed.found.run)
    return done


def _store_first(files: Sequence[Tailed], found: Sequence[SmallFile | None]) -> set[str]:
    """Adds the first of these files of each run to the store, all together; returns the runs for which the
    store took it."""
    first: dict[str, FirstFile | None] = {}
    for tailed, file in zip(files, found, strict=True):
        place = tailed.found
        run = place.run
        if run not in first:
            first[run] = None
            if file is not None and file.alike is not None and not place.part:
                dialect = None if place.is_translated else file.dialect
                first[run] = FirstFile(run, place.name, place.order, dialect, file.alike, file.number)
    usual = [each for each in first.values() if each is not None]
    store = files[0].store
    try:
        added = store.append_first(usual)
    except Exception:
        log.debug("files are added one by one", exc_info=True)
        for each in usual:
            store.drop_file(each.run, each.name, each.order)
        return set()
    return {each.run for each, is_added in zip(usual, added, strict=True) if is_added}
