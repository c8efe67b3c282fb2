"""Packed numbers, against an encoder and decoder that go one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.formats import packed

NUMBERS = st.one_of(
    st.integers(0, 127), st.integers(0, 2**14), st.integers(0, 2**64 - 1), st.integers(2**56 - 2, 2**57)
)


def _encoded(number: int, padding: int = 0) -> bytes:
    """A varint; ``padding`` more bytes than it needs, which the format allows."""
    groups = [number >> shift & 0x7F for shift in range(0, max(7, number.bit_length()), 7)] + [0] * padding
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


@given(st.lists(NUMBERS, max_size=50), st.booleans())
def test_varints_are_the_numbers_written(numbers: list[int], padded: bool) -> None:
    pieces = [_encoded(number, int(padded and number < 128)) for number in numbers]
    data = b"\xff" + b"".join(pieces) + b"\x01"
    assert packed.varints(data, 1, len(data) - 1).tolist() == numbers


def test_varints_go_over_the_edges_of_pieces() -> None:
    numbers = np.random.default_rng(0).integers(0, 2**63, 30_000) >> np.arange(30_000) % 63
    data = b"".join(_encoded(int(number)) for number in numbers)
    assert len(data) > 2 << 16
    assert np.array_equal(packed.varints(data, 0, len(data)), numbers)


@pytest.mark.parametrize(
    "data", [b"\x80", b"\x01\xff", b"\xff" * 10 + b"\x01", b"\x80" * (1 << 17) + b"\x01"]
)
def test_a_varint_that_does_not_end_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="does not end"):
        packed.varints(data, 0, len(data))


def test_fixed_numbers_are_a_view() -> None:
    data = b"\x00" + np.array([1.5, -2.0], "<f4").tobytes()
    found = packed.fixed(data, "<f4", 1, 9)
    assert found.tolist() == [1.5, -2.0]
    assert isinstance(found.base, bytes)
    with pytest.raises(ValueError, match="not a multiple of the value size of 4 bytes"):
        packed.fixed(data, "<f4", 1, 8)
