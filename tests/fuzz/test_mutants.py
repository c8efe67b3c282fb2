"""Changed log files: nothing is answered with a failure, and runs next to them keep their values."""

from __future__ import annotations

from pathlib import Path

import pytest
from werkzeug.test import Client

from tests.fuzz.hosts import PLUGINS, loaded_host
from tests.fuzz.mutants import CONTROLS, control, write_mutants
from tests.support.points import scalar_points

_ROUTES = {
    "scalar": ("series",), "histogram": ("histograms", "comparison?step=1"), "image": ("info", "thumbnail"),
    "tensor": ("values", "statistics", "histograms"), "graph": ("scope", "statistics", "search?q=a"),
    "audio": ("audio", "picture"), "text": ("search?q=a",), "landscape": (), "lineage": ("pipeline",),
    "profiler": (), "metric_logs": (),
}  # fmt: skip


def test_runs_beside_changed_files_keep_their_values_and_no_route_fails(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    count, seed = pytestconfig.getoption("--fuzz-mutants"), pytestconfig.getoption("--fuzz-seed")
    runs = list(write_mutants(tmp_path, count, seed))
    assert len(runs) == count
    with loaded_host(tmp_path) as (host, provider):
        client = Client(host)
        for number in range(CONTROLS):
            assert scalar_points(provider, control(number)) == [
                (step, step + number / 4) for step in range(20)
            ]
        failed = []
        paths = ["/data/run_table?columns=all", "/data/damage", "/data/plugins_listing", "/data/runs"]
        paths += [f"/data/plugin/{name}/{more}" for name, more in _WHOLE]
        failed += [path for path in paths if client.get(path).status_code != 200]
        for name in PLUGINS:
            for info in provider.series(name) if name in provider.plugins() else ():
                for route in ("records", "value", "blob", *_ROUTES[name]):
                    path, _, more = route.partition("?")
                    query = {"run": info.key.run, "tag": info.key.tag, "index": 0, **dict(_pairs(more))}
                    answer = client.get(f"/data/plugin/{name}/{path}", query_string=query)
                    if answer.status_code not in (200, 400, 404, 413, 422, 503):
                        failed.append(f"{answer.status} {answer.request.path} {query}")
        assert failed == []


_WHOLE = [
    ("scalar", "columns"),
    ("graph", "graphs"),
    ("landscape", "tags"),
    ("lineage", "runs"),
    ("lineage", "columns"),
    ("profiler", "profiles"),
]


def _pairs(more: str) -> list[tuple[str, str]]:
    return [(each.partition("=")[0], each.partition("=")[2]) for each in more.split("&") if each]
