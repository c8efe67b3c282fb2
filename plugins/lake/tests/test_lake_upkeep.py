"""Compaction, retention and the check of lakes, with damage that was planted."""

from __future__ import annotations

import re
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from attrs import evolve
from insight_lake.delta import LakeSegment, LakeVersion, existing
from insight_lake.upkeep import check, compact, delete_unused, expire

from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from tests.lakes import LakeBuild


@pytest.fixture
def build(tmp_path: Path) -> LakeBuild:
    for number in range(5):
        with EventWriter(tmp_path / f"logs/run{number}", start_time=1000 + 500_000_000 * number) as writer:
            for step in range(30):
                writer.scalar("loss", step, number + step)
            writer.image("img", 0, b"picture %d" % number, width=1, height=1)
    build = LakeBuild([str(tmp_path / "logs")], str(tmp_path / "lake"), [insight_scalar.insight_plugin()])
    build.run(batch=1, payloads="copy")
    return build


def problems(build: LakeBuild) -> list[str]:
    return check(build.store(), existing(build.store()), lambda text: None)


def test_small_segments_are_joined_and_hold_the_same(build: LakeBuild) -> None:
    before = build.content()
    assert compact(build.store()) == (5, 1)
    assert build.content() == before == build.logged()
    assert compact(build.store()) == (1, 1)
    provider = build.opened()
    [info] = provider.series("tensorboard:image", runs=["run3"])
    assert b"picture 3" in provider.payload("tensorboard:image", info.key, 0).data
    provider.close()
    assert build.run().unchanged == 5


def test_points_that_a_restart_overwrote_stay_so_when_segments_are_joined(
    build: LakeBuild, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "logs/run2", start_time=2_100_000_000) as writer:
        for step in range(10, 15):
            writer.scalar("loss", step, -step)
    build.run(payloads="copy")
    before = build.content()
    assert compact(build.store()) == (5, 1)
    assert build.content() == before == build.logged()
    provider, logs = build.opened(), build.read()
    key = SeriesKey("run2", "loss")
    for query in (ScalarQuery(), ScalarQuery(attempts="all")):
        [ours], [theirs] = (one.scalars("scalar", [key], query).values() for one in (provider, logs))
        for name in ("steps", "values", "wall_times", "restarts", "hidden", "kept", "total"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    provider.close()
    logs.close()


def test_what_was_replaced_is_deleted_after_the_grace(build: LakeBuild) -> None:
    compact(build.store())
    assert delete_unused(build.store(), 3600) == 0
    place = Path(build.place)
    (place / "_drafts/of-a-killed-writer").mkdir(parents=True)
    assert delete_unused(build.store(), 0) > 0
    build.content()
    assert len(list(place.glob("scalars/*.parquet"))) == 1
    assert len(list(place.glob("payloads/*"))) == 5  # the joined segment refers to them
    assert list(place.glob("_drafts/*")) == []


def test_old_runs_expire(build: LakeBuild) -> None:
    compact(build.store())
    assert expire(build.store(), 0, re.compile("run[34]")) == 1  # the start of run 4 is yet to come
    provider = build.opened()
    assert [run.name for run in provider.runs()] == ["run0", "run1", "run2", "run4"]
    provider.close()
    assert expire(build.store(), 1e12) == 0
    assert expire(build.store(), 0) == 3
    build.content()


def test_bytes_that_have_changed_are_found(build: LakeBuild) -> None:
    for pattern in ("scalars/*.parquet", "series/*.parquet", "payloads/*"):
        path = sorted(Path(build.place).glob(pattern))[0]
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        intact = path.read_bytes()
        path.write_bytes(data)
        assert any(path.name in problem for problem in problems(build)), pattern
        path.unlink()
        assert any(path.name in problem for problem in problems(build)), pattern
        path.write_bytes(intact)
    assert problems(build) == []


def test_a_table_that_says_too_many_rows_is_found(build: LakeBuild) -> None:
    version = existing(build.store())
    [segment] = [one for one in version.segments if one.rows("runs")][:1]
    wrong = [evolve(one, rows=one.rows + 1) for one in segment.tables.values()]
    counted = LakeVersion(0, {"": (0, [LakeSegment.of(segment.id, segment.runs, wrong, segment.plugins)])})
    found = check(build.store(), counted, lambda text: None)
    assert len(found) == len(wrong)
    assert all("rows, and the table runs says" in problem for problem in found)
    twice = LakeVersion(0, {"": (0, [segment, segment])})
    assert "is in two segments" in check(build.store(), twice, lambda text: None)[0]
