"""Encodes blocks for a segment file: tables of their series and chunks, and columns, which are not copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from insight_core.formats.columns import Block
from insight_core.formats.compiled import NotCompiled
from insight_core.formats.stored_block import Form

try:
    from insight_core.formats import _block_encoding
except ImportError as error:
    raise NotCompiled("insight_core.formats._block_encoding") from error

Piece: TypeAlias = bytes | memoryview  # of elements of any size


class EncodedBlock(NamedTuple):
    """The bytes of a stored block, and what a reader has to know before it reads the tables."""

    pieces: list[Piece]
    size: int  # bytes of the pieces
    chunks: int
    checksum: int  # of both tables
    rests: bool  # see ``StoredBlock``


def encode_block(blocks: Sequence[Block]) -> EncodedBlock:
    """Several blocks of one form as one. Raises ValueError for columns that are not equally long."""
    form = Form.of(blocks[0].columns)
    return EncodedBlock(*_block_encoding.encode_block(list(blocks), form.size, form.values == "f"))
