"""Reads chosen members of a zip archive that may be hostile: bounded, and without unpacking the others."""

from __future__ import annotations

import os
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import BinaryIO

from insight_core.plugin import Reason, ReasonKind
from insight_graph.unreadable import EMPTY

MOST_DIRECTORY = 16 << 20  # bytes of the list of members
_PIECE = 1 << 20  # bytes
_MOST_MEMBERS = 100  # that are chosen
_END, _END_SIZE = b"PK\5\6", 22
_LOCATOR_SIZE, _LOCATOR = 20, b"PK\6\7"
_LONGEST_COMMENT = 1 << 16
_IN_ZIP64 = 0xFFFFFFFF
_Read = Callable[[int], list[bytes] | None]
_DIRECTORY_SIZE = struct.Struct("<40xQ")  # in the end of a zip64 directory
_ZIP_DIRECTORY = ReasonKind(
    "graph_zip_directory", "the list of members of the archive has more than {most:,} bytes: it is not read"
)


def member(file: BinaryIO, pattern: re.Pattern[str]) -> Iterator[tuple[str, _Read]]:
    """Names of members that match, and a function that reads each in pieces: at most so many bytes, else it
    gives None.

    Raises zipfile.BadZipFile for other files, and ValueError for a directory that is too long.
    """
    if _directory_size(file) > MOST_DIRECTORY:
        raise ValueError(_ZIP_DIRECTORY(most=MOST_DIRECTORY))
    with zipfile.ZipFile(file) as archive:
        chosen = [name for name in archive.namelist() if pattern.fullmatch(name)]
        for name in chosen[:_MOST_MEMBERS]:
            yield name, lambda most, name=name: _bounded(archive, name, most)  # type: ignore[misc]


def _bounded(archive: zipfile.ZipFile, name: str, most: int) -> list[bytes] | None:
    """The sizes that an archive states are not trusted."""
    pieces: list[bytes] = []
    with archive.open(name) as opened:
        while piece := opened.read(_PIECE):
            most -= len(piece)
            if most < 0:
                return None
            pieces.append(piece)
    return pieces


def _directory_size(file: BinaryIO) -> int:
    """Bytes of the list of members, as the archive states them."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        raise zipfile.BadZipFile(EMPTY)
    tail_size = min(size, _END_SIZE + _LONGEST_COMMENT + _LOCATOR_SIZE)
    file.seek(size - tail_size)
    tail = file.read(tail_size)
    at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise zipfile.BadZipFile(Reason("the end of the archive is missing", "graph_zip_end"))
    (stated,) = struct.unpack_from("<I", tail, at + 12)
    locator = at - _LOCATOR_SIZE
    if stated == _IN_ZIP64 and locator >= 0 and tail.startswith(_LOCATOR, locator):
        (offset,) = struct.unpack_from("<8xQ", tail, locator)
        if offset + _DIRECTORY_SIZE.size > size:
            raise zipfile.BadZipFile(Reason("the end of the archive is damaged", "graph_zip_end_damaged"))
        file.seek(offset)
        (stated,) = _DIRECTORY_SIZE.unpack(file.read(_DIRECTORY_SIZE.size))
    return int(stated)
