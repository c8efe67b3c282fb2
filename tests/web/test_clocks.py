"""Runs whose wall times are not in seconds, ahead, or missing: their columns, axes and damage."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import insight_scalar
import pytest
from werkzeug.test import Client

from insight_core.formats.wall_times import earliest, in_seconds, origin_of
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import FileName, Plugin, RecordDecoder
from insight_core.plugin.data import ScalarQuery, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host

START = 1.7e9
Cells = dict[str, Any]
Open = Callable[[], tuple[LocalProvider, Callable[[str], Cells]]]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens the runs that were written; each time the index of the one before is there."""
    providers = []

    def open_() -> tuple[LocalProvider, Callable[[str], Cells]]:
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs"))],
            [insight_scalar.insight_plugin()],
            reload_interval=0,
            cache_directory=tmp_path / "cache",
        )
        providers.append(provider)
        provider.load()
        client = Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))

        def cells(run: str) -> Cells:
            names = ("started", "updated", "duration", "status")
            query = {"column": [f"run/{name}" for name in names]}
            answer = client.get("/data/run_columns", query_string=query).get_json()
            row = answer["runs"].index(run)
            return {column["name"]: column["values"][row] for column in answer["columns"]}

        return provider, cells

    yield open_
    for provider in providers:
        provider.close()


def write(tmp_path: Path, run: str, wall_times: list[float]) -> None:
    """The version record has a time of the system."""
    with EventWriter(tmp_path / "logs" / run, start_time=START) as writer:
        for step, wall_time in enumerate(wall_times):
            writer.scalar("loss", step, float(step), wall_time=wall_time)


@pytest.mark.parametrize(("unit", "count"), [("ms", 1e3), ("µs", 1e6), ("ns", 1e9)])
def test_times_in_smaller_units_are_recognised_and_named(
    unit: str, count: float, opened: Open, tmp_path: Path
) -> None:
    write(tmp_path, "a", [(START + second) * count for second in range(10)])
    for _ in range(2):
        provider, cells = opened()
        found = cells("a")
        assert found.pop("status") == "stopped"
        assert found == pytest.approx({"started": START, "updated": START + 9, "duration": 9.0}, abs=1e-3)
        [run], [damage] = provider.runs(), provider.damage()
        assert run.start_time == pytest.approx(START)
        assert run.damage == 1
        assert f"in {unit} instead of seconds" in damage.reason
        columns = provider.scalars("scalar", [SeriesKey("a", "loss")], ScalarQuery())
        [loss] = columns.values()
        assert loss.wall_times.tolist() == [(START + second) * count for second in range(10)]  # as recorded
        provider.close()


def test_a_run_in_smaller_units_that_goes_on_is_running(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "a", [(time.time() - age) * 1e3 for age in (60, 1)])
    assert opened()[1]("a")["status"] == "running"


def test_times_that_are_none_have_no_duration(opened: Open, tmp_path: Path) -> None:
    write(tmp_path, "a", [1e300, 1e301])
    provider, cells = opened()
    assert cells("a") == {"started": START, "updated": None, "duration": None, "status": None}
    assert "not times since 1970" in provider.damage()[0].reason


def test_one_time_that_is_wrong_does_not_make_a_run_last_for_ever(opened: Open, tmp_path: Path) -> None:
    now = time.time()
    write(tmp_path, "outlier", [START, START + 60, START + 90])
    with EventWriter(tmp_path / "logs/outlier", start_time=START + 1) as writer:
        writer.scalar("accuracy", 0, 1.0, wall_time=now + 1e9)
        writer.scalar("precision", 0, 1.0, wall_time=(START + 100) * 1e3)
    with EventWriter(tmp_path / "logs/ahead", start_time=now + 1e8) as writer:
        writer.scalar("loss", 5, 1.0)
    provider, cells = opened()
    assert (cells("outlier")["duration"], cells("outlier")["status"]) == (100.0, "stopped")
    assert (cells("ahead")["duration"], cells("ahead")["status"]) == (pytest.approx(5.0), None)
    assert [(damage.run, damage.reason[:20]) for damage in provider.damage()] == [
        ("outlier", "wall times are in ms")
    ]


@pytest.mark.parametrize(
    ("wall_times", "origin"),
    [
        ([math.nan, START, START + 5], START),
        ([math.inf, -math.inf, START + 5, START], START + 5),
        ([START, math.nan], START),
        ([math.nan, math.nan], math.nan),
    ],
)
def test_relative_time_counts_from_the_first_finite_time(
    wall_times: list[float], origin: float, opened: Open, tmp_path: Path
) -> None:
    write(tmp_path, "a", wall_times)
    provider, _ = opened()
    query = ScalarQuery(x="relative")
    [answer] = provider.scalars("scalar", [SeriesKey("a", "loss")], query).values()
    assert answer.origin == pytest.approx(origin, nan_ok=True)
    finite = [one - origin for one in wall_times if math.isfinite(one)]
    assert answer.extent == ((min(finite), max(finite)) if finite else (0.0, 0.0))


def test_the_unit_is_told_by_the_size() -> None:
    edges = [1.0, 9e10, 1.7e12, 1.7e15, 1.7e18, 1e21, 0.0, -5.0, math.nan, math.inf]
    assert in_seconds(edges).tolist() == pytest.approx(
        [1.0, 9e10, 1.7e9, 1.7e9, 1.7e9, *[math.nan] * 5], nan_ok=True
    )
    assert earliest([1.7e12, 1.6e15]) == 1.6e9
    assert earliest([1e300]) is earliest([]) is None
    assert origin_of(in_seconds([])) == 0.0


def test_files_beside_the_logs_are_no_records_of_a_run(tmp_path: Path) -> None:
    """Embeddings, profiles: copied yesterday, they made a run of last week last until then."""
    write(tmp_path, "a", [START, START + 33])
    (tmp_path / "logs/a/labels.tsv").write_text("1\t2\n")
    (tmp_path / "logs/only").mkdir()
    (tmp_path / "logs/only/labels.tsv").write_text("1\t2\n")
    decoder = RecordDecoder([FileName("*.tsv")], decode=lambda payload: payload.data)
    labels = Plugin("labels", "Labels", decoder=decoder, routes=lambda _: ())
    plugins = [insight_scalar.insight_plugin(), labels]
    provider = LocalProvider([Logdir(str(tmp_path / "logs"))], plugins, reload_interval=0)
    with closing(provider):
        provider.load()
        assert {info.key.run for info in provider.series("labels")} == {"a", "only"}
        client = Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), provider))
        columns = {"column": ["run/duration", "run/status", "run/updated"]}
        answer = client.get("/data/run_columns", query_string=columns).get_json()
    cells = {
        column["name"]: dict(zip(answer["runs"], column["values"], strict=True))
        for column in answer["columns"]
    }
    assert cells == {
        "duration": {"a": 33.0, "only": None},
        "status": {"a": "stopped", "only": None},
        "updated": {"a": START + 33, "only": None},
    }
