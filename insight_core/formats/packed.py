"""Decodes packed numbers of protobuf messages into arrays.

The format is https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from insight_record.formats.protobuf import ENDLESS
from insight_record.formats.reason import ReasonKind

_U8, _U64 = np.uint8, np.uint64
_PIECE = 1 << 16  # bytes decoded at a time, so that intermediate arrays stay in the processor's cache
_LONGEST = 10  # bytes of a varint

# Each step brings together the 7-bit, then 14-bit, then 28-bit groups of eight bytes.
_SEVENS = _U64(0x7F7F7F7F7F7F7F7F)
_JOINTS = [
    (_U64(0x007F007F007F007F), _U64(0x7F007F007F007F00), _U64(1)),
    (_U64(0x00003FFF00003FFF), _U64(0x3FFF00003FFF0000), _U64(2)),
    (_U64(0x000000000FFFFFFF), _U64(0x0FFFFFFF00000000), _U64(4)),
]
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], _U64) & _SEVENS
_VALUES_CUT = ReasonKind("values_cut", "{bytes} bytes are not a multiple of the value size of {size} bytes")


def fixed(data: bytes, dtype: DTypeLike, start: int, end: int) -> NDArray[Any]:
    """Numbers of a fixed size, as a view of ``data``. Raises ValueError for a number that is cut."""
    size = np.dtype(dtype).itemsize
    count, rest = divmod(end - start, size)
    if rest:
        raise ValueError(_VALUES_CUT(bytes=end - start, size=size))
    return np.frombuffer(data, dtype, count, start)


def varints(data: bytes, start: int, end: int) -> NDArray[np.uint64]:
    """All varints of ``data[start:end]``, modulo 2**64. Raises ValueError for a truncated varint."""
    source = np.frombuffer(data, _U8, end - start, start)
    if len(source) and source[-1] >= 0x80:
        raise ValueError(ENDLESS)
    count = np.count_nonzero(source < 0x80)
    if count == len(source):  # small numbers
        return source.astype(_U64)
    found = np.empty(count, _U64)
    position = filled = 0
    while position < len(source):
        piece = source[position : position + _PIECE]
        last = np.flatnonzero(piece < 0x80)
        if not len(last):
            raise ValueError(ENDLESS)
        piece = piece[: last[-1] + 1]
        found[filled : filled + len(last)] = piece if len(last) == len(piece) else _joined(piece, last)
        position += len(piece)
        filled += len(last)
    return found


def _joined(piece: NDArray[np.uint8], last: NDArray[np.intp]) -> NDArray[np.uint64]:
    """The varints whose last bytes are at ``last``, the final one at the end of ``piece``."""
    first = np.empty_like(last)
    first[0], first[1:] = 0, last[:-1] + 1
    sizes = last - first + 1
    longest = int(sizes.max())
    if longest > _LONGEST:
        raise ValueError(ENDLESS)
    padded = np.zeros(len(piece) + 8, _U8)
    padded[: len(piece)] = piece
    eights: NDArray[np.uint64] = np.ndarray(len(piece), "<u8", padded.data, strides=(1,))
    words = eights[first]
    words &= _MASKS[np.minimum(sizes, 8)]
    for low, high, shift in _JOINTS:
        words = (words & low) | ((words & high) >> shift)
    for place in range(8, longest):  # of large numbers, and of negative ones
        long = np.flatnonzero(sizes > place)
        words[long] |= (padded[first[long] + place] & _U8(0x7F)).astype(_U64) << _U64(7 * place)
    return words
