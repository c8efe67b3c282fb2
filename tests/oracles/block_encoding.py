"""How blocks are encoded for a segment file, in numpy: what the compiled module has to give."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.columns import Block, Columns
from insight_core.formats.stored_block import CHUNKS, SERIES, Form
from insight_record.formats.crc32c import crc32c

_CHUNK = 64 << 10  # bytes of points of short series that are read and verified together


def encoded(blocks: Sequence[Block]) -> tuple[bytes, int, int, bool]:
    """Several blocks of one form as one: bytes, chunks, checksum of the tables, whether it rests."""
    tables, chunks = [], []
    pieces: list[bytes | memoryview] = []
    points = size = 0
    for block in blocks:
        if any(column.shape[-1:] != (block.ends[-1],) for column in block.columns.arrays()):
            raise ValueError(f"the columns of {block.tags} are not equally long")
        tables.append(_table(block, points))
        points += len(block.columns)
    for end, columns in _chunked(blocks):
        checksum = 0
        for piece in _pieces(columns):
            checksum = crc32c(piece, checksum)
            size += len(piece)
            pieces.append(piece)
        chunks.append((end, size, checksum))
    table = np.concatenate(tables)
    tags = {tag for block in blocks for tag in block.tags}
    rests = (
        len(tags) == len(table)
        and bool(table["ascending"].all())
        and not table["stretch"].any()
        and bool((np.diff(table["end"], prepend=0) == table["total"]).all())
    )
    head = table.tobytes() + np.array(chunks, CHUNKS).tobytes()
    return b"".join([head, *pieces]), len(chunks), crc32c(head), rests


def _table(block: Block, before: int) -> NDArray[Any]:
    counts, columns = block.counts(), block.columns
    table = np.zeros(len(counts), SERIES)
    table["end"] = block.ends + before
    table["total"] = counts if block.totals is None else block.totals
    table["stretch"] = 0 if block.stretches is None else block.stretches
    table["ascending"] = block.ascending
    if len(columns):  # a series without points gets facts of a neighbour, which are not used
        firsts, lasts = block.ends - counts, block.ends - 1
        table["first_step"] = columns.steps.take(firsts, mode="clip")
        table["last_step"] = columns.steps.take(lasts, mode="clip")
        table["last_wall_time"] = columns.wall_times.take(lasts, mode="clip")
        if columns.values is not None:
            with np.errstate(invalid="ignore"):  # a signalling NaN of float32 becomes a quiet one
                table["last_value"] = columns.values.take(lasts, mode="clip")
    return table


def _chunked(blocks: Sequence[Block]) -> Iterator[tuple[int, list[Columns]]]:
    """Chunks: the index after the last series, and the points. Long series have a chunk of their own."""
    most = _CHUNK // Form.of(blocks[0].columns).size
    held: list[Columns] = []
    series = points = 0
    for block in blocks:
        first = start = 0
        while first < len(block.tags):
            end = max(first + 1, int(np.searchsorted(block.ends, start + most, side="right")))
            stop = int(block.ends[end - 1])
            if held and points + stop - start > most:
                yield series, held
                held, points = [], 0
            held.append(block.columns[start:stop])
            series, points = series + end - first, points + stop - start
            first, start = end, stop
    yield series, held


def _pieces(parts: Sequence[Columns]) -> Iterator[memoryview]:
    columns: list[list[NDArray[Any]]] = [
        [part.steps for part in parts],
        [part.wall_times for part in parts],
        *([part.places[row] for part in parts if part.places is not None] for row in range(3)),
        [part.values for part in parts if part.values is not None],
    ]
    for each in itertools.chain.from_iterable(columns):
        yield np.ascontiguousarray(each).view(np.uint8).data
