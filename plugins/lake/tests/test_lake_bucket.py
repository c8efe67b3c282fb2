"""Lakes in a bucket: what is read and written by how many requests, and what is said of one that is away."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from insight_lake import delta
from insight_lake.delta import newest
from insight_lake.store import LakeStore, ObjectMissing
from insight_lake.upkeep import compact, delete_unused

import insight_host
from insight_core.plugin import InsightError, InvalidArgument, Unavailable
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from tests.buckets import Bucket, bucket
from tests.lakes import LakeBuild
from tests.waiting import eventually

SCALAR = insight_scalar.insight_plugin()
PLACE = "s3://lakes/team/lake"


@pytest.fixture(scope="module")
def served() -> Iterator[Bucket]:
    with bucket("lakes") as found, pytest.MonkeyPatch.context() as patch:
        for name, value in found.environment.items():
            patch.setenv(name, value)
        yield found


@pytest.fixture
def s3(served: Bucket) -> Iterator[Bucket]:
    yield served
    served.fails = lambda method, path: False
    store = LakeStore("s3://lakes")
    store.delete([key for key, _ in store.list("")])
    served.requests.clear()


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    for number in range(4):
        with EventWriter(tmp_path / f"logs/run{number}") as writer:
            for step in range(50):
                writer.scalar("loss", step, number + step)
                writer.scalar("accuracy", step, -step)
            writer.image("img", 0, b"picture %d" % number, width=1, height=1)
    return tmp_path / "logs"


def test_a_bucket_and_a_directory_hold_the_same_lake(s3: Bucket, logs: Path) -> None:
    there, here = (LakeBuild([str(logs)], place, [SCALAR]) for place in (PLACE, str(logs.parent / "lake")))
    for build in (there, here):
        build.run(batch=1, payloads="copy")
    assert there.content() == here.content()
    assert there.run().unchanged == 4
    assert compact(there.store()) == (4, 1)
    assert delete_unused(there.store(), 0) > 0
    assert there.content() == here.content()
    provider = there.opened()
    [info] = provider.series("tensorboard:image", runs=["run2"])
    assert b"picture 2" in provider.payload("tensorboard:image", info.key, 0).data
    provider.close()
    with insight_host.open(f"lake:{PLACE}") as opened:
        assert len(opened.runs()) == 4


def test_a_series_costs_few_requests(s3: Bucket, logs: Path) -> None:
    build = LakeBuild([str(logs)], PLACE, [SCALAR])
    build.run()
    provider = build.opened()
    s3.requests.clear()
    assert len(provider.runs()) == 4
    # the last checkpoint, a list, each commit since twice (so delta-rs reads them), a file of runs
    assert [method for method, _, _ in s3.requests] == ["GET"] * 7
    s3.requests.clear()
    [columns] = provider.scalars("scalar", [SeriesKey("run3", "loss")], ScalarQuery()).values()
    np.testing.assert_array_equal(columns.values, np.arange(50) + 3)
    assert len(s3.requests) == 2  # list of series, points: a small object is read whole
    s3.requests.clear()
    provider.scalars("scalar", [SeriesKey("run3", "loss")], ScalarQuery(smoothing=0.5))
    provider.series("scalar")
    assert s3.requests == []
    provider.followed.look()
    assert [(method, status) for method, _, status in s3.requests] == [("GET", 404)]  # the next version
    provider.close()


def test_sql_reads_points_only_where_a_question_is_about_them(s3: Bucket, logs: Path) -> None:
    with EventWriter(logs / "run0", start_time=2_000_000_000) as writer:  # a restart, with odd values
        for step, value in enumerate([math.nan, math.inf, -math.inf, 7.0], 20):
            writer.scalar("loss", step, value)
    LakeBuild([str(logs)], PLACE, [SCALAR]).run()
    with insight_host.open(f"lake:{PLACE}") as lake, insight_host.open(logs) as theirs:

        def read_for(sql: str) -> list[str]:
            s3.requests.clear()
            answer = list(lake.sql(sql).rows())
            read = [path.split("/")[4] for _, path, _ in s3.requests if ".parquet" in path]
            assert repr(answer) == repr(list(theirs.sql(sql).rows()))  # NaN equals itself as text
            return read

        by_run = "select run, tag, count(*), min(value), max(value), max(step) from scalars group by all"
        assert read_for(f"{by_run} order by all") == ["series"]
        assert read_for("select count(*) from scalars where tag = 'loss' and run <> 'run1'") == []
        assert read_for("select * from summaries order by run, tag") == []
        assert read_for("select sum(step) from scalars where run = 'nobody'") == []
        assert read_for("select sum(step) from scalars where run = 'run2' and tag = 'loss'") == ["scalars"]


def test_a_question_about_too_many_points_is_refused_before_they_are_read(
    s3: Bucket, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    LakeBuild([str(logs)], PLACE, [SCALAR]).run()
    with insight_host.open(f"lake:{PLACE}") as lake:
        lake.sql("select count(*) from scalars")
        s3.requests.clear()
        monkeypatch.setattr("insight_query.limits.RATE", 1)
        with pytest.raises(InsightError, match=r"would read 400 rows, which .* add a WHERE on run"):
            lake.sql("select avg(value) from scalars", seconds=30)
        assert not any(".parquet" in path for _, path, _ in s3.requests)


def test_of_two_writers_each_publishes(s3: Bucket, logs: Path) -> None:
    """By conditional writes of the store: no commit is lost."""
    build = LakeBuild([str(logs)], PLACE, [SCALAR])
    threads = [
        threading.Thread(target=build.run, kwargs={"shard": (shard, 3), "batch": 1}) for shard in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(newest(build.store()).segments) == 4
    here = LakeBuild([str(logs)], str(logs.parent / "lake"), [SCALAR])
    here.run()
    assert build.content() == here.content()


def test_a_published_version_whose_answer_was_lost_counts_once(
    s3: Bucket, logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed = delta._committed
    monkeypatch.setattr(delta, "_committed", lambda table, actions: committed(table, actions) and False)
    build = LakeBuild([str(logs)], PLACE, [SCALAR])
    assert build.run().written == 4
    assert len(newest(build.store()).segments) == 1


def test_errors_of_the_store_are_tried_again_and_then_said(s3: Bucket, logs: Path) -> None:
    build = LakeBuild([str(logs)], PLACE, [SCALAR])
    build.run()
    failing = iter([True, True, False])
    s3.fails = lambda method, path: next(failing, False)
    provider = build.opened()
    assert len(provider.runs()) == 4
    provider.close()
    with pytest.raises(ObjectMissing, match="no such object"):
        build.store().get("series/none")
    with pytest.raises(InvalidArgument, match="nonsense"):
        LakeStore("nonsense://bucket")


def test_a_lake_that_is_away_is_a_notice(logs: Path) -> None:
    """As a directory that was unmounted; the last version is shown until it is back."""
    place = logs.parent / "lake"
    build = LakeBuild([str(logs)], str(place), [SCALAR])
    build.run()
    provider = build.opened(interval=0.05)
    assert len(provider.runs()) == 4
    assert provider.notices() == []
    place.rename(logs.parent / "elsewhere")
    with pytest.raises(Unavailable):
        provider.followed.look()
    assert len(provider.runs()) == 4
    before = provider.generation()
    provider.start()
    eventually(provider.notices)
    assert provider.changes(before, timeout=60).runs  # pages that are open ask for notices
    [notice] = provider.notices()
    assert "cannot be reached" in notice
    assert notice.code == "lake_away"
    (logs.parent / "elsewhere").rename(place)
    eventually(lambda: not provider.notices())
    provider.close()
