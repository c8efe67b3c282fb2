"""Records are framed as the format asks for, one by one and many at once."""

from __future__ import annotations

import numpy as np
import pytest

from insight_record.formats import crc32c, framing
from insight_record.formats.protobuf import encoded_varint as varint
from insight_record.scalars import steps_alike


def test_the_checksum_is_that_of_the_standard() -> None:
    assert crc32c.crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C
    assert crc32c.crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720, appendix B.4
    assert crc32c.masked(0) == 0xA282EAD8


@pytest.mark.parametrize("length", [0, 1, 3, 4, 44, 300, 4096, 4097, 5000])
def test_checksums_of_rows_are_those_of_each(length: int) -> None:
    wide = np.random.default_rng(length).integers(0, 256, (7, length + 9), np.uint8)
    for rows in (wide[:, 5 : 5 + length], np.ascontiguousarray(wide[:, :length]), wide[:0, :length]):
        expected = [crc32c.masked_crc32c(row.tobytes()) for row in rows]
        assert crc32c.masked_crc32c_rows(rows).tolist() == expected
        assert crc32c.masked_crc32c_rows_in_python(rows).tolist() == expected


def test_pieces_are_framed_as_the_whole() -> None:
    pieces: list[bytes | memoryview] = [b"a" * 10, memoryview(b"bc" * 5000), b"", b"d"]
    assert b"".join(framing.pieces_record(pieces)) == framing.record(b"".join(pieces))


def test_whole_records_of_bytes_that_end_anywhere() -> None:
    data = framing.record(b"one") + framing.record(b"") + framing.record(b"three")
    ends = [0, 19, 35, 56]
    assert [framing.whole_records(data[:size]) for size in range(len(data) + 1)] == [
        max(end for end in ends if end <= size) for size in range(len(data) + 1)
    ]


def test_steps_are_varints() -> None:
    steps = [0, 1, 127, 128, 2**31, 2**62, 2**63 - 1, -1, -(2**63), 16383, 16384]
    found: dict[int, bytes] = {}
    for index, fields in steps_alike(np.array(steps), np.arange(len(steps))):
        found.update(zip(index.tolist(), (row.tobytes() for row in fields), strict=True))
    assert [found[number] for number in range(len(steps))] == [
        b"\x10" + varint(step) if step else b"" for step in steps
    ]
