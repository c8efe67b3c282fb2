"""Numbers for equal pieces of bytes, and places in pieces, are those that Python finds; compiled or not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from insight_graph.interned import interned, last_places, pieces_of

from tests.formats.pieces import end_to_end
from tests.oracles.implementations import BOTH, graph_columns_of


@pytest.fixture(params=BOTH, autouse=True)
def _implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    graph_columns_of(request.param, monkeypatch)


def _pieces() -> list[bytes]:
    choose = random.Random(3)
    distinct = [choose.randbytes(size) for size in (0, 1, 7, 8, 9, 15, 16, 63, 1024, 1025, 5000)]
    distinct += [bytes(size) for size in range(1, 20)]  # zeros of different number
    distinct += [b"%d" % number for number in range(500)]
    return [choose.choice(distinct) for _ in range(3000)]


def test_numbers_are_those_of_the_first_appearance() -> None:
    pieces = _pieces()
    data, starts, ends = end_to_end(pieces)
    table = interned()
    order = list(dict.fromkeys(pieces))
    for _ in range(2):
        assert table.add(data, starts, ends).tolist() == [order.index(piece) for piece in pieces]
    assert len(table) == len(order)
    assert table.pieces() == order
    assert table.pieces(len(order) - 3) == order[-3:]
    assert table.pieces(2, 4) == order[2:4]
    assert table.pieces(len(order), len(order) + 1) == []
    for first in (0, len(order) - 3, len(order)):
        joined, ends_of_all = table.joined(first)
        assert joined == b"".join(order[first:])
        assert np.diff(ends_of_all, prepend=0).tolist() == list(map(len, order[first:]))


def test_one_piece_has_the_number_that_it_has_in_a_column() -> None:
    table = interned()
    assert [table.number(piece, adds=True) for piece in (b"a", b"", b"a", b"b")] == [0, 1, 0, 2]
    assert table.add(*end_to_end([b"b", b"c", b""])).tolist() == [2, 3, 1]
    assert [table.number(piece, adds=False) for piece in (b"c", b"d", b"")] == [3, -1, 1]
    assert len(table) == 4


def test_pieces_that_were_not_added_are_not_found() -> None:
    pieces = _pieces()
    table = interned()
    assert table.find(*end_to_end([b"", b"a"])).tolist() == [-1, -1]
    table.add(*end_to_end(pieces))
    known = list(dict.fromkeys(pieces))
    asked = [*pieces, b"?", b"\0" * 30, b""]
    expected = [known.index(piece) if piece in known else -1 for piece in asked]
    assert table.find(*end_to_end(asked)).tolist() == expected
    assert len(table) == len(known)


def test_nothing_has_no_number() -> None:
    table = interned()
    assert table.add(*end_to_end([])).tolist() == []
    assert table.add(*end_to_end([b""])).tolist() == [0]


def test_the_last_place_of_a_byte_is_within_its_piece() -> None:
    pieces = [b"a/b/c", b"", b"/", b"none", b"x/"]
    data, starts, ends = end_to_end(pieces)
    found = last_places(data, starts, ends, ord("/"))
    expected = [
        piece.rfind(b"/") + start if b"/" in piece else -1
        for piece, start in zip(pieces, starts, strict=True)
    ]
    assert found.tolist() == expected
    assert list(pieces_of(data, starts, ends)) == pieces


@pytest.mark.parametrize(("starts", "ends"), [([-1], [2]), ([2], [1]), ([0], [4]), ([0, 1], [1])])
def test_pieces_outside_the_data_are_refused(starts: list[int], ends: list[int]) -> None:
    places = np.array(starts, np.int64), np.array(ends, np.int64)
    table = interned()
    with pytest.raises(IndexError, match="pieces of the data"):
        table.add(b"abc", *places)
    with pytest.raises(IndexError, match="pieces of the data"):
        table.find(b"abc", *places)
    with pytest.raises(IndexError, match="pieces of the data"):
        last_places(b"abc", *places, 0)
