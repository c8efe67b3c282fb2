"""Objects by key, in a directory or a bucket: what a lake needs of either."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from attrs import frozen

from insight_core.plugin import InsightError


class ObjectMissing(InsightError):
    """Raised for a key without an object."""

    status = 404
    code = "not_found"


@frozen
class StoredObject:
    """An object as a listing shows it."""

    key: str
    size: int  # bytes
    modified: float  # seconds since the epoch


class Traffic:
    """Requests that were sent and bytes that were read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.requests = 0
        self.bytes = 0

    def count(self, size: int = 0) -> None:
        """Counts a request and the bytes of its answer."""
        with self._lock:
            self.requests += 1
            self.bytes += size


class ObjectStore(Protocol):
    """Objects that never change, under keys such as ``series/3f.parquet``. Any thread may use it.

    Methods raise Unavailable if the store cannot be reached, and ObjectMissing for an unknown key.
    """

    location: str
    traffic: Traffic

    def get(self, key: str) -> bytes:
        """A whole object."""
        ...

    def get_range(self, key: str, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``."""
        ...

    def create(self, key: str, data: bytes) -> bool:
        """Stores an object; returns False if there is one of this key. One of several writers wins."""
        ...

    def put_file(self, key: str, path: Path) -> None:
        """Stores the content of a file from ``drafts``, which may be moved."""
        ...

    def list(self, prefix: str) -> Iterator[StoredObject]:
        """The objects whose keys begin with the prefix, a directory with its slash."""
        ...

    def delete(self, keys: Collection[str]) -> None:
        """Deletes objects; unknown ones too."""
        ...

    def drafts(self) -> AbstractContextManager[Path]:
        """A directory for files that are being written; removed at the end."""
        ...
