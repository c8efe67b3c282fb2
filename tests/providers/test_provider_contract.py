"""What every data provider promises, tried on each of them."""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from insight_core.plugin import (
    CachePolicy,
    DataProvider,
    Dialect,
    EventField,
    InsightError,
    InvalidArgument,
    Keep,
    NotFound,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesKey,
)
from insight_core.plugin.testing import EventWriter
from tests.providers.conftest import Open
from tests.waiting import eventually

_NO_MINDSPORE = "the server in Rust cannot read what MindSpore writes"

# Where TensorBoard's service, or the server in Rust behind it, says less than the contract. Each of
# these tests must fail there; docs/architecture.md lists the same for users.
DIFFERENCES = {
    "test_runs_of_both_dialects_stand_in_one_table": _NO_MINDSPORE,
    "test_a_second_file_that_records_step_0_hides_nothing_else": _NO_MINDSPORE,
    "test_tensor_scalars_follow_the_metadata_of_the_first": "numbers are float32; others are left out",
    "test_the_last_attempt_wins_and_all_is_there_to_be_asked_for": "overwritten points are deleted",
    "test_a_cache_policy_says_what_it_kept": "how many points were recorded is not told",
    "test_records_say_how_many_a_cache_policy_kept": "how many values were recorded is not told",
    "test_a_limit_of_tags_is_not_silent": "the number of series is not limited, and damage is not told",
    "test_records_of_all_attempts_are_in_file_order": "overwritten points are deleted",
    "test_payloads_are_as_they_stand_in_the_file": "values arrive in TensorBoard's newest form",
    "test_a_payload_is_verified_when_it_is_read": "payloads are read while loading, and checksums are not",
}
DIFFERENCES_OF_BUCKETS = {
    "test_a_payload_is_verified_when_it_is_read": "what was fetched stays, until a listing tells of another",
}


def only(provider: DataProvider, run: str, tag: str, query: ScalarQuery | None = None) -> ScalarColumns:
    [columns] = provider.scalars("scalar", [SeriesKey(run, tag)], query or ScalarQuery()).values()
    return columns


def test_runs_of_both_dialects_stand_in_one_table(open_provider: Open, tmp_path: Path) -> None:
    for run, dialect in (("torch/a", Dialect.TENSORBOARD), ("ms", Dialect.MINDSPORE)):
        with EventWriter(tmp_path / run, dialect) as writer:
            writer.scalar("loss", 0, 1.5)
    provider = open_provider()
    assert {r.name: r.dialects for r in provider.runs()} == {
        "torch/a": (Dialect.TENSORBOARD,),
        "ms": (Dialect.MINDSPORE,),
    }
    assert {info.key for info in provider.series("scalar")} == {
        SeriesKey("torch/a", "loss"),
        SeriesKey("ms", "loss"),
    }
    assert [info.key.run for info in provider.series("scalar", runs=["ms"])] == ["ms"]
    assert provider.series("scalar", runs=[]) == []
    assert provider.series("nothing") == []


def test_tables_say_by_column_what_series_say(open_provider: Open, tmp_path: Path) -> None:
    for run, tags in (("a", ("loss", "accuracy")), ("b", ("loss",))):
        with EventWriter(tmp_path / run) as writer:
            for step in (3, 5):
                for tag in tags:
                    writer.scalar(tag, step, step / 2)
    provider = open_provider()
    fields: tuple[SeriesField, ...] = get_args(SeriesField)
    found = {
        SeriesKey(table.run, tag): {field: table.column(field)[place] for field in fields}
        for table in provider.series_tables("scalar", fields)
        for place, tag in enumerate(table.tags)
    }
    assert found == {
        info.key: {field: getattr(info, field) for field in fields} for info in provider.series("scalar")
    }
    assert len(found) == 3
    assert [(table.run, table.tags) for table in provider.series_tables("scalar", [], runs=["b", "c"])] == [
        ("b", ("loss",))
    ]
    assert provider.series_tables("nothing", fields) == []
    for named, chosen in (
        (["loss"], [SeriesKey("a", "loss"), SeriesKey("b", "loss")]),
        (["accuracy", "x"], [SeriesKey("a", "accuracy")]),
    ):
        assert sorted(info.key for info in provider.series("scalar", tags=named)) == chosen
        tables = provider.series_tables("scalar", ["last_step"], tags=named)
        assert sorted(SeriesKey(table.run, tag) for table in tables for tag in table.tags) == chosen
        assert [table.column("last_step") for table in tables] == [[5]] * len(tables)
    assert provider.series_tables("scalar", fields, tags=[]) == []
    [table] = provider.series_tables("scalar", (), runs=["a"], tags=["loss"])
    assert (table.run, table.tags) == ("a", ("loss",))


def test_every_point_comes_back_as_written(open_provider: Open, tmp_path: Path) -> None:
    values = [0.1, math.nan, math.inf, -math.inf, 1e-45, -3.4e38]
    with EventWriter(tmp_path / "r") as writer:
        for step, value in enumerate(values):
            writer.scalar("x", step * 10**12, value, wall_time=100.25 + step)
    columns = only(open_provider(), "r", "x")
    np.testing.assert_array_equal(columns.values, np.array(values, np.float32))
    assert columns.steps.tolist() == [step * 10**12 for step in range(6)]
    assert columns.wall_times.tolist() == [100.25 + step for step in range(6)]
    assert columns.nonfinite == (1, 1, 1)
    assert not columns.decimated


def test_tensor_scalars_follow_the_metadata_of_the_first(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(3):
            writer.scalars_tf2(
                "acc", step, step / 10, double=True, display_name="Accuracy", description="of validation"
            )
    provider = open_provider()
    [info] = provider.series("scalar")
    assert (info.display_name, info.description, info.points, info.last_step) == (
        "Accuracy",
        "of validation",
        3,
        2,
    )
    assert only(provider, "r", "acc").values.tolist() == [0.0, 0.1, 0.2]


def test_windows_are_in_units_of_x_and_inclusive(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(100):
            writer.scalar("x", step * 2, step, wall_time=1000.0 + step / 2)
    provider = open_provider()
    assert only(provider, "r", "x", ScalarQuery(window=(10, 14))).steps.tolist() == [10, 12, 14]
    assert only(provider, "r", "x", ScalarQuery(x="relative", window=(1.0, 2.0))).steps.tolist() == [4, 6, 8]
    assert only(provider, "r", "x", ScalarQuery(x="wall", window=(None, 1000.5))).steps.tolist() == [0, 2]
    outside = only(provider, "r", "x", ScalarQuery(window=(1e6, None)))
    assert len(outside.steps) == 0
    assert outside.extent == (0.0, 198.0)
    with pytest.raises(InvalidArgument):
        only(provider, "r", "x", ScalarQuery(window=(3, 2)))


def test_width_decimates_and_says_for_how_many_points_it_stands(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(5000):
            writer.scalar("x", step, 99.0 if step == 1234 else math.sin(step))
    columns = only(open_provider(), "r", "x", ScalarQuery(width=50))
    assert columns.decimated
    assert columns.points == 5000
    assert len(columns.steps) <= 200
    assert 1234 in columns.steps
    assert columns.steps[0] == 0
    assert columns.steps[-1] == 4999


def test_smoothing_sees_what_the_window_and_width_leave_out(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(1000):
            writer.scalar("x", step, step % 7)
    provider = open_provider()
    whole = only(provider, "r", "x", ScalarQuery(smoothing=0.9)).values
    part = only(provider, "r", "x", ScalarQuery(smoothing=0.9, window=(500, 510)))
    np.testing.assert_array_equal(part.values, whole[500:511])


def test_nearest_is_one_exact_point(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in (0, 10, 20):
            writer.scalar("x", step, step)
    columns = only(open_provider(), "r", "x", ScalarQuery(nearest=13.0))
    assert columns.steps.tolist() == [10]


def test_the_last_attempt_wins_and_all_is_there_to_be_asked_for(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r", start_time=1000) as writer:
        for step in range(10):
            writer.scalar("x", step, step)
    with EventWriter(tmp_path / "r", start_time=2000) as writer:
        for step in range(5, 8):
            writer.scalar("x", step, 100 + step)
    provider = open_provider()
    last = only(provider, "r", "x")
    assert last.values.tolist() == [0, 1, 2, 3, 4, 105, 106, 107]
    assert (last.hidden, last.total, last.restarts.tolist()) == (5, 13, [5])
    everything = only(provider, "r", "x", ScalarQuery(attempts="all"))
    assert everything.steps.tolist() == [*range(10), 5, 6, 7]
    assert everything.breaks.tolist() == [10]
    assert everything.hidden == 0


def test_a_second_file_that_records_step_0_hides_nothing_else(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r", Dialect.MINDSPORE, start_time=1000) as writer:
        for step in range(5):
            writer.scalar("x", step, step)
    with EventWriter(tmp_path / "r", Dialect.MINDSPORE, start_time=2000) as writer:
        writer.scalar("x", 0, 50)
    assert only(open_provider(), "r", "x").values.tolist() == [50, 1, 2, 3, 4]


def test_a_cache_policy_says_what_it_kept(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(500):
            writer.scalar("x", step, step)
    provider = open_provider(policy=CachePolicy(Keep.UNIFORM, points=20))
    columns = only(provider, "r", "x")
    assert (len(columns.steps), columns.kept, columns.total) == (20, 20, 500)
    [info] = provider.series("scalar")
    assert (info.points, info.kept, info.last_step) == (500, 20, 499)
    assert info.last_wall_time == columns.wall_times[-1]


def test_a_limit_of_tags_is_not_silent(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for tag in "abc":
            writer.scalar(tag, 0, 0)
    provider = open_provider(policy=CachePolicy(series=2))
    assert len(provider.series("scalar")) == 2
    [damage] = provider.damage()
    assert "2 tags" in damage.reason


def test_payloads_are_read_when_asked_for(open_provider: Open, tmp_path: Path) -> None:
    _write_images(tmp_path / "r")
    provider = open_provider()
    key = SeriesKey("r", "img")
    [info] = provider.series("pictures")
    assert (info.key, info.points, info.first_step, info.last_step) == (key, 3, 0, 2)
    assert provider.records("pictures", key).steps.tolist() == [0, 1, 2]
    assert provider.records("pictures", key).wall_times[-1] == info.last_wall_time
    for index in range(3):
        assert bytes([index]) * 50 in provider.payload("pictures", key, index).data
    assert provider.payload("pictures", key, 1).claim in info.claims
    for index in (3, -1):
        with pytest.raises(NotFound):
            provider.payload("pictures", key, index)
    with pytest.raises(NotFound):
        provider.records("pictures", SeriesKey("r", "other"))
    with pytest.raises(NotFound):
        provider.records("nothing", key)


def test_payloads_are_as_they_stand_in_the_file(open_provider: Open, tmp_path: Path) -> None:
    _write_images(tmp_path / "r")
    provider = open_provider()
    payload = provider.payload("pictures", SeriesKey("r", "img"), 1)
    assert payload.claim == EventField(Dialect.TENSORBOARD, "image")
    assert len(payload.data) == provider.records("pictures", SeriesKey("r", "img")).sizes[1]


def test_a_payload_is_verified_when_it_is_read(open_provider: Open, tmp_path: Path) -> None:
    _write_images(tmp_path / "r")
    provider = open_provider()
    [path] = (tmp_path / "r").iterdir()
    data = bytearray(path.read_bytes())
    data[data.index(bytes([1]) * 50)] ^= 0xFF
    with path.open("r+b") as file:
        file.write(data)
    with pytest.raises(InsightError, match="checksum"):
        provider.payload("pictures", SeriesKey("r", "img"), 1)


def test_records_of_all_attempts_are_in_file_order(open_provider: Open, tmp_path: Path) -> None:
    written = {1000: (0, 1, 2, 3), 2000: (1, 2)}
    for start_time, steps in written.items():
        with EventWriter(tmp_path / "r", start_time=start_time) as writer:
            for step in steps:
                writer.image("img", step, b"%d of %d" % (step, start_time), width=1, height=1)
    provider, key = open_provider(), SeriesKey("r", "img")
    last, everything = provider.records("pictures", key), provider.records("pictures", key, "all")
    assert last.steps.tolist() == [0, 1, 2]
    assert (last.total, last.kept, last.hidden) == (6, 6, 3)
    assert b"2 of 2000" in provider.payload("pictures", key, 2).data
    assert everything.steps.tolist() == [0, 1, 2, 3, 1, 2]
    assert everything.wall_times.tolist() == [1000, 1001, 1002, 1003, 2001, 2002]
    assert (everything.total, everything.kept, everything.hidden) == (6, 6, 0)
    assert b"2 of 1000" in provider.payload("pictures", key, 2, "all").data
    assert b"2 of 2000" in provider.payload("pictures", key, 5, "all").data
    with pytest.raises(NotFound):
        provider.payload("pictures", key, 3)
    with pytest.raises(NotFound):
        provider.payload("pictures", key, 6, "all")


def test_records_say_how_many_a_cache_policy_kept(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(200):
            writer.image("img", step, b"x", width=1, height=1)
    provider = open_provider(policy=CachePolicy(Keep.UNIFORM, points=10))
    table = provider.records("pictures", SeriesKey("r", "img"))
    assert (len(table.steps), table.kept, table.total, table.hidden) == (10, 10, 200, 0)
    assert table.steps[-1] == 199


def test_the_head_of_a_payload(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.image("img", 0, bytes(1 << 20), width=1, height=1)
    provider, key = open_provider(), SeriesKey("r", "img")
    whole = provider.payload("pictures", key, 0)
    for limit in (0, 1, 4096):
        head = provider.payload("pictures", key, 0, limit=limit)
        assert head.data == whole.data[:limit]
        assert head.claim == whole.claim
    for limit in (len(whole.data), 1 << 30):
        assert provider.payload("pictures", key, 0, limit=limit) == whole


def test_a_part_of_a_payload(open_provider: Open, tmp_path: Path) -> None:
    _write_images(tmp_path / "r")
    provider, key = open_provider(), SeriesKey("r", "img")
    whole = provider.payload("pictures", key, 1)
    for offset, length in ((0, 0), (0, 5), (5, 10), (5, None), (len(whole.data), 1), (1 << 20, None)):
        with provider.open_payload("pictures", key, 1, offset=offset, length=length) as stream:
            end = None if length is None else offset + length
            assert (stream.size, stream.claim) == (len(whole.data), whole.claim)
            assert stream.file.read() == whole.data[offset:end]


def _write_images(run: Path) -> None:
    with EventWriter(run) as writer:
        for step in range(3):
            writer.image("img", step, bytes([step]) * 50, width=1, height=1)


def test_unknown_series_are_left_out(open_provider: Open, tmp_path: Path) -> None:
    provider = open_provider()
    assert provider.scalars("scalar", [SeriesKey("no", "such")]) == {}
    assert provider.runs() == []


def test_changes_name_what_was_appended(open_provider: Open, tmp_path: Path) -> None:
    writer = EventWriter(tmp_path / "r")
    writer.scalar("a", 0, 0)
    writer.scalar("b", 0, 0)
    writer.flush()
    provider = open_provider(live=True)
    eventually(lambda: len(provider.series("scalar")) == 2)
    before = _settled(provider)
    assert provider.changes(before).series == {}
    waited: list[float] = []

    def wait() -> None:
        began = time.monotonic()
        provider.changes(before, timeout=10)
        waited.append(time.monotonic() - began)

    thread = threading.Thread(target=wait)
    thread.start()
    writer.scalar("b", 1, 1)
    writer.close()
    thread.join(timeout=10)
    assert waited
    assert waited[0] < 9
    eventually(lambda: provider.changes(before).series)
    assert provider.changes(before).series == {"scalar": [SeriesKey("r", "b")]}
    assert provider.changes(before + 10**9).series is None


def test_a_vanished_run_leaves_the_table(open_provider: Open, tmp_path: Path) -> None:
    for run in ("gone", "stays"):
        with EventWriter(tmp_path / run) as writer:
            writer.scalar("a", 0, 0)
    provider = open_provider(live=True)
    before = _settled(provider)
    for path in (tmp_path / "gone").iterdir():
        path.unlink()
    eventually(lambda: [run.name for run in provider.runs()] == ["stays"])
    eventually(lambda: provider.changes(before).runs)
    assert [info.key.run for info in provider.series("scalar")] == ["stays"]
    eventually(lambda: provider.changes(before).gone)
    assert (provider.changes(before).series or {}).get("scalar") == [SeriesKey("gone", "a")]
    assert not provider.changes(_settled(provider)).gone


def _settled(provider: DataProvider) -> int:
    """The generation after everything written was reported."""
    while True:
        before = provider.generation()
        time.sleep(0.4)
        if provider.generation() == before:
            return before
