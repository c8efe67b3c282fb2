"""Plugins compute where the data is: in the data server, else in the host."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack
from unittest.mock import ANY

import insight_scalar
import numpy as np
import pytest
from safetensors.numpy import load
from werkzeug.test import Client

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import (
    DataProvider,
    NotComputed,
    ScalarColumns,
    ScalarQuery,
    SeriesKey,
    compute,
)
from insight_core.plugin.data.computations import Computation
from insight_core.plugin.testing import FakeProvider
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.registry import Registry
from insight_core.rpc.schema.services import PIECE
from insight_core.rpc.serving import serve
from insight_core.web import Host
from tests.display_frames import frames_of, metadata_of, series_of

Open = Callable[..., InsightProvider]
EVERY_POINT = ScalarQuery()
BASE = "/data/plugin/scalar"


class Remote(InsightProvider):
    """Counts the series that it receives."""

    received = 0

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery = EVERY_POINT
    ) -> Mapping[SeriesKey, ScalarColumns]:
        found = super().scalars(plugin, keys, query)
        self.received += len(found)
        return found


@pytest.fixture
def fake() -> FakeProvider:
    fake = FakeProvider("/logs")
    chance = np.random.default_rng(1)
    for run in ("a1", "a2", "b1"):
        for tag in ("loss", "acc"):
            fake.add_scalars(run, tag, chance.random(2000))
    return fake


@pytest.fixture
def opened(fake: FakeProvider) -> Iterator[Open]:
    """Opens a data server that computes these for a plugin ``own``, by default those of the scalar plugin."""
    with ExitStack() as stack:

        def start(own: Mapping[str, Computation] | None = None) -> InsightProvider:
            plugin = insight_scalar.insight_plugin()
            known = {"scalar": plugin.computations} if own is None else {"own": own}
            server = serve(
                fake, "127.0.0.1", 0, version="test", computations=lambda name: known.get(name, {})
            )
            stack.callback(server.stop)
            provider = Remote(Link(f"127.0.0.1:{server.port}"))
            stack.callback(provider.close)
            provider.start()
            return provider

        yield start


def never(data: DataProvider, request: bytes) -> Iterator[bytes]:
    raise AssertionError("the data server computes it")
    yield b""


def test_a_plugin_from_elsewhere_computes_in_the_data_server(opened: Open, fake: FakeProvider) -> None:
    def points(data: DataProvider, request: bytes) -> Iterator[bytes]:
        assert data is fake
        for info in data.series(request.decode()):
            yield f"{info.key.run} {info.key.tag} {info.points}".encode()
        yield b""
        yield bytes(2 * PIECE + 1)

    *texts, empty, long = compute(opened({"points": points}), "own", "points", b"scalar", never)
    assert len(texts) == 6
    assert texts[0].endswith(b" 2000")
    assert (empty, long) == (b"", bytes(2 * PIECE + 1))


@pytest.mark.parametrize("name", ["other", "points"])
def test_the_host_computes_what_the_data_server_does_not_have(opened: Open, name: str) -> None:
    def here(data: DataProvider, request: bytes) -> Iterator[bytes]:
        assert isinstance(data, InsightProvider)
        yield request

    provider = opened({"points": never})
    plugin = "own" if name == "other" else "unknown"
    assert list(compute(provider, plugin, name, b"asked", here)) == [b"asked"]


def test_an_error_of_a_computation_keeps_its_class_and_details(opened: Open) -> None:
    def fails(data: DataProvider, request: bytes) -> Iterator[bytes]:
        yield b"first"
        raise InvalidArgument("lr is odd", code="own_odd", name="lr")

    answers = compute(opened({"fails": fails}), "own", "fails", b"", never)
    assert next(answers) == b"first"
    with pytest.raises(InvalidArgument, match="lr is odd") as caught:
        next(answers)
    assert (caught.value.code, caught.value.details) == ("own_odd", {"name": "lr"})


@pytest.mark.parametrize(
    ("route", "query"),
    [
        ("cards", {"card": ['{"tag":"loss","width":50}', '{"tag":"=acc*2"}']}),
        ("cards", {"card": '{"tag":"acc","smoother":"mean","smoothing":0.9,"width":9}', "run": "b1"}),
        ("cards", {"card": ['{"tag":"loss","width":0}', '{"tag":"loss","runs":[1]}'], "run": ["a2", "b1"]}),
        ("bands", {"tag": "loss", "group": "(.)", "width": "40", "smoothing": "0.5", "smoother": "gaussian"}),
        ("bands", {"tag": ["loss", "=acc/2"], "group": "(.)", "spread": "iqr", "format": "safetensors"}),
        ("series", {"tag": "acc", "format": "csv", "download": "acc.csv"}),
        ("series", {"tag": ["loss", "acc"], "run": "a1"}),
        ("series", {"tag": ["loss", "acc"], "format": "safetensors"}),
        ("series", {"tag": "loss", "format": "display", "width": "50", "smoothing": "0.5"}),
        ("nearest", {"tag": "loss", "at": "77.2", "smoothing": "0.9", "smoother": "twema"}),
    ],
)
def test_display_answers_bands_and_readings_move_no_series_to_the_host(
    opened: Open, fake: FakeProvider, route: str, query: dict[str, object]
) -> None:
    provider = opened()
    registry = Registry.of([("scalar", lambda: insight_scalar)])
    here, away = (
        Client(Host(registry, one)).get(f"{BASE}/{route}", query_string=query) for one in (fake, provider)
    )
    assert (here.status_code, away.status_code) == (200, 200)
    assert isinstance(provider, Remote)
    assert provider.received == 0
    kept = ("Content-Type", "Content-Disposition")
    assert [away.headers.get(name) for name in kept] == [here.headers.get(name) for name in kept]
    if route == "cards":
        assert list(map(_parts, frames_of(away.data))) == list(map(_parts, frames_of(here.data)))
    elif query.get("format") not in ("safetensors", "display"):
        assert away.data == here.data
        assert len(here.data) > 100
    else:
        assert _parts(away.data) == _parts(here.data)


def _parts(frame: bytes) -> object:
    """The order of the parts of a frame is not fixed."""
    return metadata_of(frame), {name: column.tolist() for name, column in load(frame).items()}


def test_a_wrong_request_is_the_error_of_the_route(opened: Open) -> None:
    host = Client(Host(Registry.of([("scalar", lambda: insight_scalar)]), opened()))
    answers = [host.get(f"{BASE}/{path}") for path in ("cards", "nearest?at=1", "bands?tag=loss&group=(")]
    assert [answer.status_code for answer in answers] == [400, 400, 400]
    assert answers[1].json is not None
    assert answers[1].json["code"] == "missing_parameter"


def test_python_gets_what_a_chart_draws(opened: Open) -> None:
    provider = opened()
    [frame] = provider.compute("scalar", "cards", b'card={"tag":"loss","width":50}&run=a1')
    [series] = series_of(frame)
    assert (series["run"], series["range"]) == ("a1", [ANY, ANY])
    assert 50 <= len(series["steps"]) <= 4 * 50
    with pytest.raises(NotComputed, match="no 'colours'"):
        list(provider.compute("scalar", "colours", b""))
