"""Reads content through a log format, as the host reads a file that grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.formats.batch import Batch, Flaw
from insight_core.formats.columns import Block
from insight_core.ingest.locked_directory import ValueFiles
from insight_core.ingest.log_file import FormatReader, LogFile, Waiting
from insight_core.plugin import HyperParameters, Images, LogFormat, Texts, Unavailable


@frozen(eq=False)
class ReadPoints:
    """All points of one tag, in the order of the file."""

    steps: NDArray[np.int64]
    values: NDArray[np.float64]
    wall_times: NDArray[np.float64]  # NaN where unknown


@frozen(eq=False)
class ReadLog:
    """What a log format made of a file: points by tag, and what could not be read."""

    points: Mapping[str, ReadPoints]
    flaws: Sequence[Flaw]
    others: Sequence[Texts | Images | HyperParameters] = ()  # in the order of the file


def read_all(log_format: LogFormat, content: bytes, pieces: int = 7, name: str = "log") -> ReadLog:
    """Reads content that arrives in so many pieces, cut anywhere, with the host's checks and deadlines.

    ``name`` is that of the file. Raises Unavailable for a format that does not return.
    """
    found: dict[str, list[list[NDArray[np.generic]]]] = {}
    with TemporaryDirectory(prefix="insight-test-") as directory:
        path = Path(directory) / name
        values = ValueFiles()
        file = _EndedFile(str(path), FormatReader(log_format, values))
        with path.open("wb") as stream:
            for piece in range(pieces):
                begin, end = (len(content) * each // pieces for each in (piece, piece + 1))
                stream.write(content[begin:end])
                stream.flush()
                for block in _blocks(file):
                    _add(block, found)
        flaws = file.every_flaw()
        values.close()
    joined = {tag: [np.concatenate(column) for column in columns] for tag, columns in found.items()}
    return ReadLog({tag: ReadPoints(*columns) for tag, columns in joined.items()}, flaws, file.others)


class _EndedFile(LogFile):
    """A file that nobody writes any more: an unfinished end is damage at once."""

    def __init__(self, path: str, reader: FormatReader) -> None:
        super().__init__(path, reader)
        self.others: list[Texts | Images | HyperParameters] = []

    def _kept(self, items: Sequence[Texts | Images | HyperParameters], began: int) -> list[Batch]:
        self.others += items
        return super()._kept(items, began)

    def every_flaw(self) -> list[Flaw]:
        tail = self._known.tail
        return [*self._known.flaws.entries(), *([] if tail is None else [tail])]


def _blocks(file: _EndedFile) -> Sequence[Block]:
    blocks: list[Block] = []
    while True:
        before = file.position
        try:
            batch = file.read()
        except Waiting:
            if not file.is_waiting:
                raise Unavailable(str(file.every_flaw()[-1].reason)) from None
            continue
        if batch is None:
            return blocks
        blocks.extend(batch.blocks)
        if file.position in (before, file.size):  # as the host, which does not call it again either
            return blocks


def _add(block: Block, found: dict[str, list[list[NDArray[np.generic]]]]) -> None:
    begin = 0
    for tag, end in zip(block.tags, block.ends.tolist(), strict=True):
        part = block.columns[begin:end]
        if part.values is None:  # a text or a picture
            continue
        columns = found.setdefault(tag, [[], [], []])
        for column, values in zip(columns, (part.steps, part.values, part.wall_times), strict=True):
            column.append(values)
        begin = end
