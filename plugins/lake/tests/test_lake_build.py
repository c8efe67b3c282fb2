"""Builds lakes of logs that grow, restart, vanish and are damaged; whole, in shards, at the same time."""

from __future__ import annotations

import threading
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from insight_lake import delta, tables
from insight_lake.delta import newest

from insight_core.plugin import Dialect, EventField, InvalidArgument, Plugin, RecordDecoder, Undecodable
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from tests.lakes import LakeBuild

PLUGINS = [
    insight_scalar.insight_plugin(),
    Plugin(
        name="pictures",
        title="Pictures",
        decoder=RecordDecoder(claims={EventField(Dialect.TENSORBOARD, "image")}),
    ),
]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    path = tmp_path / "logs"
    for number in range(6):
        write(path / f"run{number}", range(20), 1000)
    return path


def write(run: Path, steps: range, start_time: int, scale: float = 1.0) -> None:
    with EventWriter(run, start_time=start_time) as writer:
        for step in steps:
            writer.scalar("loss", step, scale / (step + 1))
            writer.scalars_tf2("accuracy", step, step / 3, double=True)
        writer.image("img", steps.start, b"picture of %d" % start_time, width=1, height=1)


def lake_of(logs: Path, name: str = "lake") -> LakeBuild:
    return LakeBuild([str(logs)], str(logs.parent / name), PLUGINS)


def content(build: LakeBuild) -> dict[str, str]:
    """The content of the lake, after a check that it is that of the logs."""
    found = build.content()
    assert found == build.logged()
    return found


def test_only_runs_that_have_changed_are_written(logs: Path) -> None:
    build = lake_of(logs)
    assert build.run().written == 6
    before = newest(build.store()).version
    again = build.run()
    assert (again.written, again.unchanged) == (0, 6)
    assert newest(build.store()).version == before
    write(logs / "run3", range(20, 25), 2000)
    report = build.run()
    assert (report.written, report.unchanged, report.points) == (1, 5, 50)
    content(build)


def test_what_a_restart_overwrote_is_there_in_the_order_of_the_files(logs: Path) -> None:
    write(logs / "run0", range(10, 15), 2000, scale=7.0)
    write(logs / "run0", range(3, 4), 3000, scale=9.0)  # a file of one step, as for loss landscapes
    build = lake_of(logs)
    build.run()
    content(build)
    provider, local = build.opened(), build.read()
    for attempts in ("last", "all"):
        query = ScalarQuery(attempts=attempts)
        [ours] = provider.scalars("scalar", [SeriesKey("run0", "loss")], query).values()
        [theirs] = local.scalars("scalar", [SeriesKey("run0", "loss")], query).values()
        for name in ("steps", "values", "wall_times", "restarts", "breaks", "hidden", "kept", "total"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    provider.close()
    local.close()


@pytest.mark.parametrize("rows", [7, 1000])
def test_row_groups_may_have_any_size(logs: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    write(logs / "run0", range(10, 15), 2000)
    usual = lake_of(logs)
    usual.run()
    monkeypatch.setattr(tables, "GROUP", rows)
    build = lake_of(logs, "grouped")
    build.run()
    monkeypatch.undo()
    assert content(build) == content(usual)


def test_runs_that_are_gone_stay_unless_they_are_pruned(logs: Path) -> None:
    build = lake_of(logs)
    build.run()
    for path in (logs / "run1").iterdir():
        path.unlink()
    assert build.run(prune=False).removed == 0
    assert build.run(prune=True).removed == 1
    provider = build.opened()
    assert [run.name for run in provider.runs()] == ["run0", "run2", "run3", "run4", "run5"]
    provider.close()


def test_a_source_without_any_run_prunes_nothing(logs: Path) -> None:
    """As a directory that is not mounted."""
    build = lake_of(logs)
    build.run()
    before = newest(build.store()).version
    logs.rename(logs.parent / "elsewhere")
    logs.mkdir()
    with pytest.raises(InvalidArgument, match=r"not mounted.* 6 runs"):
        build.run(prune=True)
    assert newest(build.store()).version == before


def test_shards_and_batches_make_the_same_lake(logs: Path) -> None:
    whole, shards = lake_of(logs), lake_of(logs, "shards")
    whole.run()
    for shard in range(4):
        shards.run(shard=(shard, 4), batch=1)
    assert len(newest(shards.store()).segments) == 6
    assert content(shards) == content(whole)


def test_builders_at_the_same_time_lose_nothing(logs: Path) -> None:
    build = lake_of(logs)
    failures: list[BaseException] = []

    def run(batch: int) -> None:
        try:
            build.run(batch=batch)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(batch,)) for batch in (1, 1, 1 << 20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    whole = lake_of(logs, "whole")
    whole.run()
    assert content(build) == content(whole)


def test_what_a_writer_killed_between_two_tables_left_is_made_up_for(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts show what ``runs`` says; the other tables have each run once and whole, and follow."""
    build = lake_of(logs)
    build.run()
    write(logs / "run3", range(20, 25), 2000)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(delta, "follow", die)
    with pytest.raises(KeyboardInterrupt):
        build.run()
    monkeypatch.undo()

    def rows() -> dict[str, int]:
        table = delta.opened_table(build.store(), "scalars").to_pyarrow_table(columns=["run"])
        return {row["values"]: row["counts"] for row in table["run"].value_counts().to_pylist()}

    assert rows() == {f"run{number}": 40 for number in range(6)}
    content(build)
    assert build.run().unchanged == 6
    assert rows() == {f"run{number}": 50 if number == 3 else 40 for number in range(6)}


def test_the_later_reading_of_a_run_stays(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A builder that was slow does not replace what another one has read since."""
    build = lake_of(logs)
    slow, publish = build.builder(), type(build.builder())._publish
    reading, written = threading.Event(), threading.Event()

    def wait_and_publish(builder: object, *arguments: object) -> None:
        if builder is slow:
            reading.set()
            assert written.wait(60)
        publish(builder, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(type(slow), "_publish", wait_and_publish)
    thread = threading.Thread(target=slow.run)
    thread.start()
    assert reading.wait(60)
    write(logs / "run2", range(20, 30), 2000)
    build.run()
    written.set()
    thread.join()
    content(build)


def test_two_sources_with_one_name_are_refused(logs: Path, tmp_path: Path) -> None:
    build = lake_of(logs)
    build.run()
    other = tmp_path / "other"
    write(other / "run0", range(3), 1000)
    second = LakeBuild([str(other)], build.place, PLUGINS)
    with pytest.raises(InvalidArgument, match=r"'run0' of .*logs.*NAME:DIR"):
        second.run()
    assert second.run(replace=True, prune=False).written == 1


def test_a_lake_in_a_logdir_is_refused(logs: Path) -> None:
    with pytest.raises(InvalidArgument, match="nothing is written there"):
        LakeBuild([str(logs)], str(logs / "lake"), PLUGINS).run()
    assert not (logs / "lake").exists()


def test_payloads_are_read_in_the_logs_or_copied(logs: Path) -> None:
    located, copied = lake_of(logs), lake_of(logs, "copied")
    located.run()
    copied.run(payloads="copy")
    assert content(located) == content(copied)
    key = SeriesKey("run4", "img")
    for path in (logs / "run4").iterdir():
        path.unlink()
    for build, is_there in ((located, False), (copied, True)):
        provider = build.opened()
        if is_there:
            assert b"picture of 1000" in provider.payload("pictures", key, 0).data
            with provider.open_payload("pictures", key, 0, offset=5, length=4) as stream:
                assert len(stream.file.read()) == 4
        else:
            with pytest.raises(Undecodable, match="--with-payloads"):
                provider.payload("pictures", key, 0)
        provider.close()


def test_numbers_only(logs: Path) -> None:
    build = lake_of(logs)
    build.run(payloads="none")
    provider = build.opened()
    assert provider.plugins() == {"scalar"}
    provider.close()


def test_damage_of_logs_is_listed(logs: Path) -> None:
    [path] = (logs / "run5").iterdir()
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    build = lake_of(logs)
    build.run()
    provider, local = build.opened(), build.read()
    assert provider.damage() == local.damage() != []
    assert provider.runs() == local.runs()
    provider.close()
    local.close()


def test_values_that_no_plugin_claimed_belong_to_a_plugin_that_comes_later(logs: Path) -> None:
    build = LakeBuild([str(logs)], str(logs.parent / "lake"), PLUGINS[:1])
    build.run()
    provider = build.opened()
    assert provider.plugins() == {"scalar", "tensorboard:image"}
    before = provider.generation()
    provider.admit(PLUGINS[1])
    assert provider.plugins() == {"scalar", "pictures"}
    assert len(provider.series("pictures")) == 6
    assert provider.generation() > before
    provider.close()


def test_hosts_of_one_lake_agree_on_the_generation_and_on_what_changed(logs: Path) -> None:
    """A page behind a proxy asks one host what has changed since the answer of another."""
    build = lake_of(logs)
    build.run()
    early = build.opened()
    before = early.generation()
    write(logs / "run3", range(20, 25), 2000)
    build.run()
    late = build.opened()
    assert late.generation() > before
    early.followed.look()
    assert early.generation() == late.generation()
    changes = early.changes(before)
    assert changes.series is not None
    assert set(changes.series["scalar"]) == {SeriesKey("run3", "loss"), SeriesKey("run3", "accuracy")}
    assert late.changes(before).series is None  # it does not know: anything may have changed
    early.close()
    late.close()
