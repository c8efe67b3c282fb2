"""The contrast test: planted causes are named, chance is not, and probabilities are those of others."""

from __future__ import annotations

from itertools import combinations
from math import comb, nan
from typing import Any

import numpy as np
import pytest

from insight_core.contrast import Condition, Shared, contrast
from tests.sweeps import SHAPES, Cause, Shape, sweep

_SEEDS = range(1000, 1012)  # not those that the limits were chosen with


def _texts(columns: dict[str, list[Any]], faulty: list[int], **given: float) -> list[str]:
    runs = len(next(iter(columns.values())))
    return [one.text for one in contrast(columns, np.isin(np.arange(runs), faulty), **given)]


def _grid() -> dict[str, list[Any]]:
    """60 runs: every learning rate with every batch size and optimiser."""
    rows = [
        (lr, size, name) for lr in (0.3, 0.1, 0.03, 0.01, 0.003) for size in (16, 32, 64) for name in "abcd"
    ]
    return {name: [row[at] for row in rows] for at, name in enumerate(("lr", "batch_size", "optimizer"))}


def test_twelve_of_sixty_runs_share_a_value() -> None:
    [found] = contrast(_grid(), np.arange(60) < 12)
    assert (found.text, found.hits, found.faulty, found.other_hits, found.others) == (
        "lr = 0.3",
        12,
        12,
        0,
        48,
    )
    assert found.is_exact
    assert found.chance < 1e-10


def test_exceptions_are_counted() -> None:
    faulty = np.isin(np.arange(60), [*range(1, 12), 40])
    [found] = contrast(_grid(), faulty)
    assert (found.text, found.hits, found.faulty, found.other_hits, found.others) == (
        "lr = 0.3",
        11,
        12,
        1,
        48,
    )
    assert not found.is_exact


@pytest.mark.parametrize(
    ("column", "faulty", "text"),
    [
        ([1, 2, 3, 4, 5, 6] * 5, [4, 5], "x >= 5"),
        ([1, 2, 3, 4, 5, 6] * 5, [0, 1], "x <= 2"),
        ([1, 2, 3, 4, 5, 6] * 5, [2], "x = 3"),
        ([1, 2, 3, 4, 5, 6] * 5, [1, 4], "x in (2, 5)"),
        (["0.1", "0.2", "1e1", "5", "7", "8"] * 5, [2, 5], "x >= 8"),
        (["a", "b", "c", "d", "e", "f"] * 5, [1], "x = b"),
        (["a", "b", "c", "d", "e", "f"] * 5, [1, 4], "x in (b, e)"),
        (["a", "b", "c", "d", "e", "f"] * 5, [0, 1, 2, 4, 5], "x != d"),
        ([True, False, False] * 10, [0, 3], "x = true"),
        ([1, "auto", 3] * 10, [1, 4], "x = auto"),
        ([None, 2.0, 3.0] * 10, [0, 3], "x = null"),
        ([None, 2.0, None] * 10, [1, 4], "x = 2"),
        ([nan, 2.0, 3.0] * 10, [1, 2, 4, 5], "x != null"),
        ([0.1, float("inf"), 0.2] * 10, [1, 4], "x = inf"),
    ],
)
def test_values_thresholds_texts_and_missing_values(column: list[Any], faulty: list[int], text: str) -> None:
    marks = [place for place in range(30) if place % 6 in faulty]
    assert _texts({"x": column, "noise": [0, 1] * 15}, marks) == [text]


def test_a_threshold_has_the_digits_that_it_needs() -> None:
    random = np.random.default_rng(3)
    rate = random.uniform(0, 1, 50)
    rate[:10] = 0.98765432 + np.arange(10) / 1e9
    rate[10] = 0.98765431
    [found] = contrast({"rate": rate.tolist()}, np.arange(50) < 10)
    assert found.text == "rate >= 0.98765432"
    [found] = contrast({"rate": (-rate).tolist()}, np.arange(50) < 10)
    assert found.text == "rate <= -0.98765432"
    [coarse] = contrast({"rate": [0.123456789 + place for place in range(40)]}, np.arange(40) >= 30)
    assert coarse.text == "rate >= 30.1"


def test_columns_that_separate_equally_well_are_all_named() -> None:
    columns = _grid()
    columns["log_lr"] = np.log10(columns["lr"]).round(3).tolist()
    columns["name"] = [f"size {lr}" for lr in columns["lr"]]
    assert _texts(columns, list(range(12))) == ["lr = 0.3", "log_lr = -0.523", "name = size 0.3"]


def test_two_conditions_together() -> None:
    columns = _grid()
    faulty = [row for row in range(60) if columns["lr"][row] >= 0.1 and columns["optimizer"][row] == "b"]
    assert set(_texts(columns, faulty)[0].split(" and ")) == {"lr >= 0.1", "optimizer = b"}


def test_a_cause_of_a_part_of_the_faults_is_named_with_the_counts() -> None:
    columns = _grid()
    rows = list(zip(columns["lr"], columns["optimizer"], range(60), strict=True))
    faulty = [row for lr, name, row in rows if lr == 0.3 or (name == "b" and row >= 40)]
    [found] = contrast(columns, np.isin(np.arange(60), faulty))
    assert (found.text, found.hits, found.faulty, found.other_hits) == ("lr = 0.3", 12, len(faulty), 0)


def test_weak_evidence_is_not_said() -> None:
    columns: dict[str, list[Any]] = {
        "lr": [0.3, 0.3, 0.1, 0.1, 0.1, 0.1, 0.01, 0.01],
        "name": [f"run {n}" for n in range(8)],
    }
    assert _texts(columns, [0, 1]) == []
    assert _texts(columns, [0, 1], chance=0.5) == ["lr = 0.3"]
    assert _texts({"name": [f"run {n}" for n in range(60)]}, list(range(12))) == []
    for faulty in ([], list(range(60))):  # nothing to compare with
        assert _texts(_grid(), faulty) == []
    assert _texts({"lr": [0.1] * 60, "none": [None] * 60}, list(range(12))) == []
    assert contrast({}, [True, False]) == ()


def test_copies_of_a_column_cost_no_evidence() -> None:
    columns = {"lr": [0.3] * 3 + [0.1] * 3 + [0.03] * 3 + [0.01] * 3}
    alone = contrast(columns, np.arange(12) < 3)
    copied = contrast({**columns, "scaled": [-10 * lr for lr in columns["lr"]]}, np.arange(12) < 3)
    assert [one.text for one in copied] == ["lr = 0.3", "scaled = -3"]
    assert [one.chance for one in (*alone, *copied)] == pytest.approx([4 / comb(12, 3)] * 3)


def _fisher(hits: int, faulty: int, other_hits: int, others: int) -> float:
    """By enumeration of all choices of runs."""
    met, runs = hits + other_hits, faulty + others
    ways = sum(comb(met, k) * comb(runs - met, faulty - k) for k in range(hits, min(met, faulty) + 1))
    return ways / comb(runs, faulty)


@pytest.mark.parametrize("table", [(3, 3, 0, 9), (11, 12, 2, 48), (8, 10, 5, 50), (30, 40, 20, 160)])
def test_one_condition_has_the_chance_of_fishers_test(table: tuple[int, int, int, int]) -> None:
    hits, faulty, other_hits, others = table
    meets = [True] * hits + [False] * (faulty - hits) + [True] * other_hits + [False] * (others - other_hits)
    column = [1 if one else None for one in meets]
    [found] = contrast({"x": column}, np.arange(faulty + others) < faulty, chance=1.0)
    expected = _fisher(*table)
    # the other condition, that the value is missing, may be as unlikely
    assert expected <= found.chance * (1 + 1e-9) <= 2 * expected * (1 + 1e-9)
    stats = pytest.importorskip("scipy.stats")
    cells = [[hits, faulty - hits], [other_hits, others - other_hits]]
    assert stats.fisher_exact(cells, alternative="greater").pvalue == pytest.approx(expected)


def test_the_chance_is_never_below_that_of_all_choices_of_runs() -> None:
    """Every choice of four of eleven runs is tried."""
    columns: dict[str, list[Any]] = {
        "lr": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
        "name": list("aabbbccccdd"),
        "size": [1, 1, 2, 2, 1, 4, 4, 1, 2, None, None],
    }
    found = [
        min(
            (one.chance for one in contrast(columns, np.isin(np.arange(11), faulty), chance=1.0)), default=1.0
        )
        for faulty in combinations(range(11), 4)
    ]
    for chance in sorted(set(found)):
        assert np.mean(np.array(found) <= chance) <= chance + 1e-9
    assert min(found) < 0.05


def test_conditions_hold_for_the_runs_that_are_counted() -> None:
    for seed in _SEEDS:
        planted = sweep("tree", "threshold", seed, kept=0.9, stray=0.05)
        for one in contrast(planted.columns, planted.faulty):
            met = np.logical_and.reduce([each.holds(planted.columns[each.column]) for each in one.conditions])
            assert np.count_nonzero(met & planted.faulty) == one.hits
            assert np.count_nonzero(met & ~planted.faulty) == one.other_hits


_PLANTED: list[Cause] = ["largest", "threshold", "values", "text", "two", "boolean", "missing"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("runs", [24, 60])
def test_planted_causes_are_named(shape: Shape, runs: int) -> None:
    named = [_names_it(sweep(shape, cause, seed, runs)) for cause in _PLANTED for seed in _SEEDS]
    assert np.mean(named) >= 0.95


@pytest.mark.parametrize("shape", SHAPES)
def test_planted_causes_are_named_in_spite_of_exceptions(shape: Shape) -> None:
    named = [
        _names_it(sweep(shape, cause, seed, 100, kept=0.9, stray=0.03))
        for cause in _PLANTED
        for seed in _SEEDS
    ]
    assert np.mean(named) >= 0.95


@pytest.mark.parametrize("shape", SHAPES)
def test_two_planted_causes_are_named_together(shape: Shape) -> None:
    named = [_names_it(sweep(shape, "both", seed, 100)) for seed in _SEEDS]
    assert np.mean(named) >= 0.9


@pytest.mark.parametrize("runs", [12, 60])
def test_nothing_is_named_by_chance(runs: int) -> None:
    alarms = [
        bool(contrast(planted.columns, planted.faulty))
        for shape in SHAPES
        for seed in range(2000, 2150)
        for planted in [sweep(shape, "nothing", seed, runs)]
    ]
    assert np.mean(alarms) <= 0.02


def _names_it(planted: Any) -> bool:  # noqa: ANN401
    return any(set(one.columns) == planted.causes for one in contrast(planted.columns, planted.faulty))


def test_a_shared_condition_counts_its_exceptions() -> None:
    one = Shared((Condition("lr", ">=", (0.1,)),), 11, 12, 2, 48, 0.001)
    assert (one.errors, one.is_exact, one.columns, one.text) == (3, False, ("lr",), "lr >= 0.1")


def test_a_condition_holds_for_cells_of_another_kind() -> None:
    """A part of a mixed column may be numbers, and a list is a text of its own."""
    assert Condition("x", "=", ("3",)).holds([3, 4, None]).tolist() == [True, False, False]
    assert Condition("x", "=", (3.0,)).holds(["3", "auto", None]).tolist() == [True, False, False]
    assert Condition("x", "=", (None,)).holds(["null", None]).tolist() == [False, True]
    cells: list[Any] = [[1, 2] if row < 10 else [3] for row in range(40)]
    [found] = contrast({"betas": cells}, np.arange(40) < 10)
    assert found.text == "betas = [1, 2]"
