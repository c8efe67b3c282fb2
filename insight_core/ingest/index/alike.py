"""Encodes log files of runs that are alike for a segment file, many by one call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.alike_files import AlikeBlock
from insight_core.formats.block_encoding import encode_alike, fit_one_chunk
from insight_core.formats.stored_block import Form
from insight_core.ingest.followed_file import HEAD, TAIL
from insight_core.ingest.index.format import BLOCK, FILE, EntryDirectory, encoded_directory, holds_of
from insight_core.plugin import Claim
from insight_core.store.first_files import LoadedFiles


class PackedFiles(NamedTuple):
    """Log files of runs that are alike, as a segment file keeps them."""

    paths: Sequence[str]
    files: NDArray[Any]  # FILE
    directory: bytes  # see ``Packed``
    blocks: NDArray[Any]  # BLOCK, equally many for each file
    sizes: NDArray[np.int64]  # bytes of the blocks of each
    data: bytes


def can_pack(files: LoadedFiles) -> bool:
    """Whether ``pack_alike`` can encode these files."""
    forms = {(claim, kind.values, kind.has_places) for (claim, _), kind in _kinds(files)}
    return len(forms) == len(files.claims) and fit_one_chunk(files.alike)  # those of one form are joined


def pack_alike(paths: Sequence[str], files: LoadedFiles, numbers: Sequence[int]) -> PackedFiles:
    """What ``pack`` gives for each of the files with these ``numbers``, which are at ``paths``."""
    content, kinds = files.content(numbers[0]), _kinds(files)
    places = [files.numbers[number] for number in numbers]
    found = files.alike.files[places]
    rows = np.zeros(len(places), FILE)
    for name in ("inode", "size", "mtime_ns", "ctime_ns", "start_time", "head_checksum"):
        rows[name] = found[name]
    rows["position"], rows["end_checksum"] = found["size"], found["tail_checksum"]
    rows["head_length"], rows["end_length"] = np.minimum(found["size"], HEAD), np.minimum(found["size"], TAIL)
    rows["holds"], rows["odd_time"] = holds_of(content), math.nan
    encoded = encode_alike(files.alike, [kind for _, kind in kinds], places)
    listed = [(claim, Form(kind.values, kind.has_places).number, kind.tags) for (claim, _), kind in kinds]
    directory = EntryDirectory(
        files.alike.dialect, files.dialect, (), (), "", (), (), (), (), (), tuple(listed)
    )
    return PackedFiles(
        paths,
        rows,
        encoded_directory(directory),
        np.frombuffer(encoded.rows, BLOCK),
        np.frombuffer(encoded.sizes, np.int64),
        encoded.data,
    )


def _kinds(files: LoadedFiles) -> list[tuple[tuple[Claim, bool], AlikeBlock]]:
    """The claim of each block of files that are alike, and the form that is kept of it."""
    return [
        ((claim, is_smaller), kind._replace(has_places=False) if is_smaller else kind)
        for (claim, is_smaller), kind in zip(files.claims, files.alike.kinds, strict=True)
    ]
