"""Routes that answer about the runs for which an expression holds: about all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from werkzeug import Request, Response

from insight_core.plugin import Plugin, PluginContext, Route
from insight_core.plugin.http import json_response
from insight_core.plugin.testing import EventWriter, HostClient, host_of
from tests.lineage_samples import LineageLogs

_RUNS = 60


@pytest.fixture
def host(tmp_path: Path) -> Iterator[HostClient]:
    for number in range(_RUNS):
        with EventWriter(tmp_path / f"r{number:02}") as writer:
            writer.scalar("train/loss", 0, 1.0)
            writer.scalar("hparam/val_acc", 0, number / 100)
    plugin = Plugin("echo", "Echo", routes=_routes)
    with host_of(plugin, logdir=tmp_path, built_ins=("scalar", "lineage")) as client:
        yield client


def _echo(request: Request) -> Response:
    return json_response({"runs": request.args.getlist("run"), "where": request.args.get("where")})


def _routes(ctx: PluginContext) -> Sequence[Route]:
    return [Route("/with", _echo, takes_where=True), Route("/without", _echo)]


def _asked(host: HostClient, path: str = "with", **query: str | Sequence[str]) -> object:
    answer = host.get(f"/data/plugin/echo/{path}", **query)  # type: ignore[arg-type]
    assert answer.status == 200, answer.content
    return answer.json()["runs"]


def test_the_view_gets_all_runs_that_match(host: HostClient) -> None:
    assert _asked(host, where="val_acc > 0.57") == ["r58", "r59"]
    assert _asked(host, where="val_acc > 0.57", run=["r01", "r59"]) == ["r59"]
    assert _asked(host, where="") == [f"r{number:02}" for number in range(_RUNS)]
    assert host.post("/data/plugin/echo/with", {"where": "val_acc > 0.58"}).json()["runs"] == ["r59"]


def test_a_run_that_no_log_has_stands_for_none(host: HostClient) -> None:
    """Without a run most views answer about all."""
    assert _asked(host, where="val_acc > 1") == [""]
    assert (
        host.get("/data/plugin/scalar/series", tag="train/loss", where="val_acc > 1").json()["series"] == []
    )


def test_where_is_a_parameter_like_others_for_routes_that_do_not_take_it(host: HostClient) -> None:
    assert host.get("/data/plugin/echo/without", where="anything").json() == {"runs": [], "where": "anything"}


def test_a_mistake_is_one_of_the_request(host: HostClient) -> None:
    answer = host.get("/data/plugin/echo/with", where="val_ac > 1")
    assert (answer.status, answer.json()["code"]) == (400, "unknown_column")
    assert answer.json()["details"]["suggestions"][0] == "last/hparam/val_acc"


def test_points_rows_and_groups_are_those_of_all_matching_runs(host: HostClient) -> None:
    points = host.get(
        "/data/plugin/scalar/series", tag="train/loss", where="val_acc >= 0.1", format="csv"
    ).text
    assert len(points.splitlines()) == 1 + 50
    rows = host.get("/data/plugin/lineage/runs", where="val_acc >= 0.1", format="csv").text
    assert len(rows.splitlines()) == 1 + 50
    groups = host.get("/data/plugin/scalar/groups", group="r(.)", where="val_acc >= 0.1").json()["groups"]
    assert [one["runs"] for one in groups] == [10] * 5


def test_where_of_lineage_has_columns_of_the_run_table_and_for_one_release_its_own(tmp_path: Path) -> None:
    logs = LineageLogs(tmp_path)
    logs.file("a", logs.trained(epoch=3))
    logs.file("b", logs.trained(epoch=5))
    logs.scalars("c", {"loss": [1.0]})
    with host_of(logdir=tmp_path, built_ins=("scalar", "lineage")) as host:

        def matching(where: str) -> list[str]:
            return sorted(host.get("/data/plugin/lineage/runs", where=where).json()["runs"])

        assert matching("name in ('a', 'c') and epoch = 3") == ["a"]  # the name is the host's
        assert matching("source = 'mindspore'") == ["a", "b"]
