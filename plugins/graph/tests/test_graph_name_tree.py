"""Paths of a name tree are placed as splitting them at slashes tells; compiled or not."""

from __future__ import annotations

import random

import numpy as np
import pytest
from insight_graph.name_tree import AFTER_SLASH, DEEPEST, UNKNOWN, NameTree, name_tree

from tests.formats.pieces import end_to_end
from tests.oracles.implementations import BOTH, graph_columns_of


@pytest.fixture(params=BOTH, autouse=True)
def _implementation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    graph_columns_of(request.param, monkeypatch)


def _paths(seed: int, count: int = 2000) -> list[bytes]:
    choose = random.Random(seed)
    names = [b"", b"a", b"b", b"layer_10", b"layer_1", b"\xff\x00", "名".encode(), b"x" * 300]
    found = []
    path: list[bytes] = []
    for _ in range(count):
        path = path[: choose.randrange(len(path) + 1)]  # neighbours have branches in common
        path += [choose.choice(names) for _ in range(choose.randrange(5))]
        found.append(b"/".join(path or [b""]))
    return found


def _path_of(tree: NameTree, branch: int) -> bytes:
    """Its path, from the columns of the tree."""
    parents, labels, names = tree.parents(), tree.labels(), tree.names.pieces()
    if branch <= 0:
        return b"" if branch == 0 else b"/"
    above, name = int(parents[branch]), names[int(labels[branch])]
    return (
        name if above == 0 else _path_of(tree, above).removesuffix(b"/" if above == -1 else b"") + b"/" + name
    )


def test_a_branch_and_a_name_make_the_path_again() -> None:
    tree = name_tree()
    for seed in range(3):
        paths = _paths(seed)
        branches, names = tree.add(*end_to_end(paths))
        pieces = tree.names.pieces()
        for path, branch, name in zip(paths, branches.tolist(), names.tolist(), strict=True):
            above, slash, last = path.rpartition(b"/")
            assert pieces[name] == last
            assert branch == (AFTER_SLASH if slash and not above else tree.branch(above, adds=False))
            assert _path_of(tree, branch) == (above or slash)


def test_equal_paths_have_one_branch_and_name_and_others_another() -> None:
    paths = _paths(7)
    tree = name_tree()
    found = tree.add(*end_to_end(paths))
    by_path: dict[bytes, tuple[int, int]] = {}
    for path, branch, name in zip(paths, *(column.tolist() for column in found), strict=True):
        assert by_path.setdefault(path, (branch, name)) == (branch, name)
    assert len(set(by_path.values())) == len(by_path)
    again = tree.add(*end_to_end(paths))
    assert [column.tolist() for column in again] == [column.tolist() for column in found]


def test_a_branch_comes_after_that_around_it() -> None:
    tree = name_tree()
    tree.add(*end_to_end(_paths(5)))
    parents = tree.parents()
    assert len(parents) == len(tree) == len(tree.labels())
    assert (parents < np.arange(len(tree))).all()
    assert parents[0] == tree.labels()[0] == -1


def test_what_was_not_added_is_not_found_and_not_added() -> None:
    tree = name_tree()
    tree.add(*end_to_end([b"a/b/c", b"d"]))
    for path in (b"a/x", b"b", b"/a", b"d"):
        assert tree.branch(path, adds=False) == UNKNOWN
    assert tree.branch(b"a/b/c", adds=False) == UNKNOWN
    assert len(tree) == 3


def test_paths_are_relative_to_their_base() -> None:
    tree = name_tree()
    base = tree.branch(b"f/g", adds=True)
    [inner, plain, slashed], names = tree.add(*end_to_end([b"a/b", b"b", b"/b"]), base)
    assert inner == tree.branch(b"f/g/a", adds=False)
    assert plain == base
    assert slashed == tree.branch(b"f/g/", adds=False)
    assert len(set(names.tolist())) == 1
    with pytest.raises(IndexError, match="base"):
        tree.add(*end_to_end([b"a"]), len(tree))


@pytest.mark.parametrize("depth", [DEEPEST - 1, DEEPEST, DEEPEST + 1, 3 * DEEPEST])
@pytest.mark.parametrize("of_base", [0, 3, DEEPEST + 5])
def test_what_is_deeper_keeps_the_rest_as_its_name(depth: int, of_base: int) -> None:
    tree = name_tree()
    base = tree.branch(b"/".join([b"base"] * of_base), adds=True)
    parts = [b"%d" % number for number in range(depth)]
    paths = [b"/".join([*parts, name]) for name in (b"x", b"y", b"x")]
    branches, names = tree.add(*end_to_end(paths), base)
    kept = min(depth, max(0, DEEPEST - of_base))
    assert [tree.names.pieces()[name] for name in names] == [
        b"/".join([*parts[kept:], end]) for end in (b"x", b"y", b"x")
    ]
    assert len(set(branches.tolist())) == 1
    expected = [b"base"] * of_base + parts[:kept]
    assert branches[0] == tree.branch(b"/".join(expected), adds=False)


def test_nothing_is_placed_nowhere() -> None:
    tree = name_tree()
    assert [column.tolist() for column in tree.add(*end_to_end([]))] == [[], []]
    assert [column.tolist() for column in tree.add(*end_to_end([b""]))] == [[0], [0]]
    assert tree.branch(b"", adds=False) == 0


@pytest.mark.parametrize(("starts", "ends"), [([-1], [2]), ([2], [1]), ([0], [4]), ([0, 1], [1])])
def test_paths_outside_the_data_are_refused(starts: list[int], ends: list[int]) -> None:
    places = np.array(starts, np.int64), np.array(ends, np.int64)
    with pytest.raises(IndexError, match="pieces of the data"):
        name_tree().add(b"abc", *places)
