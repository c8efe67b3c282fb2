"""Trees of calls: from stacks and from slices, top-down and bottom-up, and two compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from insight_profiler.analysis.call_tree import CallTree, compared, module_tree, tree_of_stacks
from insight_profiler.analysis.called_slices import call_tree
from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.model import Category, Profile, Side

from tests.profile_faults import FAULTS, profile_of, simulate

_NAMES = ("main", "train", "forward", "matmul", "backward")
_STACKS = [([0, 1, 2, 3], 5), ([0, 1, 2, 3], 2), ([0, 1, 2], 1), ([0, 1, 4, 3], 4), ([0], 3), ([4, 3], 6)]


def _tree(stacks: Sequence[tuple[Sequence[int], int]]) -> CallTree:
    frames = np.array([frame for stack, _ in stacks for frame in stack], np.int32)
    ends = np.cumsum([len(stack) for stack, _ in stacks])
    spent = np.array([value for _, value in stacks], np.int64)
    return tree_of_stacks(frames, ends, spent, np.ones(len(stacks), np.int64))


def _paths(tree: CallTree, names: Sequence[str]) -> dict[tuple[str, ...], tuple[int, int, int]]:
    """Own, whole and count of each path."""
    paths: list[tuple[str, ...]] = []
    for parent, name in zip(tree.parent.tolist(), tree.name.tolist(), strict=True):
        paths.append((*(paths[parent] if parent >= 0 else ()), names[name]))
    assert len(set(paths)) == len(paths)
    columns = (tree.own.tolist(), tree.whole.tolist(), tree.count.tolist())
    return dict(zip(paths, zip(*columns, strict=True), strict=True))


def _by_hand(
    stacks: Sequence[tuple[Sequence[str], int]],
) -> dict[tuple[str, ...], tuple[int, int, int]]:
    own: Counter[tuple[str, ...]] = Counter()
    whole: Counter[tuple[str, ...]] = Counter()
    count: Counter[tuple[str, ...]] = Counter()
    for stack, value in stacks:
        own[tuple(stack)] += value
        count[tuple(stack)] += 1
        for depth in range(1, len(stack) + 1):
            whole[tuple(stack[:depth])] += value
    return {path: (own[path], whole[path], count[path]) for path in whole}


def test_equal_paths_are_one_node_with_all_that_was_spent() -> None:
    expected = _by_hand([([_NAMES[frame] for frame in stack], value) for stack, value in _STACKS])
    assert _paths(_tree(_STACKS), _NAMES) == expected


def test_bottom_up_begins_with_what_spent_it_and_loses_nothing() -> None:
    top_down = [([_NAMES[frame] for frame in stack], value) for stack, value in _STACKS]
    found = _paths(_tree(_STACKS).bottom_up(), _NAMES)
    assert found == _by_hand([(stack[::-1], value) for stack, value in top_down])


def test_a_tree_that_is_cut_keeps_the_callers_of_what_it_keeps() -> None:
    random = np.random.default_rng(1)
    stacks = [
        (random.integers(0, 30, random.integers(1, 9)).tolist(), int(random.integers(1, 99)))
        for _ in range(500)
    ]
    whole = _tree(stacks)
    cut = whole.largest(100)
    assert len(cut) == 100
    names = [str(number) for number in range(30)]
    kept, every = _paths(cut, names), _paths(whole, names)
    assert kept.items() <= every.items()
    assert min(one[1] for one in kept.values()) >= max(every[path][1] for path in every.keys() - kept.keys())


def test_two_trees_are_compared_path_by_path_though_their_texts_have_other_numbers() -> None:
    other_names = ("backward", "main", "train", "evaluate")
    before = _tree([([1, 2], 7), ([1, 3], 2), ([0], 1)])
    now, names = compared(_tree(_STACKS), _NAMES, before, other_names)
    paths = _paths(now, names)
    old = dict(zip(paths, now.before.tolist(), strict=True))
    assert old["main",] == 9
    assert old["main", "train"] == 7
    assert (old["main", "evaluate"], paths["main", "evaluate"]) == (2, (0, 0, 0))
    assert old["backward",] == 1
    assert sum(value for path, value in old.items() if len(path) == 1) == 10
    assert {path for path, value in old.items() if value} == {
        ("main",),
        ("main", "train"),
        ("main", "evaluate"),
        ("backward",),
    }


@pytest.fixture(scope="module")
def profile() -> Profile:
    return profile_of(simulate(next(iter(FAULTS.values()))))


def test_the_work_of_devices_under_the_calls_that_launched_it_is_that_of_the_operators(
    profile: Profile,
) -> None:
    tree, names = call_tree(profile, Side.DEVICE, None)
    slices, operators = profile.tables["slices"], profile.tables["operators"]
    works = np.isin(slices["category"], (Category.KERNEL, Category.MEMCPY, Category.MEMSET))
    assert tree.total == slices["duration"][works].sum() > 0
    assert tree.bottom_up().total == tree.total
    by_leaf: Counter[str] = Counter()
    for place in np.flatnonzero(tree.own).tolist():
        by_leaf[names[tree.name[place]]] += int(tree.own[place])
    kernels = profile.tables["kernels"]
    expected: Counter[str] = Counter()
    for name, total in zip(kernels["name"].tolist(), kernels["total"].tolist(), strict=True):
        expected[profile.texts[name]] += total
    assert {name: by_leaf[name] for name in expected} == dict(expected)
    assert int(operators["device_self"][operators["device_self"] > 0].sum()) <= tree.total


def test_the_own_time_of_operators_in_the_tree_is_that_of_their_table(profile: Profile) -> None:
    tree, names = call_tree(profile, Side.HOST, None)
    own: Counter[str] = Counter()
    for place in range(len(tree)):
        own[names[tree.name[place]]] += int(tree.own[place])
    operators = profile.tables["operators"]
    for name in np.unique(operators["name"][operators["side"] == Side.HOST]).tolist():
        rows = (operators["name"] == name) & (operators["side"] == Side.HOST)
        assert own[profile.texts[name]] == operators["self"][rows].sum()


def test_one_step_is_a_part_of_the_tree_of_all(profile: Profile) -> None:
    every, _ = call_tree(profile, Side.HOST, None)
    parts = [
        call_tree(profile, Side.HOST, np.array([row]))[0]
        for row in range(len(profile.tables["steps"]["number"]))
    ]
    outside = call_tree(profile, Side.HOST, np.array([-1]))[0]
    assert sum(part.total for part in parts) + outside.total == every.total
    assert all(part.total > 0 for part in parts)


def test_modules_are_a_tree_of_scopes_with_the_own_time_of_their_operators() -> None:
    texts = ("GPT/block/attn", "GPT/block", "GPT")
    listing = SortedTable(
        [
            TableColumn("scope", "text", np.array([0, 1, 2, -1]), texts),
            TableColumn("calls", "count", np.array([3, 2, 1, 1])),
            TableColumn("total", "ns", np.array([9, 9, 9, 9])),
            TableColumn("self", "ns", np.array([5, 2, 1, -1])),
        ]
    )
    tree, names = module_tree(listing)
    assert _paths(tree, names) == {
        ("GPT",): (1, 8, 1),
        ("GPT", "block"): (2, 7, 2),
        ("GPT", "block", "attn"): (5, 5, 3),
    }
