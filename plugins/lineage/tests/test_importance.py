"""Importance of hyperparameters: planted shares of the variance, and scikit-learn's forest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen
from insight_lineage.importance.coding import Explained, coded
from insight_lineage.importance.forest import Boxes, GrownTree
from insight_lineage.importance.ranking import FEWEST, Ranking, ranking
from insight_lineage.importance.reading import ForestReading
from insight_lineage.importance.shares import Shares
from numpy.typing import NDArray

from insight_core.filters.column import Column, values_of

Floats = NDArray[np.float64]


def _column(name: str, values: Sequence[Any] | NDArray[Any]) -> Column:
    return Column(name, "hyperparameter", name, values_of(list(np.asarray(values, object).tolist())))


@frozen(eq=False)
class Planted:
    """Runs whose target is a sum of known parts; ``shares`` of its variance by the name of the parameters."""

    parameters: Mapping[str, NDArray[Any]]
    target: Floats
    shares: Mapping[str, float]

    @classmethod
    def of(cls, runs: int, seed: int, shares: Mapping[str, float]) -> Planted:
        """A learning rate that is best at 1e-3, three optimisers, two of which differ, and noise."""
        random = np.random.default_rng(seed)
        rate = 10 ** random.uniform(-5, -1, runs)
        optimizer = random.choice(np.array(["adam", "lion", "sgd"]), runs)
        batch = 2 ** random.integers(3, 8, runs)
        parts = {
            "lr": (np.log10(rate) + 3) ** 2,
            "optimizer": np.select([optimizer == "lion", optimizer == "sgd"], [1.0, -0.5]),
            "batch_size": batch.astype(float),
            "lr and optimizer": np.where(rate > 1e-3, 1.0, -1.0) * np.where(optimizer == "adam", 2.0, -1.0),
            "noise": random.normal(size=runs),
        }
        scaled = {
            name: (part - part.mean()) / part.std() * np.sqrt(shares.get(name, 0))
            for name, part in parts.items()
        }
        others = {"dropout": random.uniform(0, 0.5, runs), "seed": random.integers(0, 1000, runs)}
        parameters = {"lr": rate, "optimizer": optimizer, "batch_size": batch, **others}
        return cls(parameters, np.sum(list(scaled.values()), axis=0) + 2.0, shares)

    def ranked(self, target: Floats | None = None, goal: Any = "min") -> Ranking:  # noqa: ANN401
        columns = [_column(name, values) for name, values in self.parameters.items()]
        wanted = _column("loss", self.target if target is None else target)
        return ranking(wanted, columns, np.arange(len(self.target)), goal)


def _shares(found: Ranking) -> dict[str, float]:
    return {one.column.name: one.total.share for one in found.parameters if one.total is not None}


_NONE, _NOBODY = np.zeros((0, 0)), np.zeros(0, np.bool_)
_TREE = GrownTree(np.zeros((0, 0, 0), np.bool_), np.zeros(0), _NOBODY)
_BOXES = Boxes(_TREE, np.zeros((0, 0), np.intp), _NOBODY, (), np.zeros((0, 0), np.uint8), np.zeros(0), 0.0)
_READING = ForestReading(np.zeros(0), np.zeros((0, 0, 0)), _NONE, np.zeros((0, 0, 0)), np.zeros(0), ())


@pytest.fixture(scope="module")
def plain() -> Planted:
    return Planted.of(300, 1, {"lr": 0.86, "optimizer": 0.08, "batch_size": 0.03, "noise": 0.03})


@pytest.fixture(scope="module")
def found(plain: Planted) -> Ranking:
    return plain.ranked()


def test_shares_are_those_that_were_planted(plain: Planted, found: Ranking) -> None:
    assert [one.column.name for one in found.parameters][:3] == ["lr", "optimizer", "batch_size"]
    shares = _shares(found)
    for name in ("lr", "optimizer", "batch_size", "dropout", "seed"):
        assert shares[name] == pytest.approx(plain.shares.get(name, 0), abs=0.05), name
    assert [one.column.name for one in found.parameters if one.is_sure] == ["lr", "optimizer", "batch_size"]
    assert found.explained is not None
    assert found.explained.share == pytest.approx(0.95, abs=0.04)
    assert found.is_sure
    assert found.pairs == []


def test_intervals_hold_the_planted_shares() -> None:
    """The README has the coverage in a simulation of more data sets than a test can afford."""
    shares, held, sampled = {"lr": 0.5, "optimizer": 0.2, "noise": 0.3}, [], []
    for seed in range(5):
        for one in Planted.of(80, seed, shares).ranked().parameters:
            assert one.total is not None
            known = shares.get(one.column.name, 0)
            held.append(one.total.low <= known <= one.total.high)
            sampled.append(abs(one.total.share - known) <= 1.96 * one.total.error)
            assert one.is_sure <= (one.total.low > 0)
    assert sum(held) >= 23 > sum(sampled)


def test_the_error_of_a_share_is_that_of_other_draws_of_the_runs() -> None:
    """The function is known exactly, so that the shares of 400 samples of runs differ only by chance."""
    random = np.random.default_rng(0)
    shares, errors = [], []
    for _ in range(400):
        codes = random.integers(0, 4, (100, 1))
        other = random.normal(size=100)
        values = np.array([0.0, 0.5, 1.0, 3.0])
        own = values[codes[:, 0]]
        center = float((own + other).mean())
        reading = evolve(
            _READING,
            predicted=own + other - center,
            moved=((own + other - center - own)[:, None] + values)[None].astype(np.float32),
            counts=np.ones(100),
            forests=[[evolve(_BOXES, codes=codes)]],
        )
        frequencies = np.bincount(codes[:, 0], minlength=4)[None] / 100
        found = Shares(own + other - center, frequencies).total(reading, 0)
        shares.append(found.share)
        errors.append(found.error)
    assert np.mean(shares) == pytest.approx(values.var() / (values.var() + 1), abs=0.01)
    between_trees = np.sqrt(1 / (1 - np.exp(-1)))
    assert np.mean(errors) == pytest.approx(between_trees * np.std(shares), rel=0.1)


def test_the_rank_correlation_of_that_learning_rate_says_nothing(found: Ranking) -> None:
    rate = found.parameters[0].correlation
    assert rate.spearman is not None
    assert abs(rate.spearman) < 0.2


def test_the_best_values_are_where_the_function_is_best(plain: Planted, found: Ranking) -> None:
    rate, optimizer = found.parameters[:2]
    assert rate.best is not None
    assert 1e-4 < rate.best.start < 1e-3 < rate.best.end < 1e-2
    assert optimizer.best is not None
    assert optimizer.best.texts == ["sgd"]
    upwards = {one.column.name: one.best for one in plain.ranked(goal="max").parameters}
    assert upwards["optimizer"] is not None
    assert upwards["optimizer"].texts == ["lion"]


def test_a_curve_is_the_function_of_its_parameter(found: Ranking) -> None:
    for parameter, function in (
        (found.parameters[0], lambda point: (np.log10(np.sqrt(point.start * point.end)) + 3) ** 2),
        (found.parameters[1], lambda point: {"adam": 0.0, "lion": 1.0, "sgd": -0.5}[point.text]),
    ):
        curve = parameter.curve
        drawn, known = np.array([one.mean for one in curve]), np.array([function(one) for one in curve])
        assert np.corrcoef(drawn, known)[0, 1] > 0.98
        assert all(one.low <= one.mean <= one.high for one in curve)
        assert sum(one.count for one in curve) == 300


def test_two_parameters_that_act_together_are_a_pair() -> None:
    shares = {"lr": 0.5, "optimizer": 0.1, "lr and optimizer": 0.35, "noise": 0.05}
    found = Planted.of(300, 2, shares).ranked()
    assert [{column.name for column in pair.columns} for pair in found.pairs] == [{"lr", "optimizer"}]
    assert found.pairs[0].gain.share == pytest.approx(0.35, abs=0.12)
    by_name = {one.column.name: one for one in found.parameters}
    optimizer = by_name["optimizer"]
    assert optimizer.total is not None
    assert optimizer.alone is not None
    assert optimizer.total.share > optimizer.alone.share + 0.15


@pytest.mark.parametrize("runs", [FEWEST, 40, 120])
def test_noise_has_no_important_parameter(runs: int) -> None:
    for seed in range(5):
        found = Planted.of(runs, seed, {"noise": 1.0}).ranked()
        assert not found.is_sure
        assert not found.pairs
        assert not any(one.is_sure for one in found.parameters)


def test_a_strong_parameter_is_found_in_few_runs() -> None:
    shares = {"lr": 0.9, "noise": 0.1}
    assert all(Planted.of(32, seed, shares).ranked().parameters[0].column.name == "lr" for seed in range(8))
    few = Planted.of(FEWEST - 1, 0, shares).ranked()
    assert (few.reason, few.explained, few.used) == ("too_few", None, FEWEST - 1)
    assert few.parameters[0].correlation.pearson is not None


def test_many_runs_are_read_in_part_with_the_same_shares() -> None:
    shares = {"lr": 0.7, "optimizer": 0.2, "noise": 0.1}
    found = _shares(Planted.of(5000, 3, shares).ranked())
    assert found["lr"] == pytest.approx(0.7, abs=0.06)
    assert found["optimizer"] == pytest.approx(0.2, abs=0.05)


def test_scikit_learn_finds_the_same(plain: Planted, found: Ranking) -> None:
    """Its forest of the same rows: explained variance, permutation importance, partial dependence."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.inspection import partial_dependence, permutation_importance

    def matrix(planted: Planted) -> Floats:
        texts = planted.parameters["optimizer"]
        numbers = [planted.parameters[name].astype(float) for name in ("lr", "batch_size", "dropout", "seed")]
        return np.stack([*numbers, texts == "lion", texts == "sgd"], axis=1)

    forest = RandomForestRegressor(128, min_samples_leaf=3, oob_score=True, random_state=0)
    forest.fit(matrix(plain), plain.target)
    assert found.explained is not None
    assert found.explained.share == pytest.approx(forest.oob_score_, abs=0.03)
    fresh = Planted.of(300, 7, plain.shares)
    moved = permutation_importance(
        forest, matrix(fresh), fresh.target, scoring="neg_mean_squared_error", n_repeats=10, random_state=0
    )
    theirs = dict(zip(("lr", "batch_size", "dropout", "seed"), moved.importances_mean / 2, strict=False))
    ours = _shares(found)
    for name, share in theirs.items():
        assert ours[name] == pytest.approx(share / fresh.target.var(), abs=0.06), name
    curve = found.parameters[0].curve
    places = np.array([np.sqrt(one.start * one.end) for one in curve])
    table = matrix(plain)
    theirs_curve = []
    for place in places:
        table[:, 0] = place
        theirs_curve.append(forest.predict(table).mean())
    assert np.array([one.mean for one in curve]) == pytest.approx(np.array(theirs_curve), abs=0.15)
    grid = partial_dependence(forest, matrix(plain), [0], method="brute", grid_resolution=20)
    assert grid["average"].min() == pytest.approx(min(one.mean for one in curve), abs=0.15)


def test_weak_parameters_keep_their_share() -> None:
    """Sobol's g function, whose effects are known: Saltelli et al., Global Sensitivity Analysis, 2008."""
    places = np.random.default_rng(4).uniform(size=(600, 4))
    weights = np.array([0, 0.5, 3, 99])
    target = np.prod((np.abs(4 * places - 2) + weights) / (1 + weights), axis=1)
    variances = 1 / 3 / (1 + weights) ** 2
    whole = np.prod(1 + variances) - 1
    known = [one * np.prod(1 + np.delete(variances, at)) / whole for at, one in enumerate(variances)]
    columns = [_column(f"x{at}", column) for at, column in enumerate(places.T)]
    found = _shares(ranking(_column("y", target), columns, np.arange(600), "min"))
    assert found["x0"] == pytest.approx(known[0], abs=0.12)
    assert found["x1"] == pytest.approx(known[1], abs=0.08)
    assert found["x2"] == pytest.approx(known[2], rel=0.5)
    assert found["x3"] == pytest.approx(known[3], abs=0.005)


def test_what_is_best_only_together_is_said_of_the_pair() -> None:
    random = np.random.default_rng(6)
    rate, optimizer = 10 ** random.uniform(-5, 0, 200), random.choice(np.array(["adam", "sgd"]), 200)
    best = np.where(optimizer == "adam", -4, -1)
    target = np.abs(np.log10(rate) - best) + (optimizer == "sgd") * 0.5
    parameters = [_column("lr", rate), _column("optimizer", optimizer)]
    found = ranking(_column("loss", target), parameters, np.arange(200), "min")
    (pair,) = found.pairs
    together = dict(zip([one.name for one in pair.columns], pair.best, strict=True))
    lr, chosen = together["lr"], together["optimizer"]
    assert lr is not None
    assert chosen is not None
    assert chosen.texts == ["adam"]
    assert 1e-5 <= lr.start < 1e-4 < lr.end < 1e-3
    same = np.sign(random.uniform(-1, 1, (2, 200)))
    columns = [_column("a", same[0]), _column("b", same[1])]
    only = ranking(_column("loss", same[0] * same[1]), columns, np.arange(200), "min")
    assert [one.best for one in only.parameters] == [None, None]
    values = [one.start for one in only.pairs[0].best if one is not None]
    assert sorted(values) == [-1, 1]


def test_parameters_that_change_together_are_one(plain: Planted, found: Ranking) -> None:
    copies = {"steps": plain.parameters["batch_size"] * 100, "rate": np.log(plain.parameters["lr"])}
    both = Planted({**plain.parameters, **copies}, plain.target, plain.shares).ranked()
    names = [one.column.name for one in both.parameters]
    assert names.index("rate") == names.index("lr") + 1
    assert names.index("steps") == names.index("batch_size") + 1
    follows = {one.column.name: one.follows.name for one in both.parameters if one.follows}
    assert follows == {"rate": "lr", "steps": "batch_size"}
    assert _shares(both) == _shares(found)


@pytest.mark.parametrize(("values", "times"), [(16, 1), (25, 1), (31, 1), (32, 1), (33, 1), (40, 1), (16, 2)])
def test_numbers_that_no_two_runs_share_change_together_only_in_the_same_order(
    values: int, times: int
) -> None:
    """Up to 31 values each is a bin of its own, so that all such parameters split the runs alike."""
    for seed in range(4):
        random = np.random.default_rng(seed)
        rate, dropout = np.repeat(random.uniform(size=(2, values)), times, axis=1)
        columns = [_column("dropout", dropout), _column("lr", 10**rate), _column("decay", 1 / (dropout + 1))]
        target = rate + 0.05 * random.normal(size=len(rate))
        found = ranking(_column("loss", target), columns, np.arange(len(rate)), "min")
        follows = {one.column.name: one.follows.name for one in found.parameters if one.follows}
        assert follows == {"decay": "dropout"}
        assert [one.column.name for one in found.parameters if one.is_sure] == ["lr"]


def test_runs_without_a_value_change_together_in_both_orders() -> None:
    random = np.random.default_rng(0)
    some = random.uniform(1, 2, 24)
    some[[3, 7]] = np.nan
    other = np.where(np.isnan(some), np.nan, random.uniform(size=24))
    columns = [_column("some", some), _column("less", -some), _column("other", other)]
    found = ranking(_column("loss", random.normal(size=24)), columns, np.arange(24), "min")
    assert [(one.column.name, one.follows.name) for one in found.parameters if one.follows] == [
        ("less", "some")
    ]


def test_few_values_change_together_in_any_order() -> None:
    """Three pairs of values do not tell by their order which of the two explains a result."""
    random = np.random.default_rng(0)
    batch = random.choice(3, 60)
    columns = [_column("batch", batch), _column("steps", np.array([100, 50, 200])[batch])]
    found = ranking(_column("loss", batch + random.normal(size=60)), columns, np.arange(60), "min")
    assert [one.column.name for one in found.parameters if one.follows] == ["steps"]


def test_numbers_recorded_as_text_are_numbers(plain: Planted) -> None:
    texts = [f"{rate:.3e}" for rate in plain.parameters["lr"].tolist()]
    written = Planted({**plain.parameters, "lr": np.array(texts)}, plain.target, plain.shares).ranked()
    assert _shares(written)["lr"] == pytest.approx(0.86, abs=0.05)
    best = written.parameters[0].best
    assert best is not None
    assert 1e-4 < best.start < 1e-3 < best.end < 1e-2
    plainly = plain.ranked().parameters[0].correlation
    assert written.parameters[0].correlation.spearman == pytest.approx(plainly.spearman, abs=1e-3)
    some = coded(_column("x", ["1", 2, "3.5", None]), np.arange(4))
    assert [step.low for step in some.steps[:3]] == [1, 2, 3.5]
    assert coded(_column("x", ["1", "auto"]), np.arange(2)).is_category


def test_a_diverged_run_does_not_explain_everything(plain: Planted) -> None:
    target = plain.target.copy()
    target[3], target[4] = 1e12, np.nan
    found = plain.ranked(target)
    assert (found.used, found.clipped) == (299, 1)
    assert _shares(found)["lr"] == pytest.approx(0.86, abs=0.06)


def test_a_target_of_many_magnitudes_is_explained_as_its_logarithm(plain: Planted) -> None:
    found = plain.ranked(10 ** (3 * plain.target))
    assert found.is_log
    assert _shares(found)["lr"] == pytest.approx(0.86, abs=0.06)
    assert all(one.mean > 0 for one in found.parameters[0].curve)


def test_what_cannot_explain_anything_says_why(plain: Planted) -> None:
    runs = len(plain.target)
    others: dict[str, list[Any]] = {
        "name": [f"run {n}" for n in range(runs)],
        "one": [1] * runs,
        "none": [None] * runs,
    }
    columns = [_column(name, values) for name, values in others.items()]
    refused = ranking(_column("loss", plain.target), columns, np.arange(runs), "min")
    assert {one.column.name: one.reason for one in refused.parameters} == {
        "name": "unique",
        "one": "constant",
        "none": "constant",
    }
    assert refused.reason == "no_parameters"
    same = ranking(
        _column("loss", [2.0] * runs), [_column("lr", plain.parameters["lr"])], np.arange(runs), "min"
    )
    assert same.reason == "target_constant"


def test_runs_without_a_value_are_a_step_of_their_own() -> None:
    column = _column("x", [1, None, 2, float("nan"), 3, float("inf")])
    made = coded(column, np.arange(6))
    assert made.codes.tolist() == [0, 4, 1, 4, 2, 3]
    assert np.isnan(made.steps[4].low)
    mixed = coded(_column("x", [1, "auto", None, True, 1]), np.arange(5))
    assert mixed.is_category
    assert [step.text for step in mixed.steps] == ["1", "auto", "true", None]
    many = coded(_column("x", [f"v{n % 80:02d}" for n in range(1000)]), np.arange(1000))
    assert len(many.steps) == 31
    assert many.steps[-1].text == "…"
    fine = coded(_column("x", np.linspace(0, 1, 1000)), np.arange(1000))
    assert len(fine.steps) == 31
    assert np.bincount(fine.codes).min() > 25


def test_the_target_is_clipped_only_far_out() -> None:
    normal = np.random.default_rng(0).normal(size=1000)
    assert Explained.of(normal).clipped == 0
    assert Explained.of(np.append(normal, 1e9)).clipped == 1
    assert Explained.of(np.array([0.0] * 90 + [5.0] * 10)).clipped == 0


def test_without_a_goal_shares_are_the_same_and_nothing_is_best(plain: Planted, found: Ranking) -> None:
    unknown = plain.ranked(goal=None)
    assert _shares(unknown) == _shares(found)
    assert [one.best for one in unknown.parameters] == [None] * len(unknown.parameters)
