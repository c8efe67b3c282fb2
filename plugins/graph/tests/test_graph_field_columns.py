"""Messages read as columns have the fields that a reader of one message finds, compiled or not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from insight_graph.field_columns import FieldColumns

from insight_authoring.testing.wire import int_field, message_field
from insight_core.plugin.payloads import Malformed, fields
from tests.formats.pieces import end_to_end
from tests.oracles.implementations import BOTH, graph_columns_of


@pytest.fixture(params=BOTH, autouse=True)
def _implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    graph_columns_of(request.param, monkeypatch)


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
    data, starts, ends = end_to_end(messages)
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
    data, starts, ends = end_to_end([int_field(3, number) for number in numbers])
    found = FieldColumns.of(data, starts, ends).numbers(data, 3)
    assert found.view(np.uint64).tolist() == numbers


def test_the_last_of_fields_that_do_not_repeat_counts() -> None:
    message = message_field(1, b"first") + message_field(1, b"last")
    data, starts, ends = end_to_end([message] * 40 + [b""])
    begins, stops = FieldColumns.of(data, starts, ends).last(1)
    assert {data[begin:stop] for begin, stop in zip(begins[:-1], stops[:-1], strict=True)} == {b"last"}
    assert begins[-1] == stops[-1] == 0


def test_contents_begin_after_key_and_length() -> None:
    contents = [b"", b"x", b"y" * 500]
    data, starts, ends = end_to_end([message_field(1, content) for content in contents])
    found = FieldColumns.of(data, starts, ends)
    assert found.firsts.tolist() == starts.tolist()
    assert [data[start:end] for start, end in zip(found.starts, found.ends, strict=True)] == contents


def test_a_message_is_read_some_fields_at_a_time_and_up_to_its_damage() -> None:
    whole = b"".join(int_field(number, number) for number in range(1, 100))
    data = b"??" + whole + b"\x0a\x7f"  # a field that runs over the end
    found = FieldColumns.beginning(data, 2, len(data), 60)
    assert (found.keys >> 3).tolist() == list(range(1, 61))
    assert found.broken.tolist() == [False]
    found = FieldColumns.beginning(data, int(found.ends[-1]), len(data), 60)
    assert (found.keys >> 3).tolist() == list(range(61, 100))
    assert found.broken.tolist() == [True]
    assert found.ends[-1] == len(data) - 2


@pytest.mark.parametrize(("starts", "ends"), [([-1], [2]), ([2], [1]), ([0], [4]), ([0, 1], [1])])
def test_messages_outside_the_data_are_refused(starts: list[int], ends: list[int]) -> None:
    with pytest.raises(IndexError, match="pieces of the data"):
        FieldColumns.of(b"abc", np.array(starts, np.int64), np.array(ends, np.int64))
