"""Reads the list of tables of an SQLite database where its first bytes do not have it, without SQLite.

The list is a tree of pages, of which the first page of the file is the root. Source:
https://www.sqlite.org/fileformat2.html#b_tree_pages
"""

from __future__ import annotations

import struct
from typing import BinaryIO

from insight_core.databases import MARK

_INNER, _LEAF = 5, 13  # kinds of pages
_INNER_HEADER = 12  # bytes before the places of the cells
_FILE_HEADER = 100  # bytes before those of the first page
_MOST = 1 << 20  # bytes of pages


def schema_of(file: BinaryIO, beginning: bytes) -> bytes:
    """The pages of the list of tables; empty for other files, and where ``beginning`` has them all."""
    if not beginning.startswith(MARK) or len(beginning) <= _FILE_HEADER:
        return b""
    size = int.from_bytes(beginning[16:18], "big")
    size = 1 << 16 if size == 1 else size
    if size < 512 or (beginning[_FILE_HEADER] == _LEAF and size <= len(beginning)):
        return b""
    pages: list[bytes] = []
    waiting, known = [1], {1}
    while waiting and len(pages) * size < _MOST:
        number = waiting.pop(0)
        file.seek((number - 1) * size)
        page = file.read(size)
        if len(page) < size:  # it is not written yet
            continue
        pages.append(page)
        more = [child for child in _children(page, _FILE_HEADER if number == 1 else 0) if child not in known]
        known.update(more)
        waiting += more
    return b"".join(pages)


def _children(page: bytes, start: int) -> list[int]:
    """The numbers of the pages below an inner one."""
    if page[start] != _INNER:
        return []
    (count,) = struct.unpack_from(">H", page, start + 3)
    places = start + _INNER_HEADER
    count = min(count, (len(page) - places) // 2)
    cells = [at for at in struct.unpack_from(f">{count}H", page, places) if at <= len(page) - 4]
    return [struct.unpack_from(">I", page, at)[0] for at in (*cells, start + 8)]
