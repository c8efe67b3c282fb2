"""Computes masked CRC-32C (Castagnoli) checksums: compiled, or with numpy over whole arrays.

The checksum is linear over GF(2): a byte adds a term that depends only on its value and on its
distance from the end. So a block is one table look-up a byte and an XOR over all of them, and
messages that differ in a few bytes differ in the terms of those bytes alone.

Polynomial: RFC 3720, appendix B.4. Mask: TensorFlow, ``tensorflow/core/lib/hash/crc32c.h``.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

try:
    from insight_record.formats import _crc32c
except ImportError:  # built without a C compiler
    _crc32c = None  # type: ignore[assignment]

_POLYNOMIAL = 0x82F63B78  # reversed bits of 0x1EDC6F41
_BLOCK = 4096
_ONES = 0xFFFFFFFF


def _byte_table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = (table >> np.uint32(1)) ^ np.where(table & 1, np.uint32(_POLYNOMIAL), np.uint32(0))
    return table


_TABLE = _byte_table()
_TABLE_LIST: list[int] = _TABLE.tolist()


@functools.cache
def _terms() -> NDArray[np.uint32]:
    """uint32[_BLOCK, 256]: the term of each byte value by its distance from the end."""
    terms = np.empty((_BLOCK, 256), np.uint32)
    terms[0] = _TABLE
    for distance in range(1, _BLOCK):
        previous = terms[distance - 1]
        terms[distance] = _TABLE[previous & np.uint32(0xFF)] ^ (previous >> np.uint32(8))
    return terms


@functools.cache
def _advance_block() -> list[list[int]]:
    """Four tables that move a register over _BLOCK zero bytes: one look-up for each of its bytes."""
    terms = _terms()
    return [terms[_BLOCK - 1 - i].tolist() for i in range(4)]


@functools.cache
def _positions(length: int) -> NDArray[np.intp]:
    return np.arange(length - 1, -1, -1, dtype=np.intp) * 256


def _linear(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The linear part of the checksum of each row of uint8[n, length <= _BLOCK]."""
    terms = _terms().reshape(-1)
    result: NDArray[np.uint32] = np.bitwise_xor.reduce(terms[_positions(rows.shape[1]) + rows], axis=-1)
    return result


def crc32c(data: bytes | bytearray | memoryview, before: int = 0) -> int:
    """The unmasked CRC-32C of ``data``; ``before`` is the CRC of the preceding bytes."""
    return crc32c_in_python(data, before) if _crc32c is None else _crc32c.crc32c(data, before)


def crc32c_in_python(data: bytes | bytearray | memoryview, before: int = 0) -> int:
    """``crc32c`` in numpy, for installations without the compiled module."""
    size = len(data)
    register = before ^ _ONES
    if size < 64:
        for byte in bytes(data):
            register = _TABLE_LIST[(register ^ byte) & 0xFF] ^ (register >> 8)
        return register ^ _ONES
    array = np.frombuffer(data, np.uint8)
    head = size % _BLOCK
    if 0 < head < 4:
        for byte in bytes(data[:head]):
            register = _TABLE_LIST[(register ^ byte) & 0xFF] ^ (register >> 8)
    elif head:
        first = array[:head].copy()
        first[:4] ^= np.frombuffer(register.to_bytes(4, "little"), np.uint8)
        register = int(_linear(first[None, :])[0])
    a, b, c, d = _advance_block()
    for start in range(head, size, 64 * _BLOCK):  # strips, so that the look-ups stay in the cache
        strip = array[start : start + 64 * _BLOCK].reshape(-1, _BLOCK)
        for term in _linear(strip).tolist():
            register = (
                a[register & 0xFF]
                ^ b[(register >> 8) & 0xFF]
                ^ c[(register >> 16) & 0xFF]
                ^ d[register >> 24]
                ^ term
            )
    return register ^ _ONES


def masked(crc: int) -> int:
    """``crc`` with the mask of the record format."""
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & _ONES


def masked_crc32c(data: bytes | bytearray | memoryview) -> int:
    """The masked CRC-32C of ``data``, as a record stores it."""
    return masked(crc32c(data))


def masked_crc32c_rows(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The masked checksum of each row of uint8[n, length]."""
    return masked_crc32c_rows_in_python(rows) if _crc32c is None else _crc32c.masked_crc32c_rows(rows)


def masked_crc32c_rows_in_python(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """``masked_crc32c_rows`` in numpy, for installations without the compiled module."""
    count, length = rows.shape
    if not 4 <= length <= _BLOCK:
        return np.fromiter((masked(crc32c_in_python(row)) for row in rows), np.uint32, count)
    started = np.ascontiguousarray(rows)
    started = np.concatenate((started[:, :4] ^ np.uint8(0xFF), started[:, 4:]), axis=1)
    return mask_array(_linear(started) ^ np.uint32(_ONES))


def mask_array(crcs: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The checksums with the mask of the record format."""
    return ((crcs >> np.uint32(15)) | (crcs << np.uint32(17))) + np.uint32(0xA282EAD8)


def masked_crc32c_of_windows(data: NDArray[np.uint8], size: int) -> NDArray[np.uint32]:
    """The masked checksum of the ``size`` bytes from each offset, uint32[len(data) - size + 1]."""
    count = len(data) - size + 1
    terms = _terms()
    result = np.full(count, crc32c(bytes(size)), np.uint32)
    for i in range(size):
        result ^= terms[size - 1 - i][data[i : i + count]]
    return mask_array(result)
