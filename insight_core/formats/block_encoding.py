"""Encodes blocks for a segment file: tables of their series and chunks, and columns, which are not copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from insight_core.formats.alike_files import AlikeBlock, AlikeFiles
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


class EncodedFiles(NamedTuple):
    """The blocks of several files."""

    data: bytes
    sizes: bytes  # int64: bytes of each file
    rows: bytes  # of each block: where it begins in its file, then chunks, checksum and rests, as int64


def encode_block(blocks: Sequence[Block]) -> EncodedBlock:
    """Several blocks of one form as one. Raises ValueError for columns that are not equally long."""
    form = Form.of(blocks[0].columns)
    return EncodedBlock(*_block_encoding.encode_block(list(blocks), form.size, form.values == "f"))


def fit_one_chunk(files: AlikeFiles) -> bool:
    """Whether ``encode_alike`` can encode these files."""
    points = files.places[:, :, 1] - files.places[:, :, 0]
    sizes = [Form(kind.values, kind.has_places).size for kind in files.kinds]
    return bool((points <= _block_encoding.chunk_bytes // np.array(sizes, np.int64)).all())


def encode_alike(files: AlikeFiles, kinds: Sequence[AlikeBlock], numbers: Sequence[int]) -> EncodedFiles:
    """The blocks of the files with these numbers, in the form that ``kinds`` have and one chunk each.

    What each block is encoded to is what ``encode_block`` gives.
    """
    forms = [Form(kind.values, kind.has_places) for kind in kinds]
    facts = [
        (len(kind.tags), form.size, form.has_places, form.values)
        for kind, form in zip(kinds, forms, strict=True)
    ]
    return EncodedFiles(*_block_encoding.encode_alike(files.columns, facts, files.places, list(numbers)))
