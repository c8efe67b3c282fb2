"""Log files whose bytes come from elsewhere when they are needed: local mirrors of remote logdirs."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from attrs import frozen

from insight_core.ingest.scanner.regular_file import open_regular
from insight_core.plugin import FileChanged

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
