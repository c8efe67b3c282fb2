"""The tabs of images, histograms and tensors answer alike whoever reads the logs."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import insight_histogram
import insight_image
import insight_scalar
import insight_tensor
import numpy as np
import pytest
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.client.rust_server import rust_server
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.data import DataProvider
from insight_core.providers.child import ChildLink
from insight_core.providers.insight_client import InsightProvider
from insight_core.providers.link import Link
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.rpc.serving import serve
from insight_core.web import Host
from tests.waiting import eventually

MODULES = {
    "scalar": insight_scalar,
    "image": insight_image,
    "histogram": insight_histogram,
    "tensor": insight_tensor,
}


@pytest.fixture(scope="module")
def registry() -> Registry:
    found = Registry.of([(name, partial(MODULES.__getitem__, name)) for name in MODULES])
    assert not found.failures
    return found


@pytest.fixture(scope="module")
def local(registry: Registry, sample_logs: Path) -> Iterator[LocalProvider]:
    provider = LocalProvider([Logdir(str(sample_logs))], registry.plugins.values(), reload_interval=0)
    provider.load()
    yield provider
    provider.close()


class Tabs:
    """Asks the routes of one host."""

    def __init__(self, registry: Registry, data: DataProvider) -> None:
        self._client = Client(Host(registry, data))

    def bytes(self, path: str, **query: object) -> bytes:
        answer = self._client.get(f"/data/plugin/{path}", query_string=query)
        assert answer.status_code == 200, f"{path} {query}: {answer.status} {answer.text}"
        content: bytes = answer.data
        return content

    def json(self, path: str, **query: object) -> Any:  # noqa: ANN401
        return json.loads(self.bytes(path, **query))

    def series(self, plugin: str) -> list[dict[str, str]]:
        tags = self.json(f"{plugin}/tags")
        return [{"run": run, "tag": tag} for run in sorted(tags) for tag in sorted(tags[run])]


def test_over_a_data_server_of_ours(registry: Registry, local: LocalProvider) -> None:
    with ExitStack() as opened:
        server = serve(local, "127.0.0.1", 0, version="test")
        opened.callback(server.stop)
        data = InsightProvider(Link(f"127.0.0.1:{server.port}"))
        opened.callback(data.close)
        here, there = Tabs(registry, local), Tabs(registry, data)
        asked = 0
        for plugin, routes in {
            "image": ("image", "thumbnail", "info"),
            "histogram": ("histograms", "comparison"),
            "tensor": ("values", "npy", "statistics", "headers", "histograms"),
        }.items():
            assert there.json(f"{plugin}/tags") == here.json(f"{plugin}/tags")
            for series in here.series(plugin):
                for attempts in ("last", "all"):
                    steps = here.json(f"{plugin}/records", **series, attempts=attempts)["steps"]
                    query = {**series, "attempts": attempts, "index": 1, "step": steps[1]}
                    for route in ("records", *routes):
                        asked += 1
                        assert there.bytes(f"{plugin}/{route}", **query) == here.bytes(
                            f"{plugin}/{route}", **query
                        )
        assert asked > 300


def test_over_the_data_server_in_rust(registry: Registry, local: LocalProvider, sample_logs: Path) -> None:
    """Pictures and tensors are the same; histograms arrive without the smallest and largest value."""
    with ExitStack() as opened:
        flags = [f"--logdir={sample_logs / 'torch'}", "--reload=once"]
        link = ChildLink([rust_server(), *flags, "--samples-per-plugin=images=all,histograms=all"])
        data = TensorBoardProvider(link, registry.plugins.values(), interval=0.1, prefix="torch")
        opened.callback(data.close)
        data.start()
        eventually(lambda: link.reason is None)
        here, there = Tabs(registry, local), Tabs(registry, data)
        wanted = [series for series in here.series("image") if series["run"].startswith("torch/")]
        eventually(lambda: there.series("image") == wanted)
        for series in wanted:
            count = len(here.json("image/records", **series)["steps"])
            assert len(there.json("image/records", **series)["steps"]) == count > 1
            for index in range(count):
                assert there.bytes("image/image", **series, index=index) == here.bytes(
                    "image/image", **series, index=index
                )
        curves = [series for series in here.series("histogram") if series["run"].startswith("torch/")]
        assert there.series("histogram") == curves
        for series in curves:
            mine, other = (tabs.json("histogram/histograms", **series, bins=10) for tabs in (here, there))
            assert mine["steps"] == other["steps"]
            np.testing.assert_allclose(np.sum(other["counts"], axis=1), np.sum(mine["counts"], axis=1))
            wide = mine["edges"][-1] - mine["edges"][0]
            np.testing.assert_allclose(other["edges"], mine["edges"], rtol=0, atol=0.1 * wide)
        others = {"run": "torch/lr0.02_seed0", "tag": "pr/class0", "index": 5}
        mine, other = (np.load(io.BytesIO(tabs.bytes("tensor/npy", **others))) for tabs in (here, there))
        np.testing.assert_array_equal(other, mine)
