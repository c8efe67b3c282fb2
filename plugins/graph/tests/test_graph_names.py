"""Names of nodes and scopes of which whole columns are read."""

from __future__ import annotations

import random

import numpy as np
from insight_graph.names import FirstOf, Made, joined_pieces
from insight_graph.scopes import Scopes
from insight_graph.texts import NameCodes, NodeTexts


def test_pieces_have_one_number_if_they_are_equal() -> None:
    choose = random.Random(3)
    distinct = [choose.randbytes(size) for size in (0, 1, 7, 8, 9, 15, 16, 63, 1024, 1025, 5000)]
    distinct += [bytes(size) for size in range(1, 20)]  # zeros of different number
    pieces = [choose.choice(distinct) for _ in range(3000)]
    data, starts, ends = joined_pieces(pieces)
    asked: list[bytes] = []
    made = Made(lambda piece: asked.append(piece) or distinct.index(piece))  # type: ignore[func-returns-value]
    for _ in range(2):
        numbers = made.each(data, starts, ends)
        assert [distinct[number] for number in numbers] == pieces
    assert len(asked) == len(set(asked)) == len(set(pieces))


def test_a_name_finds_the_first_node_that_has_it() -> None:
    names = FirstOf()
    assert names.find(*joined_pieces([b"s/a"])).tolist() == [-1]
    again = names.add(*joined_pieces([b"s/a", b"b", b"s/a"]), np.array([7, 8, 9], np.int32))
    assert again.tolist() == [2]
    more = joined_pieces([b"b", b"c" * 2000, b"\xff", b"\xfe"])
    assert names.add(*more, np.array([1, 2, 3, 4], np.int32)).tolist() == [0]
    asked = [b"s/a", b"c" * 2000, b"?", b"b", b"", b"a", b"/b", b"\xfe"]
    assert names.find(*joined_pieces(asked)).tolist() == [7, 2, -1, 8, -1, -1, -1, 4]


def test_scopes_are_the_same_one_by_one_and_as_a_column() -> None:
    choose = random.Random(5)
    labels = ["a", "b", "", "층", "block_1", "x" * 40]
    paths = ["/".join(choose.choices(labels, k=choose.randrange(6))) for _ in range(2000)]
    whole, single = Scopes(NameCodes()), Scopes(NameCodes())
    found = []
    for first in range(0, len(paths), 500):
        some = paths[first : first + 500]
        nodes = [f"{path}/node".encode() for path in some]
        found += whole.of(whole.place(*joined_pieces(nodes))).tolist()
        if first == 500:
            whole.number("made/in between")
    for path in paths:
        single.number(path)
    assert [whole.path(number) for number in found] == paths == [whole.paths[number] for number in found]
    assert set(whole.paths) == {*single.paths, "made", "made/in between"}
    assert [whole.find(path) for path in whole.paths] == list(range(len(whole)))
    for number in range(1, len(whole)):
        parent, label = whole.parents[number], whole.labels[number]
        assert 0 <= parent < number
        assert whole.paths[number] == (
            f"{whole.paths[parent]}/{label}" if parent or "/" in whole.paths[number] else label
        )


def test_scopes_of_invalid_bytes_are_one_if_they_look_the_same() -> None:
    scopes = Scopes(NameCodes())
    nodes = [b"a/x", b"a/\xff/x", b"a/\xfe/b/x", b"a/\xff/b/x", b"\xff/\xfe/x", b"\xfe/\xfe/x"]
    for found in (scopes.of(scopes.place(*joined_pieces(nodes))) for _ in range(2)):
        assert [scopes.path(scope) for scope in found] == [
            "a",
            "a/\ufffd",
            *2 * ["a/\ufffd/b"],
            *2 * ["\ufffd/\ufffd"],
        ]
        assert len(set(found.tolist())) == 4
        assert [scopes.find(scopes.path(scope)) for scope in found] == found.tolist()


def test_lone_surrogates_are_shown_as_what_cannot_be_read() -> None:
    scopes = Scopes(NameCodes())
    number = scopes.number("a/\ud800")
    assert scopes.path(number) == "a/" + 3 * "\ufffd"
    assert scopes.find("a/\ud800") == scopes.find(scopes.path(number)) == number


def test_texts_that_a_thread_has_stay_as_they_are_when_another_asks_for_more() -> None:
    codes = NameCodes()
    codes["a"]
    before = codes.texts
    codes["b"]
    assert codes.texts == ["a", "b"]
    assert before == ["a"]


def test_texts_are_a_sequence() -> None:
    texts = NodeTexts()
    for text in ("a", "b", "a"):
        texts.append(text)
    texts[1] = "c"
    texts.extend(np.array([texts.codes["b"]], np.int32))
    assert texts == ["a", "c", "a", "b"]
    assert texts != ["a"]
    assert (texts[2], len(texts), texts.at(np.array([3, 0]))) == ("a", 4, ["b", "a"])
