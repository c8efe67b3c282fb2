"""Files in a remote store, from which the host reads a logdir: see the hook ``insight_open_files``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from attrs import frozen


@frozen
class RemoteFile:
    """A file as the store lists it."""

    path: str  # relative to the location, with "/"
    size: int  # bytes
    mtime_ns: int  # last modification, in ns since the epoch
    version: str = ""  # changes with the content (an ETag); empty: size and mtime tell


class FileChanged(Exception):
    """The store has another version of the file than the one listed, or none."""


class RemoteFiles(Protocol):
    """The files below one location. Any thread may call it, several at a time; nothing is ever written.

    An OSError of ``pages`` and ``read`` is retried, but not a PermissionError: after it the host opens the
    location again, so that new credentials are found. Implementations do not retry, so that the host can
    count requests.
    """

    def pages(self) -> Iterator[Sequence[RemoteFile]]:
        """All files, one page for each request; an empty location has one empty page. Raises OSError."""
        ...

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """The bytes from ``start`` up to ``end`` of this version of the file, by one request.

        Raises FileChanged, and OSError, also for an answer that is too short.
        """
        ...

    def close(self) -> None:
        """Closes connections."""
        ...
