"""A session that begins (SessionLog.START, ``purge_step``) purges what the run recorded from its step on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import insight_image
import insight_scalar
import numpy as np
import pytest

from insight_core.formats.columns import Columns
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, EventField, NotFound
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store import sessions
from insight_core.store.sessions import FileSessions, RunSessions
from tests.opened_logs import STORED, opened_as
from tests.oracles.implementations import BOTH, scan_with

T = 1_700_000_000


@contextmanager
def provider_of(logs: Path, cache: Path | None = None) -> Iterator[LocalProvider]:
    plugins = [module.insight_plugin() for module in (insight_scalar, insight_image)]
    provider = LocalProvider([Logdir(str(logs))], plugins, reload_interval=0, cache_directory=cache)
    provider.load()
    yield provider
    provider.close()


def shown(provider: LocalProvider, run: str, tag: str) -> tuple[list[int], int, int]:
    """The steps, and how many points are hidden and purged."""
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])[key]
    return found.steps.tolist(), found.hidden, found.purged


def first_session(directory: Path, tags: tuple[str, ...] = ("loss", "rare", "gone")) -> None:
    with EventWriter(directory, start_time=T) as writer:
        for step in range(0, 101, 10):
            for tag in tags:
                writer.scalar(tag, step, step)
            writer.image("picture", step, str(step).encode(), 1, 1)


def second_session(directory: Path, purge: int = 50) -> None:
    with EventWriter(directory, start_time=T + 100) as writer:
        writer.session_start(purge)
        for step in range(75, 200, 25):
            writer.scalar("loss", step, 1000 + step)
        writer.scalar("rare", 150, 1150)


@pytest.mark.parametrize("implementation", BOTH)
def test_every_tag_of_the_run_loses_what_was_recorded_from_the_step_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, implementation: str
) -> None:
    """The same steps as TensorBoard's Python loader (tests/conformance/test_session_purges.py)."""
    scan_with(implementation, monkeypatch)
    first_session(tmp_path / "a")
    second_session(tmp_path / "a")
    with provider_of(tmp_path) as provider:
        assert shown(provider, "a", "loss") == ([0, 10, 20, 30, 40, 75, 100, 125, 150, 175], 6, 6)
        assert shown(provider, "a", "rare") == ([0, 10, 20, 30, 40, 150], 6, 6)
        assert shown(provider, "a", "gone") == ([0, 10, 20, 30, 40], 6, 6)
        pictures = provider.records("image", SeriesKey("a", "picture"))
        assert (pictures.steps.tolist(), pictures.hidden, pictures.purged) == ([0, 10, 20, 30, 40], 6, 6)
        assert provider.payload("image", SeriesKey("a", "picture"), 4).data
        with pytest.raises(NotFound):
            provider.payload("image", SeriesKey("a", "picture"), 5)
        infos = {info.key.tag: info for info in provider.series("scalar")}
        assert {tag: (each.last_step, each.attempts) for tag, each in infos.items()} == {
            "loss": (175, 2), "rare": (150, 2), "gone": (40, 2)
        }  # fmt: skip
        key = SeriesKey("a", "loss")
        every = provider.scalars("scalar", [key], ScalarQuery(attempts="all"))[key]
        assert every.steps.tolist() == [*range(0, 101, 10), *range(75, 200, 25)]
        assert (every.hidden, every.purged, every.restarts.tolist()) == (0, 0, [50])


def test_runs_of_add_scalars_are_a_part_of_the_run_above(tmp_path: Path) -> None:
    """``add_scalars`` writes them into directories of their own, without a record of the session."""
    first_session(tmp_path / "a" / "both_x_u", ("both/x",))
    first_session(tmp_path / "a" / "validation")
    first_session(tmp_path / "a")
    second_session(tmp_path / "a")
    with provider_of(tmp_path) as provider:
        key = SeriesKey("a/both_x_u", "both/x")
        found = provider.scalars("scalar", [key])[key]
        assert found.steps[-1] == 100  # it has another tag: a run for itself
        assert shown(provider, "a/validation", "loss")[2] == 0
    (tmp_path / "b" / "both_x_u").mkdir(parents=True)
    with EventWriter(tmp_path / "b" / "both_x_u", start_time=T) as writer:
        for step in range(0, 101, 10):
            writer.scalar("both/x", step, step)
    second_session(tmp_path / "b")
    with EventWriter(tmp_path / "b" / "both_x_u", start_time=T + 101) as writer:
        writer.scalar("both/x", 80, 0.0)
    for cache in (None, tmp_path / "cache", tmp_path / "cache"):
        with provider_of(tmp_path, cache) as provider:
            assert shown(provider, "b/both_x_u", "both/x") == ([0, 10, 20, 30, 40, 80], 6, 6)


def test_a_series_may_be_purged_whole(tmp_path: Path) -> None:
    first_session(tmp_path)
    second_session(tmp_path, purge=0)
    with provider_of(tmp_path) as provider:
        assert shown(provider, ".", "gone") == ([], 11, 11)
        [info] = provider.series("scalar", tags=["gone"])
        assert (info.points, info.kept, info.attempts) == (11, 11, 2)
        for query in (ScalarQuery(width=3), ScalarQuery(smoothing=0.5), ScalarQuery(x="relative", nearest=1)):
            assert not len(provider.scalars("scalar", [info.key], query)[info.key].steps)


def test_sessions_within_a_file_that_grows(tmp_path: Path) -> None:
    """A session begins between two reads of the file, and again."""
    with provider_of(tmp_path) as provider, EventWriter(tmp_path, start_time=T) as writer:
        for begin, purged in ((None, 0), (5, 5), (2, 13), (12, 13)):
            if begin is not None:
                writer.session_start(begin)
                writer.flush()
                provider.load()
                assert shown(provider, ".", "loss")[2] == purged
            for step in range(begin or 0, 10 if begin != 12 else 14):
                writer.scalar("loss", step, begin or 0)
            writer.flush()
            provider.load()
        steps, hidden, purged = shown(provider, ".", "loss")
        assert steps == [*range(10), 12, 13]
        assert (hidden, purged) == (13, 13)
        assert provider.changes(0, timeout=0).gone


@pytest.mark.parametrize("late", ["purging", "purged"])
def test_a_file_that_is_found_late_has_its_place(tmp_path: Path, late: str) -> None:
    with provider_of(tmp_path) as provider:
        for is_late in (False, True):
            if (late == "purging") == is_late:
                second_session(tmp_path)
            else:
                first_session(tmp_path)
            provider.load()
        assert shown(provider, ".", "gone") == ([0, 10, 20, 30, 40], 6, 6)
        for path in tmp_path.glob(f"*{T + 100}*"):
            path.unlink()
        provider.load()
        assert shown(provider, ".", "gone") == ([*range(0, 101, 10)], 0, 0)


def test_what_an_earlier_process_read_is_purged_as_before(tmp_path: Path) -> None:
    logs, cache = tmp_path / "logs", tmp_path / "cache"
    first_session(logs / "a")
    with EventWriter(logs / "within", start_time=T) as writer:
        for begin in (0, 3):
            writer.session_start(begin)
            for step in range(begin, 5):
                writer.scalar("loss", step, begin)
    with provider_of(logs, cache) as provider:
        assert shown(provider, "within", "loss") == ([0, 1, 2, 3, 4], 2, 2)
    second_session(logs / "a")
    for _ in range(3):
        with provider_of(logs, cache) as provider:
            assert shown(provider, "a", "gone") == ([0, 10, 20, 30, 40], 6, 6)
            assert shown(provider, "within", "loss") == ([0, 1, 2, 3, 4], 2, 2)
    with EventWriter(next((logs / "within").iterdir()), start_time=T, append=True) as writer:
        writer.session_start(1)
    with provider_of(logs, cache) as provider:
        assert shown(provider, "within", "loss") == ([0], 6, 6)


def test_other_logs_of_the_run_are_not_purged() -> None:
    """The points of a metrics.csv come before all event files, and its writer knows no sessions."""
    event_file = (float(T), "a")
    started = FileSessions()
    started.begin(0)
    of_run = RunSessions.of([(event_file, started, {})])
    columns = Columns(np.arange(3), np.zeros(3))
    claim = EventField(Dialect.TENSORBOARD, "simple_value")
    for order, purged in ((-1.0, 0), (1.0, 3)):
        attempts = of_run.attempts(columns, [((order, "metrics"), 0)], [3], claim)
        assert attempts.purged == purged


def test_a_usual_start_hides_nothing(tmp_path: Path) -> None:
    """TensorFlow's sessions record their start at the step at which they go on."""
    for begin in (0, 10):
        with EventWriter(tmp_path, start_time=T + begin) as writer:
            writer.session_start(begin)
            for step in range(begin, begin + 10):
                writer.scalar("loss", step, step)
    with provider_of(tmp_path) as provider:
        assert shown(provider, ".", "loss") == ([*range(20)], 0, 0)
        [info] = provider.series("scalar")
        assert info.attempts == 1


def test_a_run_at_rest_is_purged_by_a_file_that_comes(tmp_path: Path) -> None:
    """The points of the first file are in the index only, and nobody asked for them."""
    logs, cache = tmp_path / "logs", tmp_path / "cache"
    first_session(logs)
    with provider_of(logs, cache):
        pass
    with provider_of(logs, cache) as provider:
        second_session(logs)
        provider.load()
        assert shown(provider, ".", "gone") == ([0, 10, 20, 30, 40], 6, 6)


@pytest.mark.parametrize("kind", STORED)
def test_every_reader_leaves_purged_points_out(tmp_path: Path, kind: str) -> None:
    first_session(tmp_path / "a")
    second_session(tmp_path / "a")
    with opened_as(kind, tmp_path) as logs:
        steps = logs.scalars(tags="gone")["step"].tolist()
        assert steps == [0, 10, 20, 30, 40]
        assert len(logs.scalars(tags="gone", attempts="all")["step"]) == 11
        key = SeriesKey("a", "gone")
        [found] = logs.provider.scalars("scalar", [key], ScalarQuery()).values()
        assert (found.hidden, found.purged, found.restarts.tolist()) == (6, 6, [50])
        table = logs.provider.records("image", SeriesKey("a", "picture"))
        assert (table.hidden, table.purged) == (6, 6)


def test_a_session_costs_no_more_where_there_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the other sessions of the run are read again for each, nor the other runs."""
    looked = Counter[str]()
    of, above = RunSessions.of, sessions.run_above
    monkeypatch.setattr(RunSessions, "of", lambda files: looked.update(["files"]) or of(files))
    monkeypatch.setattr(sessions, "run_above", lambda run: looked.update(["runs"]) or above(run))
    for number in range(40):
        with EventWriter(tmp_path / f"run{number % 20}", start_time=T + number) as writer:
            for step in range(10):
                writer.session_start(step)
                writer.scalar("loss", step, step)
    with provider_of(tmp_path) as provider:
        assert shown(provider, "run7", "loss") == ([*range(10)], 10, 10)
    assert looked["files"] <= 40
    assert looked["runs"] <= 100
