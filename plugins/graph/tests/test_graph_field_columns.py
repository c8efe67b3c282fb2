"""Messages read as columns have the fields that a reader of one message finds."""

from __future__ import annotations

import random

import numpy as np
from insight_graph.field_columns import FieldColumns, content_starts
from insight_graph.names import Made, NodeNames, hashes_of, joined_pieces

from insight_core.plugin.payloads import Malformed, fields
from insight_core.plugin.testing.wire import int_field, message_field


def _message(choose: random.Random) -> bytes:
    parts = [
        message_field(choose.randrange(1, 40), choose.randbytes(choose.choice((0, 1, 7, 200))))
        for _ in range(choose.randrange(5))
    ]
    parts.append(int_field(choose.randrange(1, 20), choose.getrandbits(choose.choice((1, 8, 64)))))
    choose.shuffle(parts)
    whole = bytearray(b"".join(parts))
    if choose.random() < 0.4:
        whole[choose.randrange(len(whole))] = choose.randrange(256)
    return bytes(whole)


def _one_by_one(message: bytes, start: int) -> list[tuple[int, int, int]] | None:
    try:
        return [
            (number << 3 | wire_type, start + first, start + last)
            for number, wire_type, first, last, _ in fields(message)
        ]
    except Malformed:
        return None


def test_fields_of_many_messages_are_those_of_each() -> None:
    choose = random.Random(7)
    messages = [_message(choose) for _ in range(2000)]
    data, starts, ends = joined_pieces(messages)
    columns = FieldColumns.of(data, starts, ends)
    expected = [_one_by_one(message, int(start)) for message, start in zip(messages, starts, strict=True)]
    assert 100 < columns.broken.sum() < 1900
    assert columns.broken.tolist() == [one is None for one in expected]
    found: list[list[tuple[int, int, int]]] = [[] for _ in messages]
    rows = zip(columns.owners, columns.keys, columns.starts, columns.ends, strict=True)
    for owner, *field in rows:
        found[owner].append((int(field[0]), int(field[1]), int(field[2])))
    assert found == [one or [] for one in expected]


def test_a_varint_is_the_number_of_its_field() -> None:
    numbers = [0, 1, 127, 128, 1 << 31, (1 << 63) - 1, (1 << 64) - 1] * 10
    data, starts, ends = joined_pieces([int_field(3, number) for number in numbers])
    found = FieldColumns.of(data, starts, ends).numbers(data, 3)
    assert found.view(np.uint64).tolist() == numbers


def test_the_last_of_fields_that_do_not_repeat_counts() -> None:
    message = message_field(1, b"first") + message_field(1, b"last")
    data, starts, ends = joined_pieces([message] * 40 + [b""])
    begins, stops = FieldColumns.of(data, starts, ends).last(1)
    assert {data[begin:stop] for begin, stop in zip(begins[:-1], stops[:-1], strict=True)} == {b"last"}
    assert begins[-1] == stops[-1] == 0


def test_contents_begin_after_key_and_length() -> None:
    contents = [b"", b"x", b"y" * 500]
    data, starts, ends = joined_pieces([message_field(1, content) for content in contents])
    begins = content_starts(data, starts, ends)
    assert [data[begin:end] for begin, end in zip(begins, ends, strict=True)] == contents


def test_pieces_have_one_hash_and_one_number_if_they_are_equal() -> None:
    choose = random.Random(3)
    distinct = [choose.randbytes(size) for size in (0, 1, 7, 8, 9, 15, 16, 63, 1024, 1025, 5000)]
    distinct += [bytes(size) for size in range(1, 20)]  # zeros of different number
    pieces = [choose.choice(distinct) for _ in range(3000)]
    data, starts, ends = joined_pieces(pieces)
    hashes = hashes_of(data, starts, ends)
    assert (
        len(set(zip(pieces, hashes.tolist(), strict=True))) == len(set(pieces)) == len(set(hashes.tolist()))
    )
    asked: list[bytes] = []
    made = Made.one_by_one(lambda piece: asked.append(piece) or distinct.index(piece))  # type: ignore[func-returns-value]
    for _ in range(2):
        numbers = made.each(data, starts, ends)
        assert [distinct[number] for number in numbers] == pieces
    assert len(asked) == len(set(asked)) == len(set(pieces))


def test_a_name_finds_the_first_node_that_has_it() -> None:
    names = [b"a", b"b", b"a", b"c" * 2000]
    numbers = np.arange(4, dtype=np.int32)
    found = NodeNames.of([hashes_of(*joined_pieces(names))], [numbers])
    assert found.find(*joined_pieces([b"a", b"c" * 2000, b"?", b"b", b""])).tolist() == [0, 3, -1, 1, -1]
    assert NodeNames.of([], []).find(*joined_pieces([b"a"])).tolist() == [-1]
