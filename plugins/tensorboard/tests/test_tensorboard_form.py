"""Compares a TensorBoard data server's view of the sample logs with the files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import insight_scalar
import numpy as np
import pytest
from insight_tensorboard.client.provider import TensorBoardProvider
from insight_tensorboard.client.rust_server import rust_server

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import ScalarQuery, SeriesInfo, SeriesKey
from insight_core.providers.child import ChildLink
from insight_core.providers.local import LocalProvider
from insight_core.rpc.schema import tensorboard_pb2 as tb
from tests.waiting import eventually

SCALAR = insight_scalar.insight_plugin()
LOGS = Path(__file__).parents[3] / "examples/logs"
# What a file holds in an old form arrives in the newest one.
NEWEST = {
    "tensorboard:histo": "plugin:histograms",
    "tensorboard:image": "plugin:images",
    "tensorboard:audio": "plugin:audio",
}
# What the server in Rust leaves out: it is of no plugin that it knows, and names no class of data.
LEFT_OUT = {"plugin:tensor", "tensorboard:meta_graph_def"}


@pytest.fixture(scope="module")
def local() -> Iterator[LocalProvider]:
    logdir = Logdir(str(LOGS), dialects=frozenset({Dialect.TENSORBOARD}))
    provider = LocalProvider([logdir], [SCALAR], reload_interval=0, folds=False)  # as the other server
    provider.load()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def remote(local: LocalProvider) -> Iterator[TensorBoardProvider]:
    samples = ",".join(f"{name}=all" for name in ("scalars", "histograms", "images", "text", "pr_curves"))
    flags = [f"--logdir={LOGS}", "--reload=once", f"--samples-per-plugin={samples}"]
    link = ChildLink([rust_server(), *flags])
    provider = TensorBoardProvider(link, [SCALAR], interval=0.1)
    provider.start()
    eventually(lambda: link.reason is None)
    wanted = {run.name for run in local.runs()}
    eventually(lambda: {run.name for run in provider.runs()} == wanted)
    yield provider
    provider.close()


def by_key(found: object) -> dict[SeriesKey, SeriesInfo]:
    assert isinstance(found, list)
    return {info.key: info for info in found}


def test_runs(local: LocalProvider, remote: TensorBoardProvider) -> None:
    assert [(r.name, r.start_time, r.dialects) for r in remote.runs()] == [
        (r.name, r.start_time, r.dialects) for r in local.runs()
    ]


def test_numbers_are_those_of_the_files(local: LocalProvider, remote: TensorBoardProvider) -> None:
    wanted, found = by_key(local.series("scalar")), by_key(remote.series("scalar"))
    assert found.keys() == wanted.keys()
    for key, info in wanted.items():
        for name in ("points", "kept", "first_step", "last_step", "attempts"):
            assert getattr(found[key], name) == getattr(info, name), (key, name)
    expected = local.scalars("scalar", list(wanted))
    for key, columns in remote.scalars("scalar", list(wanted), ScalarQuery()).items():
        np.testing.assert_array_equal(columns.steps, expected[key].steps)
        np.testing.assert_array_equal(columns.wall_times, expected[key].wall_times)
        np.testing.assert_array_equal(columns.values, expected[key].values.astype(np.float32))


def test_how_many_tensors_there_are_is_known_once_they_were_read(remote: TensorBoardProvider) -> None:
    """The first test that looks at them."""
    key = list(by_key(remote.series("plugin:pr_curves")))[-1]
    before = by_key(remote.series("plugin:pr_curves"))[key]
    assert (before.points, before.first_step) == (0, before.last_step)
    count = len(remote.records("plugin:pr_curves", key).steps)
    after = by_key(remote.series("plugin:pr_curves"))[key]
    assert (after.points, after.kept) == (count, count)
    assert after.first_step < after.last_step


def test_records_are_at_the_same_steps(local: LocalProvider, remote: TensorBoardProvider) -> None:
    compared = 0
    for plugin in set(local.plugins()) - {"scalar", "plugin:hparams"}:
        newest = NEWEST.get(plugin, plugin)
        if newest not in remote.plugins():
            assert plugin in LEFT_OUT
            continue
        for info in local.series(plugin):
            wanted, found = local.records(plugin, info.key), remote.records(newest, info.key)
            np.testing.assert_array_equal(found.steps, wanted.steps)
            np.testing.assert_array_equal(found.wall_times, wanted.wall_times)
            compared += 1
    assert compared > 20


def test_payloads_are_messages_of_their_claim(remote: TensorBoardProvider) -> None:
    key = next(iter(by_key(remote.series("plugin:histograms"))))
    payload = remote.payload("plugin:histograms", key, 0)
    assert payload.claim == SummaryPlugin("histograms")
    histogram = tb.TensorProto.FromString(payload.data)
    assert [dim.size for dim in histogram.tensor_shape.dim][1:] == [3]
    assert remote.records("plugin:histograms", key).sizes[0] == len(payload.data)
    key = next(iter(by_key(remote.series("plugin:images"))))
    payload = remote.payload("plugin:images", key, 0)
    width, height, picture, *_ = tb.TensorProto.FromString(payload.data).string_val
    assert int(width) > 0
    assert int(height) > 0
    assert picture.startswith(b"\x89PNG")
    assert remote.records("plugin:images", key).sizes[0] == -1
    key = next(iter(by_key(remote.series("tensorboard:graph_def"))))
    assert key.tag == "__run_graph__"
    payload = remote.payload("tensorboard:graph_def", key, 0)
    assert payload.claim == EventField(Dialect.TENSORBOARD, "graph_def")
    assert b"IO Node" in payload.data


def test_metadata_comes_with_the_series(local: LocalProvider, remote: TensorBoardProvider) -> None:
    wanted, found = by_key(local.series("plugin:hparams")), by_key(remote.series("plugin:hparams"))
    assert found.keys() == wanted.keys()
    assert {key: info.content for key, info in found.items()} == {
        key: info.content for key, info in wanted.items()
    }
