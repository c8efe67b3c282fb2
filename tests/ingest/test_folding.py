"""Directories in which ``add_hparams`` writes count in the runs above them, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import insight_lineage
import insight_scalar
import pytest

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.lineage_samples import write_run
from tests.support.points import scalar_points
from tests.support.sweeps import T, write_trial
from tests.waiting import eventually

START = "_hparams_/session_start_info"
Opened = Callable[..., LocalProvider]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    providers: list[LocalProvider] = []

    def open_(*, folds: bool = True, loads: bool = True, follows: bool = False) -> LocalProvider:
        plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs"))],
            plugins,
            reload_interval=0.05 if follows else 0,
            cache_directory=tmp_path / "cache",
            folds=folds,
        )
        providers.append(provider)
        if loads:
            provider.load()
        return provider

    yield open_
    for provider in providers:
        provider.close()


def runs_of(provider: LocalProvider) -> set[str]:
    return {run.name for run in provider.runs()}


def tags_of(provider: LocalProvider, run: str) -> set[str]:
    return {info.key.tag for name in ("scalar", "lineage") for info in provider.series(name, runs=[run])}


@pytest.mark.parametrize("steps", [3, 0])
def test_a_trial_is_one_run(opened: Opened, tmp_path: Path, steps: int) -> None:
    """Also when nothing else was recorded of it: then torch leaves an event file without values."""
    for trial in range(3):
        write_trial(tmp_path / f"logs/trial{trial}", {"lr": 0.1}, {"acc": trial / 4}, steps=steps)
    for _ in range(2):  # the second reads the index
        with closing(opened()) as provider:
            assert runs_of(provider) == {f"trial{trial}" for trial in range(3)}
            assert tags_of(provider, "trial1") >= {"acc", START, *(["loss"] if steps else [])}
            assert scalar_points(provider, "trial2", "acc") == [(1, 0.5)]
            assert scalar_points(provider, "trial2") == [(step, 2.0**-step) for step in range(steps)]
    apart = opened(folds=False)
    assert len(runs_of(apart)) == (6 if steps else 3)
    assert tags_of(apart, "trial1") == ({"loss"} if steps else set())


def test_a_trial_in_the_logdir_itself(opened: Opened, tmp_path: Path) -> None:
    write_trial(tmp_path / "logs", {"lr": 0.1}, {"acc": 0.5})
    provider = opened()
    assert (runs_of(provider), scalar_points(provider, ".", "acc")) == ({"."}, [(1, 0.5)])


@pytest.mark.parametrize(
    "reason", ["steps", "no hyperparameters", "text", "another run below", "no run above", "its name"]
)
def test_other_directories_are_runs(opened: Opened, tmp_path: Path, reason: str) -> None:
    logs, name = tmp_path / "logs", "s" if reason == "its name" else "1.5"
    if reason != "no run above":
        with EventWriter(logs / "a") as writer:
            writer.scalar("loss", 0, 0.5)
    if reason != "no hyperparameters":
        write_run(logs / "a" / name, {"lr": 0.1}, {"acc": 0.5})
    if reason == "another run below":
        write_run(logs / "a" / name / "b", {"lr": 0.1}, {"acc": 0.5})
    with EventWriter(logs / "a" / name) as writer:
        if reason in ("steps", "no hyperparameters"):
            writer.scalar("acc", 2, 0.75)
        if reason == "text":
            writer.text("note", 1, "seen")
    for _ in range(2):
        with closing(opened()) as provider:
            assert f"a/{name}" in runs_of(provider)
            assert "acc" not in tags_of(provider, "a")
            points = scalar_points(provider, f"a/{name}", "acc")
            assert points == {
                "steps": [(1, 0.5), (2, 0.75)],
                "no hyperparameters": [(2, 0.75)],
            }.get(reason, [(1, 0.5)])


def test_several_trials_of_one_writer_stay_apart(opened: Opened, tmp_path: Path) -> None:
    """As in the example of torch's documentation: nothing else says with which values each was made."""
    EventWriter(tmp_path / "logs/a").close()
    for trial in range(5):
        write_run(tmp_path / f"logs/a/17000000{trial}.5", {"lr": 0.1 * trial}, {"acc": 0.5})
    for _ in range(2):
        with closing(opened()) as provider:
            assert runs_of(provider) == {f"a/17000000{trial}.5" for trial in range(5)}


def test_sessions_of_a_run_that_was_trained_are_one_run(opened: Opened, tmp_path: Path) -> None:
    for session in range(3):
        results = {"acc": session / 4, f"only{session}": 1.0}
        write_trial(tmp_path / "logs/a", {"session": session}, results, start_time=T + 10 * session)
    for _ in range(2):
        with closing(opened()) as provider:
            assert runs_of(provider) == {"a"}
            assert scalar_points(provider, "a", "acc") == [(1, 0.0), (1, 0.25), (1, 0.5)]
            assert tags_of(provider, "a") >= {"only0", "only1", "only2"}
            [info] = provider.series("lineage", runs=["a"], tags=[START])
            assert info.content.endswith(wire.message_field(2, b"\x11" + b"\0" * 7 + b"@"))  # session 2.0


def test_a_result_with_the_tag_of_a_curve_hides_none_of_it(opened: Opened, tmp_path: Path) -> None:
    write_trial(tmp_path / "logs/a", {"lr": 0.1}, {"loss": 0.25}, steps=4)
    provider = opened()
    found = provider.scalars("scalar", [SeriesKey("a", "loss")])[SeriesKey("a", "loss")]
    assert (found.steps.tolist(), found.hidden) == ([0, 1, 1, 2, 3], 0)
    [info] = provider.series("scalar", runs=["a"])
    assert (info.last_step, info.last_value) == (3, 0.25)


def test_a_directory_that_turns_out_to_be_a_run_becomes_one(opened: Opened, tmp_path: Path) -> None:
    """While it is followed, and without losing a point of either."""
    write_trial(tmp_path / "logs/a", {"lr": 0.1}, {"acc": 0.5}, name="1.5")
    provider = opened(follows=True, loads=False)
    provider.start()
    eventually(lambda: tags_of(provider, "a") >= {"acc", "loss"})
    assert runs_of(provider) == {"a"}
    [path] = (tmp_path / "logs/a/1.5").iterdir()
    with EventWriter(path, append=True) as writer:
        writer.scalar("acc", 2, 0.75)
    eventually(lambda: scalar_points(provider, "a/1.5", "acc") == [(1, 0.5), (2, 0.75)])
    assert tags_of(provider, "a") == {"loss"}
    assert START in tags_of(provider, "a/1.5")
    with EventWriter(path, append=True) as writer:
        writer.scalar("acc", 3, 1.0)
    eventually(lambda: scalar_points(provider, "a/1.5", "acc")[2:] == [(3, 1.0)])


def test_trials_that_come_while_the_logs_are_followed(opened: Opened, tmp_path: Path) -> None:
    EventWriter(tmp_path / "logs/a").close()
    provider = opened(follows=True, loads=False)
    provider.start()
    write_run(tmp_path / "logs/a/1.5", {"lr": 0.1}, {"acc": 0.5})
    eventually(lambda: scalar_points(provider, "a", "acc") == [(1, 0.5)])
    write_run(tmp_path / "logs/a/2.5", {"lr": 0.2}, {"acc": 0.75})
    eventually(lambda: runs_of(provider) == {"a/1.5", "a/2.5"})
    eventually(lambda: scalar_points(provider, "a/1.5", "acc") == [(1, 0.5)])
    with EventWriter(tmp_path / "logs/a", start_time=T + 9) as writer:
        writer.scalar("loss", 0, 0.5)
    provider.load()
    assert (runs_of(provider), len(scalar_points(provider, "a", "acc"))) == ({"a"}, 2)


def test_damage_and_files_are_those_of_the_run(opened: Opened, tmp_path: Path) -> None:
    child = write_trial(tmp_path / "logs/a", {"lr": 0.1}, {"acc": 0.5})
    [path] = child.iterdir()
    path.write_bytes(path.read_bytes() + b"\1" * 40)
    provider = opened()
    [damage] = provider.damage()
    assert (damage.run, damage.file) == ("a", f"a/{child.name}/{path.name}")
    files = provider.run_files()
    assert {(file.run, file.directory) for file in files} == {("a", str(tmp_path / "logs/a"))}
    assert str(path) in {file.path for file in files}


def test_files_of_equal_names_are_not_mixed_up(opened: Opened, tmp_path: Path) -> None:
    """Names of tensorboardX have no counter: those of one second are the same in both directories."""
    name = "events.out.tfevents.1700000000.host"
    with EventWriter(tmp_path / "logs/a" / name) as writer:
        writer.scalar("loss", 0, 0.5)
    with EventWriter(tmp_path / "logs/b") as writer:
        writer.scalar("loss", 0, 0.5)
    write_run(tmp_path / "logs/a/1.5" / name, {"lr": 0.1}, {"acc": 0.5})
    provider = opened()
    assert tags_of(provider, "a") >= {"loss", "acc", START}
    assert runs_of(provider) == {"a", "b"}
