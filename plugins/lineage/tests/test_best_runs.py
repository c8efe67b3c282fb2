"""What the lineage plugin says of runs together: the best, and how the second differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import insight_lineage
import numpy as np
import pytest
from insight_lineage.highlights import found
from insight_lineage.run_columns import lineage_of

from insight_core.plugin import Annotations
from insight_core.plugin.findings import Examined, Finding
from insight_core.plugin.testing import context_of
from insight_core.providers.local import LocalProvider
from tests.lineage_samples import LineageLogs


@pytest.fixture
def written(tmp_path: Path) -> LineageLogs:
    return LineageLogs(tmp_path / "logs")


@pytest.fixture
def provider(written: LineageLogs) -> Iterator[LocalProvider]:
    with written.opened() as provider:
        yield provider


def _said(provider: LocalProvider, runs: Sequence[str]) -> list[Finding]:
    provider.load()
    ctx = context_of(insight_lineage.insight_plugin(), provider)
    return list(found(Examined(ctx, runs, {}, lambda _: None)))


def test_the_best_run_and_what_it_does_otherwise(written: LineageLogs, provider: LocalProvider) -> None:
    for run, rate, accuracy in (("a", 0.5, 0.7), ("b", 0.25, 0.9), ("c", 0.125, 0.8)):
        written.file(run, written.trained(3, rate) + written.evaluated({"acc": accuracy}))
    best, difference = _said(provider, ["a", "b", "c"])
    assert str(best.saw) == "b has the highest acc of 3 runs: 0.9; next is c with 0.8"
    assert (best.severity, list(best.runs)) == ("good", ["b", "c"])
    assert best.place is not None
    assert best.place.state == {"target": "metric/acc", "analysis": "1"}
    assert str(difference.saw) == "b differs from c (in brackets) in learning_rate 0.25 (0.125)"
    assert str(_said(provider, ["a", "c"])[0].saw).startswith("c has the highest acc of 2 runs")
    assert _said(provider, ["a"]) == []


def test_a_loss_is_best_when_it_is_lowest_and_most_runs_must_have_it(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, losses in (("a", [3.0, 1.5]), ("b", [3.0, 1.0]), ("c", [2.0, float("nan")])):
        written.scalars(run, {"train/loss": losses, "speed": losses})
    written.scalars("d", {"speed": [1.0]})
    (best,) = _said(provider, ["a", "b", "c"])
    assert str(best.saw).startswith("b has the lowest train/loss (last) of 2 runs: 1; next is a")
    assert _said(provider, ["c", "d"]) == []


def test_a_result_that_differs_comes_before_one_that_is_equal_in_all_runs(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, loss in (("a", 1.5), ("b", 1.0), ("c", 2.0)):
        written.scalars(run, {"val/accuracy": [0.5, 0.75], "train/loss": [3.0, loss]})
        written.file(run, written.trained(3, 0.5) + written.evaluated({"acc": 0.75}))
    assert str(_said(provider, ["a", "b", "c"])[0].saw).startswith(
        "b has the lowest train/loss (last) of 3 runs"
    )


def test_two_runs_with_the_same_parameters_differ_by_chance(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, accuracy in (("a", 0.5), ("b", 0.75)):
        written.file(run, written.trained(3, 0.5) + written.evaluated({"acc": accuracy}))
    assert [str(one.saw.code) for one in _said(provider, ["a", "b"])] == ["lineage_highest", "lineage_same"]


def test_the_best_is_what_the_logs_say_is_better(written: LineageLogs, provider: LocalProvider) -> None:
    """An objective of Optuna has no name that says it."""
    from insight_record.summary_writer import SummaryWriter

    for run, value in (("a", 0.7), ("b", 0.2)):
        with SummaryWriter(written.root / run) as writer:
            writer.add_configuration({"lr": value, "direction": {"value": "minimize"}})
            writer.add_scalar("value", value, 1)
            writer.add_scalar("intermediate_value", 5 * value, 1)
    best, difference = _said(provider, ["a", "b"])
    assert str(best.saw) == "b has the lowest value of 2 runs: 0.2; next is a with 0.7"
    assert str(difference.saw) == "b differs from a (in brackets) in lr 0.2 (0.7)"


def test_a_stated_direction_is_that_of_every_value_of_a_scalar(
    written: LineageLogs, provider: LocalProvider
) -> None:
    from insight_record.summary_writer import SummaryWriter

    with SummaryWriter(written.root / "a") as writer:
        writer.add_configuration({"lr": 0.5, "direction": {"score": "minimize"}})
        writer.add_scalar("score", 0.5, 1)
        writer.add_scalar("other_score", 0.5, 1)
    provider.load()
    with lineage_of(context_of(insight_lineage.insight_plugin(), provider)).table(Annotations()) as table:
        goals = {str(one["name"]): one["goal"] for one in table.described()}
    assert [goals[f"{which}/score"] for which in ("last", "min", "max")] == ["min"] * 3
    assert goals["last/other_score"] == "max"


def test_the_loss_of_a_lineage_file_is_a_result_behind_the_metrics_that_are_named(
    written: LineageLogs, provider: LocalProvider
) -> None:
    from insight_record import SummaryRecord

    with SummaryRecord(written.root / "a") as record:
        record.add_value("train_lineage", "train", {"algorithm": {"network": "LeNet", "loss": 0.5}})
        record.add_value("eval_lineage", "eval", {"metric": {"accuracy": 0.9}})
        record.record(1)
    provider.load()
    with lineage_of(context_of(insight_lineage.insight_plugin(), provider)).table(Annotations()) as table:
        columns = [(one["name"], one["goal"]) for one in table.described() if one["group"] == "metric"]
    assert columns == [("metric/accuracy", "max"), ("loss", "min")]


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("validation/logloss", "b has the lowest validation/logloss of 2 runs: 0.25"),
        ("tokens_per_second", "a has the highest tokens_per_second of 2 runs: 0.5"),
        ("objective", None),
    ],
)
def test_no_run_is_best_where_nothing_says_which_values_are(
    written: LineageLogs, provider: LocalProvider, metric: str, said: str | None
) -> None:
    for run, value in (("a", 0.5), ("b", 0.25)):
        written.file(run, written.trained(3, value) + written.evaluated({metric: value}))
    found = _said(provider, ["a", "b"])
    # MindSpore's files have the loss of the training too
    assert not any("objective" in str(one.saw) for one in found)
    if said is not None:
        assert str(found[0].saw).startswith(said)


def test_runs_without_metrics_are_compared_by_their_scalars_whatever_other_runs_have(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, loss in (("a", 2.0), ("b", 1.0)):
        written.scalars(run, {"train/loss": [loss]})
    written.file("c", written.trained(3, 0.5) + written.evaluated({"acc": 0.5}))
    assert str(_said(provider, ["a", "b"])[0].saw).startswith("b has the lowest train/loss (last) of 2 runs")


def test_a_run_that_diverged_makes_its_duration_no_target(
    written: LineageLogs, provider: LocalProvider
) -> None:
    runs = [f"r{number:02}" for number in range(12)]
    for number, run in enumerate(runs):
        written.scalars(run, {"loss": [float("nan") if number == 3 else number + 1.0]})
        written.file(run, written.evaluated({"duration": 1.0, "loss": float("nan") if number == 3 else 1.0}))
    assert "loss" in str(_said(provider, runs)[0].saw)


def test_what_explains_a_result_comes_first(written: LineageLogs, provider: LocalProvider) -> None:
    runs = [f"r{number:02}" for number in range(24)]
    for number, run in enumerate(runs):
        width = (number * 7) % 24
        values = written.trained(3, 0.5) + written.evaluated({"acc": 1 - abs(width - 12) / 12})
        written.file(run, values + written.added(a=number % 5, width=width))
    best, difference, explains = _said(provider, runs)
    assert best.severity == "good"
    assert "in width 12 (1" in str(difference.saw)
    assert explains.saw.code == "lineage_explains"
    assert explains.saw.details["parameter"] == "width"


def test_only_what_surely_matters_is_claimed_and_comes_first(
    written: LineageLogs, provider: LocalProvider
) -> None:
    """The parameter of one sure share is last in the alphabet; the others do nothing."""
    runs = [f"r{number:02}" for number in range(32)]
    random = np.random.default_rng(0)
    for number, run in enumerate(runs):
        width = (number * 7) % 32
        values = written.trained(3, 0.5) + written.evaluated({"acc": 1 - abs(width - 12) / 12})
        chances = dict(zip("cab", random.integers(0, 1000, 3).tolist(), strict=True))
        written.file(run, values + written.added(**chances, width=width, width_squared=width**2))
    _, difference, explains = _said(provider, runs)
    changes = [one.split()[0] for one in str(difference.saw.details["changes"]).split(", ")]
    assert changes == ["width", "a", "b", "c"]
    assert difference.saw.details["more"] == 1  # the copy of the width is last, but a change
    assert explains.saw.details["parameter"] == "width"


def test_no_change_is_left_out_where_each_run_has_its_own_numbers(
    written: LineageLogs, provider: LocalProvider
) -> None:
    runs = [f"r{number:02}" for number in range(20)]
    random = np.random.default_rng(0)
    for number, run in enumerate(runs):
        rate, decay = random.uniform(size=2).tolist()
        values = written.trained(3, 0.5) + written.evaluated({"acc": rate + number / 1000})
        written.file(run, values + written.added(decay=decay, rate=rate))
    _, difference, explains = _said(provider, runs)
    changes = [one.split()[0] for one in str(difference.saw.details["changes"]).split(", ")]
    assert changes == ["rate", "decay"]
    assert explains.saw.details["parameter"] == "rate"


def test_parameters_that_matter_only_together_have_no_best_values(
    written: LineageLogs, provider: LocalProvider
) -> None:
    runs = [f"r{number:02}" for number in range(64)]
    for number, run in enumerate(runs):
        a, b = number % 2, number // 2 % 2
        values = written.trained(3, 0.5) + written.evaluated({"acc": float(a == b) + number / 1000})
        written.file(run, values + written.added(a=a, b=b))
    explains = _said(provider, runs)[-1]
    assert explains.saw.code == "lineage_explains_with_others"
    assert "its best values depend on other parameters" in str(explains.saw)


def test_runs_that_prepare_their_data_in_another_way_are_not_the_same(
    written: LineageLogs, provider: LocalProvider
) -> None:
    """Parameters that are equal say nothing then."""
    from insight_record import SummaryRecord

    for run, size, accuracy in (("a", 32, 0.9), ("b", 64, 0.8), ("c", 32, 0.7)):
        with SummaryRecord(written.root / run) as record:
            batch = {"op_type": "Batch", "batch_size": size, "children": [{"op_type": "GeneratorDataset"}]}
            record.add_value("dataset_graph", "dataset_graph", batch)
            record.add_value("eval_lineage", "eval_lineage", {"metric": {"accuracy": accuracy}})
            record.record(1)
    _, data = _said(provider, ["a", "b"])
    assert str(data.saw) == "the data of a is prepared in another way than that of b: Batch"
    assert data.place is not None
    assert data.place.state == {"view": "data"}
    assert len(_said(provider, ["a", "c"])) == 1  # no parameters are recorded that could be the same


def test_runs_without_parameters_are_not_said_to_have_the_same(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, loss in (("a", 2.0), ("b", 1.0)):
        written.scalars(run, {"loss": [loss]})
    (best,) = _said(provider, ["a", "b"])
    assert str(best.saw) == "b has the lowest loss (last) of 2 runs: 1; next is a with 2"


def test_runs_with_the_same_best_value_are_named_as_equal(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, loss, rate in (("a", 0.5, 1.0), ("b", 0.75, 1.0), ("c", 0.5, 1.0), ("d", 0.5, 2.0)):
        written.file(
            run, written.trained(3, rate) + written.evaluated({"val_loss": loss, "accuracy": 1 - loss})
        )
    lowest = _said(provider, ["a", "b", "c", "d"])[0]
    assert str(lowest.saw) == "3 of 4 runs have the lowest val_loss: 0.5 (a, c, d)"
    (alone,) = _said(provider, ["a", "c"])  # and nothing of parameters: neither they nor the results differ
    assert (str(alone.saw), alone.severity) == ("all 2 runs have the same val_loss: 0.5", "hint")
    same, differ = _said(provider, ["c", "d"])
    assert same.saw.code == "lineage_all_equal"
    assert str(differ.saw) == "c differs from d (in brackets) in learning_rate 1 (2)"


def test_values_that_differ_are_shown_with_the_digits_that_differ(
    written: LineageLogs, provider: LocalProvider
) -> None:
    for run, loss in (("a", 0.500002), ("b", 0.500001)):
        written.scalars(run, {"loss": [loss]})
    assert "0.500001; next is a with 0.500002" in str(_said(provider, ["a", "b"])[0].saw)


def test_many_differences_are_counted(written: LineageLogs, provider: LocalProvider) -> None:
    for run, accuracy in (("a", 0.7), ("b", 0.9)):
        more = {f"p{number}": f"{run}{number}" for number in range(6)}
        written.file(
            run, written.trained(3, 0.5) + written.evaluated({"acc": accuracy}) + written.added(**more)
        )
    _, difference = _said(provider, ["a", "b"])
    assert difference.saw.code == "lineage_differ_more"
    assert difference.saw.details["more"] == 2


def test_parameters_that_differ_little_are_shown_with_the_digits_that_differ(
    written: LineageLogs, provider: LocalProvider
) -> None:
    """A learning rate that one writer kept in 32 bits differs; the same NaN does not."""
    from insight_record.summary_writer import SummaryWriter

    for run, rate, loss in (("a", 0.1, 1.0), ("b", float(np.float32(0.1)), 2.0)):
        with SummaryWriter(written.root / run) as writer:
            writer.add_configuration({"lr": rate, "clip": float("nan")})
            writer.add_scalar("val_loss", loss, 1)
    _, difference = _said(provider, ["a", "b"])
    assert str(difference.saw) == "a differs from b (in brackets) in lr 0.1 (0.100000001)"
