"""Requests to a remote store: retried, counted, and stopped while the store is away."""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from insight_core.plugin import FileChanged, RemoteFile, RemoteFiles
from insight_core.plugin.own import RequestCounts
from insight_record.formats.reason import Reason, ReasonKind

T = TypeVar("T")

log = logging.getLogger(__name__)

_PAUSES = (0.2, 0.8, 3.2)  # seconds before each further try, up to twice as long
_MOST_FAILURES = 3  # reads in a row that make the store away
_LONGEST_CAUSE = 300  # characters
_REMOTE_UNREAD = ReasonKind("remote_unread", "it cannot be fetched: {cause}")


class StoreAway(OSError):
    """The store does not answer, or refuses; what was read before stays."""


class ReadFailed(OSError):
    """One file cannot be read; others may be."""


class _Failed(Exception):
    """A request failed for good."""

    def __init__(self, error: Exception, *, is_refusal: bool = False) -> None:
        super().__init__(str(error))
        self.cause = " ".join((str(error) or type(error).__name__).split())[:_LONGEST_CAUSE]
        self.is_refusal = is_refusal


class Requests:
    """Sends the requests of one location. ``open_files`` opens it again after credentials were refused."""

    def __init__(self, location: str, open_files: Callable[[], RemoteFiles]) -> None:
        self.location = location
        self.counts = RequestCounts()
        self.away: Reason | None = None  # why the last request failed for good
        self.noticed: Callable[[], None] = lambda: None  # called when that is another reason, or none
        self._open_files = open_files
        self._files: RemoteFiles | None = open_files()
        self._failures = 0  # of reads, without a success since
        self._stop = threading.Event()
        self._lock = threading.Lock()

    def listed(self) -> tuple[list[RemoteFile], bool]:
        """All files of the location, and whether the store was away until now. Raises StoreAway."""

        def pages(files: RemoteFiles) -> list[RemoteFile]:
            found: list[RemoteFile] = []
            for page in files.pages():
                self._count(lists=1)
                found += page
            return found

        try:
            found = self._tried(pages, on_error=lambda: self._count(lists=1))
        except _Failed as failure:
            raise self._gone(failure) from failure
        was_away, self.away, self._failures = self.away is not None, None, 0
        if was_away:
            log.warning("%s can be read again", self.location)
            self.noticed()
        return found, was_away

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """A part of a file. Raises FileChanged, ReadFailed; immediately StoreAway while the store is away.

        A file that cannot be read does not make the store away; several without a success between them do.
        """
        if self.away is not None:
            raise StoreAway(self.away)

        def part(files: RemoteFiles) -> bytes:
            self._count(reads=1)
            data = files.read(file, start, end)
            self._count(bytes=len(data))
            if len(data) != end - start:
                raise OSError(f"the answer has {len(data):,} of {end - start:,} bytes")
            return data

        try:
            data = self._tried(part)
        except _Failed as failure:
            with self._lock:
                self._failures += 1
                is_away = self._failures >= _MOST_FAILURES
            if is_away:
                raise self._gone(failure) from failure
            raise ReadFailed(_REMOTE_UNREAD(cause=failure.cause)) from failure
        self._failures = 0
        return data

    def close(self) -> None:
        """Ends waits between tries, and closes the store."""
        self._stop.set()
        with self._lock:
            files, self._files = self._files, None
        if files is not None:
            files.close()

    def _tried(self, request: Callable[[RemoteFiles], T], on_error: Callable[[], None] = lambda: None) -> T:
        pauses: Sequence[float] = (*_PAUSES, -1.0)
        for pause in pauses:
            try:
                return request(self._opened())
            except FileChanged:
                raise
            except PermissionError as error:
                on_error()
                self._reopen()
                raise _Failed(error, is_refusal=True) from error
            except Exception as error:  # stores have errors of their own
                on_error()
                if not isinstance(error, OSError):
                    log.debug("a request to %s failed", self.location, exc_info=True)
                if pause < 0 or self._stop.wait(pause * (1 + random.random())):
                    raise _Failed(error) from error
                self._count(retries=1)
        raise AssertionError

    def _opened(self) -> RemoteFiles:
        with self._lock:
            if self._files is None:
                if self._stop.is_set():
                    raise OSError("it was closed")
                self._files = self._open_files()
            return self._files

    def _reopen(self) -> None:
        """Has the location opened again at the next request; other threads may still use the old one."""
        with self._lock:
            self._files = None

    def _gone(self, failure: _Failed) -> StoreAway:
        code = "remote_refused" if failure.is_refusal else "remote_away"
        text = f"{self.location} {'refuses access' if failure.is_refusal else 'cannot be reached'}"
        cause = failure.cause
        reason = Reason(f"{text}: {cause}", code, location=self.location, cause=cause)
        is_news = not self._stop.is_set() and (self.away is None or self.away.code != code)
        self.away = reason
        if is_news:
            log.warning("%s", reason)
            self.noticed()
        return StoreAway(reason)

    def _count(self, *, lists: int = 0, reads: int = 0, retries: int = 0, bytes: int = 0) -> None:
        with self._lock:
            self.counts.lists += lists
            self.counts.reads += reads
            self.counts.retries += retries
            self.counts.bytes += bytes
