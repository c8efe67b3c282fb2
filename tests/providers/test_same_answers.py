"""A data server and a host say of every series of the sample logs exactly what the provider behind says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from insight_remote.host_client.provider import HttpProvider
from insight_remote.host_client.session import Address
from werkzeug import Request, Response

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import InvalidArgument, NotFound
from insight_core.plugin.data import (
    DataProvider,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
)
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.rpc.serving import serve
from tests.hosts import listening, served
from tests.support.damaged_logdir import damaged_logdir

QUERIES = (
    ScalarQuery(),
    ScalarQuery(attempts="all"),
    ScalarQuery(width=7),
    ScalarQuery(width=7, smoothing=0.6, x="wall"),
    ScalarQuery(x="relative", window=(0.01, 0.5), attempts="all", smoothing=0.9),
    ScalarQuery(log_x=True, width=3, window=(None, 50.0)),
    ScalarQuery(nearest=10.2),
)


@pytest.fixture(scope="module", params=["grpc", "http"])
def providers(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[DataProvider, DataProvider]]:
    """One of the sample logs and damaged ones, and one that asks it over gRPC or HTTP."""
    damaged = tmp_path_factory.mktemp("damaged")
    damaged_logdir(damaged)
    with ExitStack() as opened:
        logdirs = [Logdir(str(repository / "examples/logs"), "sample"), Logdir(str(damaged), "damaged")]
        local = LocalProvider(logdirs, [insight_scalar.insight_plugin()])
        opened.callback(local.close)
        local.load()
        remote: HttpProvider | InsightProvider
        if request.param == "http":
            url = opened.enter_context(served(local, [insight_scalar.insight_plugin()]))
            remote = HttpProvider(Address.of(url))
        else:
            server = serve(local, "127.0.0.1", 0, version="test")
            opened.callback(server.stop)
            remote = InsightProvider(Link(f"127.0.0.1:{server.port}"))
        opened.callback(remote.close)
        yield local, remote


@pytest.mark.parametrize(
    ("listing", "address"),
    [
        ({"image": {"values": "record"}, "rates": {"values": "scalar"}}, "/data/plugin/rates/series"),
        ({"image": {}, "scalar": {}}, "/data/plugin/scalar/series"),
    ],
    ids=["the host says it", "a host of the last release"],
)
def test_points_are_asked_from_the_plugin_of_the_host_that_has_numbers(
    listing: dict[str, object], address: str
) -> None:
    asked = []

    @Request.application
    def host(request: Request) -> Response:
        asked.append((request.method, request.path))
        if request.path == "/data/plugins_listing":
            return Response(json.dumps(listing), mimetype="application/json")
        return Response("no such series", 404)

    key = SeriesKey("run", "tag")
    with listening(host) as url:
        remote = HttpProvider(Address.of(url), interval=0)
        assert remote.scalars("image", [key]) == {}
        with pytest.raises(NotFound):
            remote.scalars(address.split("/")[3], [key])
        remote.close()
    assert [path for method, path in asked if method == "POST"] == [address]


def test_runs_plugins_damage_and_the_rest(providers: tuple[DataProvider, DataProvider]) -> None:
    local, remote = providers
    assert remote.runs() == local.runs()
    assert set(remote.plugins()) == set(local.plugins())
    assert len(set(local.plugins())) > 8
    assert remote.damage() == local.damage()
    assert local.damage()
    run = local.damage()[0].run
    assert remote.damage(run) == local.damage(run)
    assert remote.damage("none") == []
    assert remote.progress() == local.progress()
    assert remote.location() == local.location()


def test_series(providers: tuple[DataProvider, DataProvider]) -> None:
    local, remote = providers
    run = local.runs()[0].name
    for plugin in local.plugins():
        for runs in (None, [run]):
            found, wanted = remote.series(plugin, runs=runs), local.series(plugin, runs=runs)
            assert sorted(found, key=_key) == sorted(wanted, key=_key)
        assert remote.series(plugin, runs=[]) == []


def _key(info: SeriesInfo) -> SeriesKey:
    return info.key


@pytest.mark.parametrize("query", QUERIES)
def test_scalars(providers: tuple[DataProvider, DataProvider], query: ScalarQuery) -> None:
    local, remote = providers
    keys = [info.key for info in local.series("scalar")]
    assert len(keys) > 30
    wanted = local.scalars("scalar", keys, query)
    found = remote.scalars("scalar", [*keys, SeriesKey("no", "such")], query)
    assert list(found) == list(wanted)
    for key, columns in wanted.items():
        _assert_equal(found[key], columns)


def _assert_equal(found: ScalarColumns, wanted: ScalarColumns) -> None:
    for name in ("steps", "wall_times", "values", "restarts", "breaks"):
        column, expected = getattr(found, name), getattr(wanted, name)
        assert column.dtype == expected.dtype
        np.testing.assert_array_equal(column, expected)
    for name in ("points", "total", "hidden", "kept", "origin", "extent", "nonfinite", "decimated"):
        np.testing.assert_equal(getattr(found, name), getattr(wanted, name))


def test_a_wrong_query_is_refused_in_the_same_words(providers: tuple[DataProvider, DataProvider]) -> None:
    keys = [providers[0].series("scalar")[0].key]
    said = []
    for provider in providers:
        with pytest.raises(InvalidArgument) as refused:
            provider.scalars("scalar", keys, ScalarQuery(window=(3.0, 2.0)))
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_records_and_payloads(providers: tuple[DataProvider, DataProvider]) -> None:
    local, remote = providers
    both: tuple[ShownAttempts, ...] = ("all", "last")
    payloads = 0
    for plugin in set(local.plugins()) - {"scalar"}:
        for info in local.series(plugin):
            for attempts in both:
                wanted = local.records(plugin, info.key, attempts)
                found = remote.records(plugin, info.key, attempts)
                for name in ("steps", "wall_times", "sizes", "total", "kept", "hidden"):
                    np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
            for index in range(len(wanted.steps)):
                payloads += 1
                assert remote.payload(plugin, info.key, index) == local.payload(plugin, info.key, index)
            head = remote.payload(plugin, info.key, 0, "all", limit=10)
            assert head == local.payload(plugin, info.key, 0, "all", limit=10)
    assert payloads > 100
