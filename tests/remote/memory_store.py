"""A remote store in memory that fails as a test wants, and counts what it is asked."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from insight_core.plugin import FileChanged, RemoteFile

LOCATION = "memory://logs"


class MemoryStore:
    """Implements ``RemoteFiles``; ``errors`` are raised by the next requests, None: that one succeeds."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, RemoteFile]] = {}
        self.errors: list[Exception | None] = []
        self.stale: list[RemoteFile] | None = None  # what the next listings say instead
        self.cuts = 0  # answers that miss their last byte
        self.opened = self.lists = 0
        self.reads: list[tuple[str, int, int]] = []
        self._time = 1_700_000_000
        self._lock = threading.Lock()

    def put(self, path: str, data: bytes) -> None:
        self._time += 1
        listed = RemoteFile(path, len(data), self._time * 1_000_000_000, f'"{self._time}"')
        self.files[path] = data, listed

    def append(self, path: str, data: bytes) -> None:
        self.put(path, self.files[path][0] + data)

    def listed(self) -> list[RemoteFile]:
        return [listed for _, listed in self.files.values()]

    @property
    def bytes_read(self) -> int:
        return sum(end - start for _, start, end in self.reads)

    def open(self) -> MemoryStore:
        self.opened += 1
        return self

    def pages(self) -> Iterator[Sequence[RemoteFile]]:
        with self._lock:
            self.lists += 1
            self._fail()
            yield self.listed() if self.stale is None else self.stale

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        with self._lock:
            self._fail()
            self.reads.append((file.path, start, end))
            data, listed = self.files.get(file.path, (b"", None))
            if listed is None or listed.version != file.version:
                raise FileChanged(file.path)
            cut, self.cuts = min(1, self.cuts), max(0, self.cuts - 1)
            return data[start : end - cut]

    def close(self) -> None:
        pass

    def _fail(self) -> None:
        if self.errors and (error := self.errors.pop(0)) is not None:
            raise error
