"""Files framed as event files are: a length, its checksum, the content, its checksum, and so on.

Source: TensorFlow's TFRecord, which MindSpore's lineage files are as well.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from insight_core.formats.crc32c import masked_crc32c
from insight_core.formats.framing import FOOTER_SIZE, HEADER_SIZE, header_is_good

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")


class Problem(NamedTuple):
    """What cannot be read of the record at ``offset``; ``cut_off``: the file ends within it."""

    offset: int
    text: str
    cut_off: bool = False


def contents(data: bytes, problems: list[Problem]) -> Iterator[tuple[int, int]]:
    """Where in the bytes of a file each content begins and ends.

    What cannot be read is said in ``problems``: a content that is not the one that was written is left out,
    and what follows a length that is not is not found. A file that is still written may end anywhere.
    """
    position = 0
    while position < len(data):
        start = position + HEADER_SIZE
        length, checksum = _HEADER.unpack_from(data, position) if start <= len(data) else (0, 0)
        end = start + length
        if start <= len(data) and not header_is_good(length, checksum):
            text = f"the length of the record at byte {position} does not have its checksum"
            problems.append(Problem(position, text))
            return
        if end + FOOTER_SIZE > len(data):
            text = f"the file ends within the record at byte {position}"
            problems.append(Problem(position, text, cut_off=True))
            return
        if _FOOTER.unpack_from(data, end)[0] == masked_crc32c(data[start:end]):
            yield start, end
        else:
            problems.append(Problem(position, f"the record at byte {position} does not have its checksum"))
        position = end + FOOTER_SIZE
