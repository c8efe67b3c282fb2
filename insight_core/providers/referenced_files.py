"""Records of translated stores whose bytes are in files of the store."""

from __future__ import annotations

import os
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from insight_core.formats.file_references import LONGEST, FileReference
from insight_core.ingest.fetching import Fetch, FilePart, opened
from insight_record.formats.reason import Reason

_PIECE = 8 << 20  # bytes
_GONE = Reason("its file in the store was changed or deleted", "referenced_file_gone")


def content_of(reference: FileReference, fetch: Fetch | None) -> bytes:
    """The message with the content of the file. Raises OSError, and ValueError for another version of it."""
    if os.path.realpath(reference.path) != reference.path:  # a link, which may lead anywhere
        raise ValueError(_GONE)
    try:
        if fetch is not None:
            fetch([FilePart(reference.path)])
        with opened(reference.path) as file:
            if not reference.is_version(os.fstat(file.fileno())):
                raise ValueError(_GONE)
            content = b"".join(iter(lambda: file.read(_PIECE), b""))
    except FileNotFoundError:
        raise ValueError(_GONE) from None
    if len(content) != reference.size:
        raise ValueError(_GONE)
    return reference.message(content)


def whole_sizes(path: str, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sizes of payloads of an event file, with the content of the files that they refer to."""
    found = sizes.copy()
    inode = os.stat(path).st_ino
    for row in np.flatnonzero(sizes <= LONGEST).tolist():
        found[row] = _whole_size(path, inode, int(starts[row]), int(sizes[row]))
        if not row and found[0] == sizes[0]:  # a tag has references, or none
            return sizes
    return found


@lru_cache(maxsize=1 << 16)
def _whole_size(path: str, inode: int, start: int, size: int) -> int:
    with opened(path) as file:
        reference = FileReference.of(os.pread(file.fileno(), size, start))
    return size if reference is None else reference.whole
