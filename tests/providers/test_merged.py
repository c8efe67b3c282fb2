"""Several providers as one, and the log of changes that clients keep."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from insight_core.change_log import ChangeLog
from insight_core.plugin import Dialect, EventField, NotFound, Plugin, Unavailable
from insight_core.plugin.data import Damage, Progress, Run, SeriesField, SeriesKey, SeriesTable
from insight_core.plugin.data.tables import tables_of
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.merged import MergedProvider
from tests.waiting import FOR_EVER, eventually

ASKED = {"plugins", "runs", "series", "series_tables", "scalars", "damage", "progress", "location"}
IMAGE = EventField(Dialect.TENSORBOARD, "image")


class Part(FakeProvider):
    """A fake that can be started, and be away."""

    away = False

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self.admitted: list[str] = []

    def start(self) -> None:
        """Nothing happens by itself."""

    def admit(self, plugin: Plugin) -> None:
        self.admitted.append(plugin.name)

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401
        if name in ASKED and super().__getattribute__("away"):
            raise Unavailable("this part is away")
        return super().__getattribute__(name)


@pytest.fixture
def parts() -> tuple[Part, Part]:
    return Part("one"), Part("two")


@pytest.fixture
def merged(parts: tuple[Part, Part]) -> Iterator[MergedProvider]:
    provider = MergedProvider(parts)
    yield provider
    provider.close()


def test_what_the_parts_have_stands_side_by_side(parts: tuple[Part, Part], merged: MergedProvider) -> None:
    one, two = parts
    one.add_scalars("late", "loss", [1.0, 2.0], wall_times=[200.0, 201.0])
    two.add_scalars("early", "loss", [3.0], wall_times=[100.0])
    two.add_records("image", "early", "img", [b"x"], claim=IMAGE)
    two.add_records("image", "early", "repeated", [b"abc", b"def", b"ghi"], claim=IMAGE, steps=[1, 0, 1])
    two.add_damage(Damage("early", "f", 3, "bad"))
    one.set_progress(Progress(1, 2, loaded_once=True))
    two.set_progress(Progress(10, 20, loaded_once=False))
    assert [run.name for run in merged.runs()] == ["early", "late"]
    assert merged.plugins() == {"scalar", "image"}
    assert {info.key.run for info in merged.series("scalar")} == {"early", "late"}
    assert [info.key.run for info in merged.series("scalar", runs=["late"])] == ["late"]
    keys = [SeriesKey("early", "loss"), SeriesKey("none", "loss"), SeriesKey("late", "loss")]
    assert {key.run: c.values.tolist() for key, c in merged.scalars("scalar", keys).items()} == {
        "early": [3.0],
        "late": [1.0, 2.0],
    }
    assert len(merged.records("image", SeriesKey("early", "img")).steps) == 1
    assert merged.payload("image", SeriesKey("early", "img"), 0).data == b"x"
    assert merged.records("image", SeriesKey("early", "repeated")).hidden == 1
    assert merged.records("image", SeriesKey("early", "repeated"), "all").hidden == 0
    assert merged.payload("image", SeriesKey("early", "repeated"), 1, "all", limit=2).data == b"de"
    with pytest.raises(NotFound):
        merged.payload("image", SeriesKey("early", "img"), 1)
    with pytest.raises(NotFound):
        merged.records("image", SeriesKey("late", "img"))
    assert [entry.reason for entry in merged.damage()] == ["bad"]
    assert merged.progress() == Progress(11, 22, loaded_once=False)
    assert merged.location() == "one,two"


def test_a_series_of_two_parts_is_that_of_the_first_and_damage_says_so(
    parts: tuple[Part, Part], merged: MergedProvider
) -> None:
    one, two = parts
    one.add_run(Run("r", (Dialect.TENSORBOARD,), 5.0))
    two.add_run(Run("r", (Dialect.MINDSPORE,), 4.0, loading=True))
    one.add_scalars("r", "loss", [1.0])
    two.add_scalars("r", "loss", [2.0])
    two.add_scalars("r", "other", [3.0])
    [run] = merged.runs()
    assert run.dialects == (Dialect.MINDSPORE, Dialect.TENSORBOARD)
    assert (run.start_time, run.loading, run.damage) == (4.0, True, 1)
    assert {info.key.tag for info in merged.series("scalar")} == {"loss", "other"}
    key = SeriesKey("r", "loss")
    assert merged.scalars("scalar", [key])[key].values.tolist() == [1.0]
    [damage] = merged.damage("r")
    assert (damage.run, "'loss'" in damage.reason) == ("r", True)
    assert merged.damage("other") == []


def test_tables_are_those_of_the_parts_which_are_asked_for_nothing_more(
    parts: tuple[Part, Part], merged: MergedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = parts
    one.add_scalars("r", "loss", [1.0])
    one.add_scalars("late", "loss", [1.0, 2.0])
    two.add_scalars("r", "loss", [2.0, 3.0])
    two.add_scalars("r", "other", [3.0])
    asked = []

    def noted(
        self: FakeProvider, plugin: str, fields: Sequence[SeriesField], **which: object
    ) -> list[SeriesTable]:
        asked.append((fields, which))
        return tables_of(FakeProvider.series(self, plugin), fields)

    monkeypatch.setattr(Part, "series_tables", noted)
    tables = {
        table.run: table for table in merged.series_tables("scalar", ["points"], tags=["loss", "other"])
    }
    assert asked == [(["points"], {"runs": None, "tags": ["loss", "other"]})] * 2
    assert {
        run: dict(zip(table.tags, table.column("points"), strict=True)) for run, table in tables.items()
    } == {
        "r": {"loss": 1, "other": 1},
        "late": {"loss": 2},
    }


def test_changes_of_every_part_are_one_sequence(parts: tuple[Part, Part], merged: MergedProvider) -> None:
    one, two = parts
    one.add_scalars("a", "loss", [1.0])
    two.add_scalars("b", "loss", [1.0])
    merged.start()
    assert merged.changes(merged.generation()).series == {}
    begin = merged.generation()
    one.add_scalars("a", "loss", [2.0])
    eventually(lambda: merged.changes(begin).series == {"scalar": [SeriesKey("a", "loss")]})
    middle = merged.generation()
    two.add_scalars("b", "loss", [2.0])
    eventually(lambda: merged.changes(middle).series == {"scalar": [SeriesKey("b", "loss")]})
    changed = merged.changes(begin).series
    assert changed is not None
    assert set(changed["scalar"]) == {SeriesKey("a", "loss"), SeriesKey("b", "loss")}


def test_a_part_that_is_away_is_not_passed_over(parts: tuple[Part, Part], merged: MergedProvider) -> None:
    parts[0].add_scalars("a", "loss", [1.0])
    parts[1].away = True
    with pytest.raises(Unavailable, match="this part is away"):
        merged.runs()


def test_parts_with_names_are_shown_without_those_that_are_away(parts: tuple[Part, Part]) -> None:
    one, two = parts
    one.add_scalars("a", "loss", [1.0])
    one.add_damage(Damage("a", "f", 3, "bad"))
    two.add_scalars("b", "loss", [2.0])
    two.add_records("image", "b", "img", [b"x"], claim=IMAGE)
    two.set_progress(Progress(10, 20, loaded_once=True))
    provider = MergedProvider(parts, ["grpc://one:1", "grpc://two:2"])
    of_a, of_b = SeriesKey("a", "loss"), SeriesKey("b", "loss")
    assert [run.name for run in provider.runs()] == ["a", "b"]
    assert provider.notices() == []
    one.away = True
    assert [run.name for run in provider.runs()] == ["b"]
    assert [info.key for info in provider.series("scalar")] == [of_b]
    assert [table.run for table in provider.series_tables("scalar", ())] == ["b"]
    assert list(provider.scalars("scalar", [of_a, of_b])) == [of_b]
    assert provider.plugins() == {"image", "scalar"}
    assert provider.damage() == []
    assert provider.progress() == Progress(10, 20, loaded_once=True)
    assert provider.location() == "grpc://one:1,grpc://two:2"
    assert len(provider.records("image", SeriesKey("b", "img")).steps) == 1
    with pytest.raises(Unavailable, match="this part is away"):  # not "unknown": it may have it
        provider.records("image", SeriesKey("a", "img"))
    [notice] = provider.notices()
    assert (notice.code, notice.details["source"]) == ("source_away", "grpc://one:1")
    two.away = True
    with pytest.raises(Unavailable, match="this part is away"):
        provider.runs()
    one.away = two.away = False
    assert [run.name for run in provider.runs()] == ["a", "b"]
    assert provider.notices() == []
    provider.close()


KEY = SeriesKey("r", "t")


def test_the_log_names_what_changed_since() -> None:
    log = ChangeLog()
    log.note(None)
    log.note({"scalar": [KEY]})
    log.note({}, runs=True)
    assert log.generation == 3
    assert log.changes(0, 0).series is None
    assert (log.changes(1, 0).series, log.changes(1, 0).runs) == ({"scalar": [KEY]}, True)
    assert (log.changes(2, 0).series, log.changes(2, 0).runs) == ({}, True)
    assert (log.changes(3, 0).series, log.changes(3, 0).runs) == ({}, False)
    assert log.changes(4, 0).series is None  # a generation that was never given out


def test_the_log_says_anything_when_too_much_changed() -> None:
    log = ChangeLog()
    log.note({"scalar": [SeriesKey("r", str(index)) for index in range(3000)]})
    assert log.changes(0, 0).series is None
    log.note({"scalar": [KEY]})
    assert log.changes(1, 0).series == {"scalar": [KEY]}


def test_waiting_ends_with_a_change_and_with_the_log() -> None:
    log = ChangeLog()
    began = time.monotonic()
    threading.Timer(0.05, lambda: log.note({"scalar": [KEY]})).start()
    assert log.changes(0, FOR_EVER).series == {"scalar": [KEY]}
    threading.Timer(0.05, log.end).start()
    assert log.changes(1, FOR_EVER).series == {}
    assert log.changes(1, FOR_EVER).series == {}  # nobody waits for a log that has ended
    assert time.monotonic() - began < FOR_EVER


def test_every_part_hears_of_a_plugin_that_loads_late(
    merged: MergedProvider, parts: tuple[Part, Part]
) -> None:
    merged.admit(Plugin("notes", "Notes"))
    assert [part.admitted for part in parts] == [["notes"], ["notes"]]
