"""A store of files for ``--logdir sample://2``. A real one asks a server, by one request for each call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from insight_core.plugin import RemoteFile


class SampleFiles:
    """A file of ``loss`` for each of some runs."""

    def __init__(self, runs: int) -> None:
        self._contents = {f"run{run}/a.words": b"loss 0 1.5\nloss 1 0.5\n" for run in range(1, runs + 1)}

    def pages(self) -> Iterator[Sequence[RemoteFile]]:
        """All files; a store with many gives them in several pages."""
        yield [RemoteFile(path, len(content), mtime_ns=0) for path, content in self._contents.items()]

    def read(self, file: RemoteFile, start: int, end: int) -> bytes:
        """A part of a file. One that has changed raises FileChanged."""
        return self._contents[file.path][start:end]

    def close(self) -> None:
        """A real one closes its connections."""
