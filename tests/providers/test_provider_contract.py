"""What every data provider promises, tried on each of them."""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from insight_core.plugin import CachePolicy, Dialect, EventField, InsightError, Keep, ProviderSettings
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter, FakeProvider, WrittenSeries, provider_contract
from tests.providers.conftest import Open
from tests.waiting import eventually

_NO_MINDSPORE = "the server in Rust cannot read what MindSpore writes"

# Where TensorBoard's service, or the server in Rust behind it, says less than the contract. Each of
# these tests must fail there; docs/architecture.md lists the same for users.
DIFFERENCES = {
    "test_runs_of_both_dialects_stand_in_one_table": _NO_MINDSPORE,
    "test_a_second_file_that_records_step_0_hides_nothing_else": _NO_MINDSPORE,
    "test_tensor_scalars_follow_the_metadata_of_the_first": "numbers are float32; others are left out",
    "test_a_cache_policy_says_what_it_kept": "how many points were recorded is not told",
    "test_records_say_how_many_a_cache_policy_kept": "how many values were recorded is not told",
    "test_a_limit_of_tags_is_not_silent": "the number of series is not limited, and damage is not told",
    "test_payloads_are_as_they_stand_in_the_file": "values arrive in TensorBoard's newest form",
    "test_a_payload_is_verified_when_it_is_read": "payloads are read while loading, and checksums are not",
}
DIFFERENCES_OF_CHECKS = dict.fromkeys(
    ["the_last_attempt_wins", "records_have_attempts"], "overwritten points are deleted"
)
DIFFERENCES_OF_BUCKETS = {
    "test_a_payload_is_verified_when_it_is_read": "what was fetched stays, until a listing tells of another",
}


def only(provider: DataProvider, run: str, tag: str, query: ScalarQuery | None = None) -> ScalarColumns:
    [columns] = provider.scalars("scalar", [SeriesKey(run, tag)], query or ScalarQuery()).values()
    return columns


def _write(directory: Path, written: Sequence[WrittenSeries]) -> None:
    """Each attempt of a series is an event file of its own."""
    for series in written:
        begins = [at for at, step in enumerate(series.steps) if not at or step < series.steps[at - 1]]
        for begin, end in itertools.pairwise([*begins, len(series.steps)]):
            with EventWriter(directory / series.run, start_time=series.wall_times[begin]) as writer:
                for at in range(begin, end):
                    step, wall_time, value = series.steps[at], series.wall_times[at], series.values[at]
                    if series.plugin == "scalar":
                        writer.scalar(series.tag, step, value, wall_time)
                    else:
                        writer.image(series.tag, step, value, 1, 1, wall_time)


CHECKS = list(provider_contract(lambda *_: FakeProvider(), write_more=lambda *_: None))


@pytest.mark.parametrize("check", CHECKS)
def test_the_contract(
    check: str, open_provider: Open, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if request.node.callspec.params["open_provider"] == "rust" and check in DIFFERENCES_OF_CHECKS:
        request.applymarker(pytest.mark.xfail(reason=DIFFERENCES_OF_CHECKS[check], strict=True))
    live = check == "changes_name_what_was_appended"

    def make(place: Path, written: Sequence[WrittenSeries], settings: ProviderSettings) -> DataProvider:
        for path in tmp_path.iterdir():
            shutil.rmtree(path)
        _write(tmp_path, written)
        return open_provider(live=live)

    provider_contract(make, records="pictures", write_more=lambda _, more: _write(tmp_path, more))[check]()


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


def test_records_say_how_many_a_cache_policy_kept(open_provider: Open, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step in range(200):
            writer.image("img", step, b"x", width=1, height=1)
    provider = open_provider(policy=CachePolicy(Keep.UNIFORM, points=10))
    table = provider.records("pictures", SeriesKey("r", "img"))
    assert (len(table.steps), table.kept, table.total, table.hidden) == (10, 10, 200, 0)
    assert table.steps[-1] == 199


def _write_images(run: Path) -> None:
    with EventWriter(run) as writer:
        for step in range(3):
            writer.image("img", step, bytes([step]) * 50, width=1, height=1)


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
