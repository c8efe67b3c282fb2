"""Log files whose bytes come from elsewhere when they are needed: local mirrors of remote logdirs."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from attrs import define, frozen

from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.plugin import FileChanged, Reason, RemoteFiles

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_AHEAD = 4 << 20  # bytes that one read has fetched, at least
_NO_END = 1 << 62


@frozen
class FilePart:
    """Bytes of a local file from ``start`` up to ``end``, or to its end."""

    path: str
    start: int = 0
    end: int = _NO_END
    grows: bool = False  # it is a log, which is appended to


# Makes parts of files present before they are read; parts of other files are left alone. Fetches several at
# once. Raises FileChanged, if a file has another version elsewhere than here, and OSError.
Fetch: TypeAlias = Callable[[Sequence[FilePart]], None]


@define
class RequestCounts:
    """Requests to one store so far, those that failed included."""

    lists: int = 0  # pages of listings
    reads: int = 0
    retries: int = 0  # of these, repetitions after an error
    bytes: int = 0  # of files that were read


class MirrorSet(Protocol):
    """Local mirrors of remote logdirs: the answer of the hook ``insight_mirror``. Any thread may call it."""

    may_evict: Callable[[str], bool]  # whether the content of a local file may be freed: set by the reader

    @property
    def locations(self) -> Mapping[str, str]:
        """The location of each local directory."""

    def add(self, location: str, open_files: Callable[[], RemoteFiles]) -> str:
        """Mirrors a location; returns the local directory. Raises what ``open_files`` does, OSError."""

    def list_first(self) -> None:
        """Lists each location that was not listed yet; a store that is away is a notice."""

    def list_now(self) -> None:
        """Lists every location."""

    def follow(self, changed: Callable[[frozenset[str] | None], None], noticed: Callable[[], None]) -> None:
        """Lists the locations again and again.

        ``changed`` is called with the local files that have other content, None if files came or went;
        ``noticed`` when a store goes away or comes back.
        """

    def fetch(self, parts: Sequence[FilePart]) -> None:
        """See ``Fetch``."""

    def fetch_current(self, parts: Sequence[FilePart]) -> None:
        """``fetch`` for readers that cannot wait for the next listing. Raises OSError."""

    def notices(self) -> Sequence[Reason]:
        """What users should know of the stores."""

    def counts(self) -> Mapping[str, RequestCounts]:
        """Requests so far, by location."""

    def close(self) -> None:
        """Ends requests, and keeps what was fetched."""


class FetchedFile(io.FileIO):
    """A file that fetches the bytes that are read, and some after them."""

    def __init__(self, path: str, fetch: Fetch) -> None:
        super().__init__(open_regular(path), "rb")
        self._path, self._fetch = path, fetch

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._fetch_next(memoryview(buffer).nbytes)
        return super().readinto(buffer)

    def read(self, size: int | None = -1) -> bytes:
        self._fetch_next(_NO_END if size is None or size < 0 else size)
        return super().read(-1 if size is None else size)

    def readall(self) -> bytes:
        self._fetch_next(_NO_END)
        return super().readall()

    def _fetch_next(self, count: int) -> None:
        start = self.tell()
        try:
            self._fetch([FilePart(self._path, start, min(_NO_END, start + max(count, _AHEAD)))])
        except FileChanged as error:
            raise OSError("the file has changed") from error


def opened(path: str, fetch: Fetch | None = None) -> io.FileIO:
    """An unbuffered file to read. Raises OSError, also if it is not a regular file."""
    return io.FileIO(open_regular(path), "rb") if fetch is None else FetchedFile(path, fetch)
