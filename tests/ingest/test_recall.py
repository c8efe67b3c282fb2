"""What a start shows before it has walked the logdirs: the index, and nothing that was not compared."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import insight_image
import insight_lineage
import insight_scalar
import pytest

from insight_authoring.testing import wire
from insight_core.ingest import loader
from insight_core.ingest.discover import discover
from insight_core.ingest.found import Found
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, Plugin
from insight_core.plugin.data import SeriesField, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store.indexed_runs import IndexedRuns
from tests.ingest.part_changes import CHANGES, append, facts, write_trials
from tests.support.points import scalar_points
from tests.support.sweeps import T, write_trial
from tests.waiting import eventually

PLUGINS = [each.insight_plugin() for each in (insight_scalar, insight_image, insight_lineage)]
Point: TypeAlias = tuple[int, float]
# a provider that has not walked yet, and what lets it walk and returns when it has read everything
Start: TypeAlias = Callable[..., AbstractContextManager[tuple[LocalProvider, Callable[[], None]]]]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for run, value in (("a", 1.0), ("b/c", 2.0), (".", 3.0)):
        write(tmp_path / "logs" / run, value)
    with closing(provider_of(tmp_path, [Logdir(str(tmp_path / "logs"))])) as provider:
        provider.load()
    return tmp_path / "logs"


def write(run: Path, value: float, count: int = 3, *, name: str | None = None) -> Path:
    with EventWriter(run if name is None else run / name, start_time=value) as writer:
        for step in range(count):
            writer.scalar("loss", step, value)
        writer.image("picture", 0, b"an image", 4, 4)
        return writer.path


def provider_of(tmp_path: Path, logdirs: list[Logdir], plugins: list[Plugin] | None = None) -> LocalProvider:
    return LocalProvider(logdirs, plugins or PLUGINS, reload_interval=0, cache_directory=tmp_path / "cache")


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    @contextmanager
    def start_(*logdirs: Logdir) -> Iterator[tuple[LocalProvider, Callable[[], None]]]:
        may_walk, walks = threading.Event(), threading.Event()

        def waiting(*given: Any, **options: Any) -> Found:  # noqa: ANN401
            walks.set()
            may_walk.wait()
            return discover(*given, **options)

        monkeypatch.setattr(loader, "discover", waiting)
        provider = provider_of(tmp_path, list(logdirs) or [Logdir(str(tmp_path / "logs"))])

        def walk() -> None:
            may_walk.set()
            eventually(lambda: provider.progress().loaded_once)

        with closing(provider):
            provider.start()
            assert walks.wait(60)
            try:
                yield provider, walk
            finally:
                may_walk.set()

    return start_


def listed(provider: LocalProvider) -> dict[str, tuple[str, ...]]:
    """The tags of each run, as the catalogue lists them."""
    return {table.run: table.tags for table in provider.series_tables("scalar", ("attempts", "claims"))}


def points(provider: LocalProvider, run: str) -> list[Point]:
    key = SeriesKey(run, "loss")
    return scalar_points(provider, run) if key in provider.scalars("scalar", [key]) else []


def constant(value: float, count: int = 3) -> list[Point]:
    return [(step, value) for step in range(count)]


def test_all_series_are_listed_and_answered_before_the_walk_and_count_as_loading(
    logdir: Path, start: Start
) -> None:
    with start() as (provider, walk):
        assert listed(provider) == dict.fromkeys(["a", "b/c", "."], ("loss",))
        assert points(provider, "b/c") == constant(2.0)
        assert len(provider.payload("image", SeriesKey("a", "picture"), 0).data) > 0
        runs = provider.runs()
        assert {(run.name, run.start_time, run.loading) for run in runs} == {
            ("a", 1.0, True), ("b/c", 2.0, True), (".", 3.0, True),
        }  # fmt: skip
        assert {run.dialects for run in runs} == {(Dialect.TENSORBOARD,)}
        assert set(provider.plugins()) == {"scalar", "image"}
        assert not provider.progress().loaded_once
        before = provider.generation()
        walk()
        assert not any(run.loading for run in provider.runs())
        changes = provider.changes(before)
        assert changes.runs
        assert not changes.series
        assert changes.series is not None  # nothing is asked for again because the files were compared
        assert points(provider, "a") == constant(1.0)


@pytest.mark.parametrize("asked_before", [True, False])
def test_a_file_that_was_replaced_is_never_answered_from_the_index(
    logdir: Path, start: Start, asked_before: bool
) -> None:
    [path] = (logdir / "a").iterdir()
    write(logdir, 9.0, 5, name="other")
    os.replace(next((logdir / "other").iterdir()), path)
    with start() as (provider, walk):
        before = provider.generation()
        if asked_before:
            assert points(provider, "a") == []
            assert not provider.series("scalar", runs=["a"])
            assert set(listed(provider)) == {"b/c", "."}
        walk()
        assert points(provider, "a") == constant(9.0, 5)
        changes = provider.changes(before)
        assert changes.series is not None
        assert SeriesKey("a", "loss") in changes.series["scalar"]


@pytest.mark.parametrize("asked_before", [True, False])
def test_a_file_that_has_grown_is_read_on_from_its_old_end(
    logdir: Path, start: Start, asked_before: bool
) -> None:
    [path] = (logdir / "a").iterdir()
    with EventWriter(path, append=True) as writer:
        writer.scalar("loss", 3, 1.0)
    with start() as (provider, walk):
        if asked_before:
            assert points(provider, "a") == []
        walk()
        assert points(provider, "a") == constant(1.0, 4)


@pytest.mark.parametrize("asked_before", [True, False])
def test_what_was_deleted_is_not_answered_and_goes_with_the_walk(
    logdir: Path, start: Start, asked_before: bool
) -> None:
    shutil.rmtree(logdir / "a")
    [path] = (logdir / "b/c").iterdir()
    path.unlink()
    with start() as (provider, walk):
        before = provider.generation()
        if asked_before:
            assert points(provider, "a") == points(provider, "b/c") == []
        walk()
        assert listed(provider) == {".": ("loss",)}
        assert [run.name for run in provider.runs()] == ["."]
        changes = provider.changes(before)
        assert changes.gone
        assert changes.runs


def test_facts_that_depend_on_points_are_of_compared_files_alone(logdir: Path, start: Start) -> None:
    [path] = (logdir / "a").iterdir()
    with EventWriter(path, append=True) as writer:
        writer.scalar("loss", 3, 7.0)
    with start() as (provider, walk):
        fields: tuple[SeriesField, ...] = ("last_value",)
        tables = provider.series_tables("scalar", fields)
        assert {table.run: list(table.column("last_value")) for table in tables} == {"b/c": [2.0], ".": [3.0]}
        walk()
        tables = provider.series_tables("scalar", fields, runs=["a"])
        assert [list(table.column("last_value")) for table in tables] == [[7.0]]


def test_a_run_with_an_earlier_file_than_the_recalled_one_is_read_in_order(
    logdir: Path, start: Start
) -> None:
    write(logdir / "a", 0.5, 2, name="events.out.tfevents.0000000000.early")
    with start() as (provider, walk):
        assert points(provider, "a") == constant(1.0)
        walk()
        infos = provider.series("scalar", runs=["a"])
        assert [(info.points, info.last_value) for info in infos] == [(5, 1.0)]


def test_a_recalled_file_has_its_payloads_when_another_one_of_the_same_second_came(
    logdir: Path, start: Start
) -> None:
    """Then the times of their records decide their order."""
    [path] = (logdir / "a").iterdir()
    with EventWriter(Path(f"{path}.twin"), start_time=1.5) as writer:
        writer.scalar("other", 0, 0.5)
    with start() as (provider, walk):
        walk()
        assert len(provider.payload("image", SeriesKey("a", "picture"), 0).data) > 0


def test_a_damaged_file_is_not_recalled(logdir: Path, tmp_path: Path, start: Start) -> None:
    path = write(logdir / "damaged", 4.0)
    with open(path, "ab") as file:
        file.write(b"no record, and more than twelve bytes of it")
    with closing(provider_of(tmp_path, [Logdir(str(logdir))])) as provider:
        provider.load()
    with start() as (provider, walk):
        assert "damaged" not in listed(provider)
        walk()
        assert points(provider, "damaged") == constant(4.0)
        assert [damage.run for damage in provider.damage()] == ["damaged"]


def test_runs_are_recalled_under_the_names_that_the_walk_gives_them(
    logdir: Path, tmp_path: Path, start: Start
) -> None:
    below = [Logdir(str(logdir)), Logdir(str(logdir / "b"), "inner")]
    with start(*below) as (provider, walk):
        before = set(listed(provider))
        walk()
        assert before == set(listed(provider)) == {"logs/a", "logs/b/c", "logs", "inner/c"}


def test_files_of_other_dialects_are_not_recalled(logdir: Path, start: Start) -> None:
    with start(Logdir(str(logdir), dialects=frozenset([Dialect.MINDSPORE]))) as (provider, walk):
        assert not provider.runs()
        walk()
        assert not listed(provider)


def test_points_that_are_damaged_in_the_index_are_read_again(
    logdir: Path, tmp_path: Path, start: Start
) -> None:
    for place in (tmp_path / "cache").rglob("*.segment"):
        whole = bytearray(place.read_bytes())
        whole[-100:] = bytes(100)
        place.write_bytes(whole)
    with start() as (provider, walk), ThreadPoolExecutor(1) as pool:
        asked = pool.submit(lambda: [points(provider, run) for run in ("a", "b/c", ".")])
        walk()  # the request waits for it
        assert asked.result() == [constant(1.0), constant(2.0), constant(3.0)]


def test_a_plugin_that_comes_before_the_walk_gets_its_values(
    logdir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Start
) -> None:
    monkeypatch.setattr("tests.ingest.test_recall.PLUGINS", PLUGINS[:1])
    with start() as (provider, walk):
        provider.admit(insight_image.insight_plugin())
        assert {info.key for info in provider.series("image")} == {
            SeriesKey(run, "picture") for run in ("a", "b/c", ".")
        }
        assert len(provider.payload("image", SeriesKey(".", "picture"), 0).data) > 0
        walk()
        assert len(provider.payload("image", SeriesKey(".", "picture"), 0).data) > 0


def test_a_recalled_result_hides_nothing_of_a_curve_that_arrives_late(tmp_path: Path, start: Start) -> None:
    logs = tmp_path / "logs"
    with EventWriter(logs / "a", start_time=9.0) as writer:
        session = wire.tensor_value(
            "_hparams_/session_start_info", wire.text_tensor([b""]), wire.metadata("hparams")
        )
        writer.values(0, [session, wire.scalar_value("loss", 0.25)])
    with closing(provider_of(tmp_path, [Logdir(str(logs))])) as provider:
        provider.load()
    with start() as (provider, walk):
        walk()
        assert listed(provider) == {"a": ("loss",)}
        write(logs / "a", 2.0)
        provider.load()
        found = provider.scalars("scalar", [SeriesKey("a", "loss")])[SeriesKey("a", "loss")]
        assert (found.steps.tolist(), found.hidden) == ([0, 0, 1, 2], 0)


def test_trials_of_add_hparams_are_listed_as_one_run_each(tmp_path: Path, start: Start) -> None:
    logs = tmp_path / "logs"
    for trial in range(3):
        write_trial(logs / f"trial{trial}", {"lr": 0.1}, {"acc": 0.5})
    write_trial(logs / "real", {"lr": 0.1}, {"acc": 0.5}, name="1.5")
    with EventWriter(logs / "real/1.5", start_time=T + 9) as writer:
        writer.scalar("acc", 2, 0.75)
    with closing(provider_of(tmp_path, [Logdir(str(logs))])) as provider:
        provider.load()
    expected = {"trial0", "trial1", "trial2", "real", "real/1.5"}
    with start() as (provider, walk):
        assert {run.name for run in provider.runs()} == expected
        walk()
        assert {run.name for run in provider.runs()} == expected
        assert scalar_points(provider, "trial1", "acc") == [(1, 0.5)]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("asked_before", [True, False])
def test_runs_with_parts_are_answered_as_by_a_start_without_an_index(
    tmp_path: Path, start: Start, change: str, asked_before: bool
) -> None:
    logs = tmp_path / "logs"
    write_trials(logs)
    with closing(provider_of(tmp_path, [Logdir(str(logs))])) as provider:
        provider.load()
    run = logs / "trial1"
    CHANGES[change](run, next(run.glob("*/events*")))
    with closing(provider_of(tmp_path / "none", [Logdir(str(logs))])) as provider:
        provider.load()
        expected = facts(provider)
    with start() as (provider, walk):
        if change == "nothing":
            assert listed(provider)["trial2"] == ("loss", "acc")
            assert {info.key.run for info in provider.series("lineage")} >= {"trial0", "trial2", "empty"}
        if asked_before:
            provider.series("scalar")
        walk()
        assert facts(provider) == expected


@pytest.mark.parametrize("step", [1, 2])
def test_a_recalled_part_that_grows_while_it_is_followed_is_decided_with_what_it_had(
    tmp_path: Path, start: Start, step: int
) -> None:
    logs = tmp_path / "logs"
    part = write_trial(logs / "a", {"lr": 0.1}, {"acc": 0.5})
    with closing(provider_of(tmp_path, [Logdir(str(logs))])) as provider:
        provider.load()
    with start() as (provider, walk):
        walk()
        append(next(part.iterdir()), step, 0.75)
        provider.load()
        run = "a" if step == 1 else f"a/{part.name}"
        assert scalar_points(provider, run, "acc") == [(1, 0.5), (step, 0.75)]


def test_runs_with_parts_stay_in_the_index_until_points_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: Start
) -> None:
    logs = tmp_path / "logs"
    for trial in range(3):
        write_trial(logs / f"trial{trial}", {"lr": 0.1}, {"acc": trial / 4})
    with closing(provider_of(tmp_path, [Logdir(str(logs))])) as provider:
        provider.load()
    made: list[str] = []
    make = IndexedRuns._make_table

    def noting(self: IndexedRuns, run: str, files: Any) -> Any:  # noqa: ANN401
        made.append(run)
        return make(self, run, files)

    monkeypatch.setattr(IndexedRuns, "_make_table", noting)
    with start() as (provider, walk):
        walk()
        assert listed(provider) == {f"trial{trial}": ("loss", "acc") for trial in range(3)}
        assert not made
        assert scalar_points(provider, "trial1", "acc") == [(1, 0.25)]
        assert made == ["trial1"]
