"""What an importance cannot say: of correlated parameters, of some that act together, of runs left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import insight_lineage
import numpy as np
import pytest
from insight_lineage.highlights import found
from insight_lineage.importance.coding import coded
from insight_lineage.importance.ranking import Ranked, Ranking, ranking
from insight_lineage.importance.relations import relations_of
from numpy.typing import NDArray

from insight_core.filters.column import Column, values_of
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Messages, Reason
from insight_core.plugin.findings import Examined
from insight_core.plugin.testing import context_of
from insight_core.providers.local import LocalProvider
from insight_record.summary_writer import SummaryWriter

Floats = NDArray[np.float64]


def _column(name: str, values: Sequence[Any] | NDArray[Any]) -> Column:
    return Column(name, "hyperparameter", name, values_of(list(np.asarray(values, object).tolist())))


def _ranked(parameters: Mapping[str, Any], target: Floats) -> tuple[Ranking, dict[str, Ranked]]:
    columns = [_column(name, values) for name, values in parameters.items()]
    ranks = ranking(_column("loss", target), columns, np.arange(len(target)), "min")
    return ranks, {one.column.name: one for one in ranks.parameters}


def _drawn(runs: int, seed: int) -> tuple[dict[str, Any], np.random.Generator]:
    random = np.random.default_rng([seed, runs])
    return {
        "lr": 10 ** random.uniform(-5, -1, runs),
        "decay": random.uniform(0, 1, runs),
        "optimizer": random.choice(["adam", "lion", "sgd"], runs),
        "batch_size": 2 ** random.integers(3, 8, runs),
    }, random


def _confounded(runs: int, r: float, seed: int) -> tuple[dict[str, Any], Floats]:
    """The loss depends on the learning rate alone, which was changed together with the batch size."""
    parameters, random = _drawn(runs, seed)
    rate = random.normal(size=runs)
    parameters["lr"] = 10 ** (rate - 3)
    parameters["batch_size"] = 2 ** (6 + 2 * (r * rate + np.sqrt(1 - r**2) * random.normal(size=runs)))
    return parameters, (rate - 0.3) ** 2 + 0.3 * random.normal(size=runs)


@pytest.mark.parametrize("runs", [40, 120])
def test_correlated_parameters_name_each_other_with_r(runs: int) -> None:
    for seed in range(3):
        _, ranks = _ranked(*_confounded(runs, 0.95, seed))
        for one, other in (("lr", "batch_size"), ("batch_size", "lr")):
            [(column, r)] = ranks[one].related
            assert column.name == other
            assert r == pytest.approx(0.95, abs=0.06)
            assert not ranks[one].is_calibrated
        assert not ranks["batch_size"].is_sure
        assert ranks["batch_size"].best is None
        assert not ranks["decay"].related


def test_independent_parameters_are_not_correlated() -> None:
    alarms = 0
    for seed in range(300):
        parameters, _ = _drawn(16 + seed % 50, seed)
        fit = [coded(_column(name, values), np.arange(len(values))) for name, values in parameters.items()]
        alarms += bool(relations_of(fit, range(len(fit))))
    assert alarms <= 3


def test_categories_are_correlated_too() -> None:
    random = np.random.default_rng(4)
    optimizer = random.choice(["adam", "lion", "sgd"], 80)
    rate = (
        np.select([optimizer == "adam", optimizer == "lion"], [-3.0, -4.0], -1.0) + random.normal(size=80) / 2
    )
    schedule = np.where(random.random(80) < 0.9, np.where(optimizer == "sgd", "step", "cosine"), "step")
    named = {"optimizer": optimizer, "rate": rate, "schedule": schedule, "x": random.normal(size=80)}
    fit = [coded(_column(name, values), np.arange(80)) for name, values in named.items()]
    relations = relations_of(fit, range(4))
    assert {(one.first, one.second) for one in relations} >= {(0, 1), (0, 2)}
    assert all(3 not in (one.first, one.second) for one in relations)
    assert all(0.5 <= one.r <= 1 for one in relations)


def test_the_correlation_of_numbers_is_spearmans() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(5)
    one = np.round(random.normal(size=25), 1)
    other = one + 0.3 * random.normal(size=25)
    fit = [coded(_column(name, values), np.arange(25)) for name, values in (("a", one), ("b", other))]
    [relation] = relations_of(fit, range(2))
    assert relation.r == pytest.approx(stats.spearmanr(one, other).statistic)


def test_no_interval_of_95_percent_for_parameters_that_act_together() -> None:
    parameters, random = _drawn(120, 0)
    rate = np.log10(parameters["lr"]) + 3
    product = rate * (parameters["decay"] - 0.5) + 0.3 * random.normal(size=120)
    _, ranks = _ranked(parameters, product)
    for name in ("lr", "decay"):
        assert ranks[name].acts_together
        assert not ranks[name].is_calibrated


def test_intervals_of_95_percent_hold_the_share() -> None:
    held = []
    for seed in range(4):
        parameters, random = _drawn(140, seed)
        target = np.log10(parameters["lr"]) * 2 + parameters["decay"] * 2 + random.normal(size=140)
        variances = {"lr": 4 * 16 / 12, "decay": 4 / 12}
        whole = sum(variances.values()) + 1
        _, ranks = _ranked(parameters, target)
        for name, one in ranks.items():
            assert one.total is not None
            if one.is_calibrated:
                held.append(one.total.low <= variances.get(name, 0) / whole <= one.total.high)
    assert len(held) >= 8
    assert np.mean(held) >= 0.9


def test_few_runs_runs_without_a_target_and_clipped_ones_leave_no_interval_of_95_percent() -> None:
    parameters, random = _drawn(130, 1)
    target = np.log10(parameters["lr"]) + 0.3 * random.normal(size=130)
    assert _ranked(parameters, target)[1]["lr"].is_calibrated
    assert not _ranked({name: values[:60] for name, values in parameters.items()}, target[:60])[1][
        "lr"
    ].is_calibrated
    crashed, missing = target.copy(), target.copy()
    crashed[:5], missing[:5] = 1e6, np.nan
    assert not _ranked(parameters, crashed)[1]["lr"].is_calibrated
    assert not _ranked(parameters, missing)[1]["lr"].is_calibrated
    parameters["lr"] = [None, *parameters["lr"].tolist()[1:]]
    assert not _ranked(parameters, target)[1]["lr"].is_calibrated


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


def _explained(root: Path, parameters: Mapping[str, Any], target: Floats) -> Iterator[Reason]:
    for run in range(len(target)):
        with SummaryWriter(root / f"run{run:03}") as writer:
            cells = {name: values[run] for name, values in parameters.items()}
            writer.add_configuration(
                {
                    name: one.item() if isinstance(one, np.generic) else one
                    for name, one in cells.items()
                    if one is not None
                }
            )
            writer.add_scalar("val/loss", float(target[run]), 1)
    provider = LocalProvider(
        [Logdir(str(root))], [_scalar(), insight_lineage.insight_plugin()], reload_interval=0
    )
    try:
        provider.load()
        runs = [run.name for run in provider.runs()]
        ctx = context_of(insight_lineage.insight_plugin(), provider)
        for one in found(Examined(ctx, runs, {}, lambda _: None)):
            yield one.saw
    finally:
        provider.close()


def _scalar() -> Any:  # noqa: ANN401
    import insight_scalar

    return insight_scalar.insight_plugin()


def test_runs_that_do_not_count_in_full_are_in_the_sentence(root: Path) -> None:
    parameters, random = _drawn(60, 2)
    target = 3 + np.log10(parameters["lr"]) / 4 + 0.03 * random.normal(size=60)
    target[:2], target[2:6] = 1e6, np.nan
    parameters["lr"] = [*parameters["lr"].tolist()[:55], *[None] * 5]
    best, _, explains = _explained(root, parameters, target)
    assert "of 56 runs" in best
    assert best.endswith("; 4 of 60 runs have no finite val/loss")
    assert "lr explains" in explains
    assert explains.endswith(
        "; 5 of 56 runs have no lr; 4 of 60 runs have no finite val/loss;"
        " far outliers that count as the nearest usual value: 2"
    )


def test_other_parameters_that_may_be_the_cause_are_in_the_sentence(root: Path) -> None:
    parameters, target = _confounded(60, 0.95, 0)
    parameters["scaled_lr"] = parameters["lr"] * 256
    explains = list(_explained(root, parameters, target))[-1]
    assert "lr explains" in explains
    assert "lr always changes together with scaled_lr: these runs do not show which is the cause" in explains
    assert "lr is correlated with batch_size (r = 0.9" in explains


def test_the_share_of_parameters_that_act_together_is_a_lower_bound(root: Path) -> None:
    parameters, random = _drawn(100, 3)
    rate = np.log10(parameters["lr"]) + 3
    target = 5 + rate * np.where(parameters["optimizer"] == "adam", 2, -1) + 0.1 * random.normal(size=100)
    explains = list(_explained(root, parameters, target))[-1]
    assert "explains ≥ " in explains


def test_every_note_has_a_text_in_chinese() -> None:
    every = Messages.of(Path(insight_lineage.__file__).parent / "locales")
    [known] = [one for one in every if one.locale == "zh-CN"]
    for code in ("s", "_left", "_clipped", "_unset", "_followed", "_related"):
        assert f"reason.lineage_note{code}" in known.texts
