"""What rules find: planted cases with known answers, and healthy runs that stay silent."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import insight_alerts
import insight_diagnose
import insight_scalar
import numpy as np
import pytest
from attrs import evolve
from insight_alerts.rules import rules_of
from insight_alerts.thresholds import Thresholds
from insight_alerts.watch import Watch

from insight_core.ingest.logdir import Logdir
from insight_core.isolation import Limits
from insight_core.plugin import ReadRunColumns, RunCells
from insight_core.plugin.data import Progress, Run, ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter, FakeProvider, context_of
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_core.web.findings import FindingsTable
from tests.hosts import with_hooks

RULES = """
[[rule]]
name = "broken"
when = "nan"
[[rule]]
name = "high"
when = "above"
value = 10
tag = "loss"
[[rule]]
name = "low"
when = "below"
value = 0.1
tag = "acc"
run = "b"
"""
OF_RUNS = """
[[rule]]
name = "no progress"
when = "stalled"
minutes = 15
[[rule]]
name = "over"
when = "ended"
"""
_ALL = ScalarQuery()


class Counting(FakeProvider):
    """Counts the points that are read."""

    read = 0

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = _ALL
    ) -> Mapping[SeriesKey, ScalarColumns]:
        found = super().scalars(plugin, keys, query)
        self.read += sum(len(columns.steps) for columns in found.values())
        return found


def _no_columns(names: Collection[str]) -> Sequence[RunCells]:
    return ()


def _watch(
    data: FakeProvider | LocalProvider,
    text: str = RULES,
    columns: ReadRunColumns = _no_columns,
    clock: Callable[[], float] = time.time,
) -> Watch:
    """Of a host that has the thresholds of the file and no other rules."""
    file = rules_of(tomllib.loads(text))
    module = with_hooks(rules=lambda: [*Thresholds(file, clock).rules()])
    ctx = evolve(context_of(insight_alerts.insight_plugin(), data), run_columns=columns)
    registry = Registry.of([("alerts", lambda: module)])
    return Watch(file, data, FindingsTable(registry, data, Limits(), lambda _: ctx).find)


def _found(watch: Watch, *changed: SeriesKey) -> list[tuple[str, str, str, int | None, str]]:
    alerts = watch.series(changed or None)
    return [(one.rule, one.run, one.tag, one.step, one.subject) for one in alerts]


def test_planted_values_are_found_at_their_first_step_and_healthy_runs_are_silent() -> None:
    data = FakeProvider()
    rng = np.random.default_rng(7)
    for number in range(20):
        data.add_scalars(f"healthy{number}", "loss", 2 + rng.normal(0, 0.5, 5000))
        data.add_scalars(f"healthy{number}", "acc", rng.uniform(0.2, 1, 5000))
    loss = np.ones(5000)
    loss[3107:3110], loss[4000] = 10.5, np.inf
    acc = np.linspace(0.5, 0.9, 5000)
    acc[4321] = 0.05
    data.add_scalars("a", "loss", loss)
    data.add_scalars("a", "acc", acc)  # the rule is about b alone
    data.add_scalars("b", "acc", acc)
    data.add_scalars("b", "limit/loss", np.full(50, 10.0))  # equal is not above
    data.add_scalars("c", "grad", np.array([1.0, np.nan, np.nan]))
    assert _found(_watch(data)) == [
        ("broken", "a", "loss", 4000, "1"),
        ("high", "a", "loss", 3107, "1"),
        ("low", "b", "acc", 4321, "1"),
        ("broken", "c", "grad", 1, "1"),
    ]


def test_only_points_that_are_new_are_read() -> None:
    data = Counting()
    loss, other = SeriesKey("a", "loss"), SeriesKey("a", "other")
    data.add_scalars("a", "loss", np.ones(10_000))
    data.add_scalars("a", "other", np.ones(10_000))
    watch = _watch(data)
    assert _found(watch) == []
    assert data.read == 20_000
    data.add_scalars("a", "loss", np.array([1.0, 11.0]), steps=[10_000, 10_001])
    assert _found(watch, loss) == [("high", "a", "loss", 10_001, "1")]
    assert data.read == 20_003  # and the one at the last step, which may have company
    assert _found(watch, loss, other) == []
    assert data.read == 20_003


def test_when_too_much_changed_to_be_listed_only_points_that_are_new_are_read() -> None:
    data = Counting()
    data.add_scalars("a", "loss", np.ones(10_000))
    watch = _watch(data)
    assert _found(watch) == []
    data.add_scalars("a", "loss", np.array([11.0]), steps=[10_000])
    data.read = 0
    assert [alert.step for alert in watch.series(None)] == [10_000]
    assert data.read == 2


def test_a_series_whose_file_was_replaced_by_a_longer_one_is_looked_at_from_its_beginning() -> None:
    data = FakeProvider()
    key = SeriesKey("a", "loss")
    data.add_scalars("a", "loss", np.ones(3))
    watch = _watch(data)
    assert _found(watch) == []
    data.remove_series("scalar", "a", "loss")
    data.add_scalars("a", "loss", np.array([11.0, 1.0, 1.0, 1.0]))
    assert [alert.step for alert in watch.series([key])] == [0]


def test_points_at_the_last_step_are_neither_missed_nor_looked_at_twice() -> None:
    data = FakeProvider()
    data.add_scalars("a", "loss", np.array([1.0, 12.0]), steps=[0, 5])
    watch = _watch(data)
    assert len(_found(watch)) == 1
    data.add_scalars("a", "loss", np.array([1.0]), steps=[5])
    assert _found(watch, SeriesKey("a", "loss")) == []
    data.add_scalars("a", "loss", np.array([np.nan]), steps=[5])
    assert _found(watch, SeriesKey("a", "loss")) == [("broken", "a", "loss", 5, "1")]


def test_a_restart_is_another_attempt_which_may_alert_again(tmp_path: Path) -> None:
    def write(start: int, stop: int, bad: int, when: float) -> None:
        with EventWriter(tmp_path / "a", start_time=when) as writer:
            for step in range(start, stop):
                writer.scalar("loss", step, 99.0 if step == bad else 1.0)

    write(0, 100, 50, 1.7e9)
    provider = LocalProvider([Logdir(str(tmp_path))], [insight_scalar.insight_plugin()], reload_interval=0)
    provider.load()
    watch = _watch(provider)
    assert _found(watch) == [("high", "a", "loss", 50, "1")]
    write(40, 80, 60, 1.7e9 + 5000)
    provider.load()
    assert ("high", "a", "loss", 60, "2") in _found(watch, SeriesKey("a", "loss"))
    provider.close()


def test_a_series_that_is_gone_and_comes_again_is_looked_at_from_its_beginning() -> None:
    data = FakeProvider()
    key = SeriesKey("a", "loss")
    data.add_scalars("a", "loss", np.array([1.0, 1.0, 1.0]))
    watch = _watch(data)
    assert _found(watch) == []
    data.remove_series("scalar", "a", "loss")
    assert _found(watch, key) == []
    data.add_scalars("a", "loss", np.array([11.0, 1.0, 1.0]))
    assert _found(watch, key) == [("high", "a", "loss", 0, "1")]


NOW = 1.7e9


def _of_runs(data: FakeProvider, updated: Mapping[str, float], status: Mapping[str, str]) -> list[str]:
    def columns(names: Collection[str]) -> Sequence[RunCells]:
        assert set(names) == {"status", "updated"}
        return [
            RunCells("run", "status", "Status", {}, "text", "", status),
            RunCells("run", "updated", "Last record", {}, "time", "", updated),
            RunCells("other", "status", "Status", {}, "text", "", {"a": "finished"}),
        ]

    for run in {*updated}.difference(run.name for run in data.runs()):
        data.add_run(Run(run))
    return [one.text() for one in _watch(data, OF_RUNS, columns, lambda: NOW).runs()]


def test_runs_that_ended_or_make_no_progress_are_told_and_those_that_go_on_are_not() -> None:
    data = FakeProvider()
    updated = {
        "a": NOW - 14 * 60,
        "b": NOW - 16 * 60,
        "c": NOW - 30,
        "d": NOW - 3600,
        "e": NOW - 3600,
    }
    status = {"a": "running", "b": "running", "c": "failed", "d": "finished", "e": "stopped"}
    assert _of_runs(data, updated, status) == [
        "no progress: b has made no progress for 15 minutes",
        "over: c has ended (failed)",
        "over: d has ended (finished)",
        "no progress: e has made no progress for 15 minutes",
        "over: e has ended (stopped)",
    ]


@pytest.mark.parametrize("what", ["the logs", "the run"])
def test_runs_are_not_judged_before_they_are_read(what: str) -> None:
    data = FakeProvider()
    if what == "the logs":
        data.set_progress(Progress(1, 2, loaded_once=False))
    else:
        data.add_run(Run("a", loading=True))
    assert _of_runs(data, {"a": NOW - 3600}, {"a": "stopped"}) == []


def test_findings_that_are_bad_enough_alert_once_for_each_run() -> None:
    data = FakeProvider()
    falling = np.exp(-np.linspace(0, 3, 100))
    for run, begin in (("a", 40), ("b", 60), ("fine", 100)):
        values = falling.copy()
        values[begin:] = np.nan
        data.add_scalars(run, "train/loss", values)
    host = Host(
        Registry.of([("diagnose", lambda: insight_diagnose), ("scalar", lambda: insight_scalar)]), data
    )
    text = '[[rule]]\nname = "bad"\nwhen = "finding"\nfinds = "{}"\nseverity = "error"\nrun = "{}"\n'

    def watch(finds: str, run: str) -> Watch:
        return Watch(rules_of(tomllib.loads(text.format(finds, run))), data, host.findings)

    def found(finds: str, run: str) -> list[str]:
        return [one.text() for one in watch(finds, run).findings()]

    assert found("nonfinite", "") == [
        "bad: a: train/loss is NaN first at step 40; such values: 60",
        "bad: b: train/loss is NaN first at step 60; such values: 40",
    ]
    assert len(found("", "a")) == 1
    assert found("overfitting", "") == []
    ids = [[one.id for one in watch("", "a").findings()] for _ in range(2)]
    assert ids[0] == ids[1]
