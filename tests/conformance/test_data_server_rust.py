"""Every call of our data server answers what TensorBoard's own data server answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
import tensorboard_data_server  # type: ignore[import-untyped]

from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from tests.conformance.data_servers import OURS, Reader, running, until

KINDS = ("Scalars", "Tensors", "BlobSequences")
PLUGINS = (
    "scalars",
    "histograms",
    "images",
    "audio",
    "text",
    "pr_curves",
    "hparams",
    "graphs",
    "graph_keras_model",
    "graph_tagged_run_metadata",
    "graph_run_metadata_graph",
    "mesh",
    "custom_scalars",
)


@pytest.fixture(scope="module", params=["torch", "keras"])
def servers(
    request: pytest.FixtureRequest, sample_logs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Reader, Reader]]:
    """Ours and theirs, on the same logs, loaded."""
    place = tmp_path_factory.mktemp("servers")
    logdir = sample_logs / request.param
    every = "--samples-per-plugin=" + ",".join(f"{name}=all" for name in PLUGINS)
    rust = [str(tensorboard_data_server.server_binary()), every]
    with running(OURS, logdir, place) as our_address, running(rust, logdir, place) as their_address:
        readers = Reader(our_address), Reader(their_address)
        try:
            until(lambda: readers[0].points() == readers[1].points() > 0)
            yield readers
        finally:
            for reader in readers:
                reader.close()


def test_runs_and_plugins(servers: tuple[Reader, Reader]) -> None:
    ours, theirs = servers
    assert ours.runs() == theirs.runs()
    assert ours.plugins() == theirs.plugins()


@pytest.mark.parametrize("plugin", PLUGINS)
def test_lists(servers: tuple[Reader, Reader], plugin: str) -> None:
    ours, theirs = servers
    for kind in KINDS:
        mine, other = ours.listed(kind, plugin), theirs.listed(kind, plugin)
        if plugin == "audio":  # ours say that it is WAV
            for metadata in mine.values():
                assert metadata.summary_metadata.plugin_data.content == b"\x10\x0b\x18\x01"
                metadata.summary_metadata.plugin_data.content = b"\x18\x01"
        assert mine == other


@pytest.mark.parametrize("plugin", PLUGINS)
def test_values(servers: tuple[Reader, Reader], plugin: str) -> None:
    ours, theirs = servers
    for kind in KINDS:
        assert ours.read(kind, plugin) == theirs.read(kind, plugin)


@pytest.mark.parametrize("plugin", ["scalars", "histograms", "images"])
def test_downsampled_values_are_as_many_and_end_with_the_same(
    servers: tuple[Reader, Reader], plugin: str
) -> None:
    ours, theirs = servers
    for kind in KINDS:
        for limit in (0, 1, 3):
            mine, other = ours.read(kind, plugin, limit=limit), theirs.read(kind, plugin, limit=limit)
            assert mine.keys() == other.keys()
            for key, columns in mine.items():
                assert len(columns["step"]) == len(other[key]["step"])
                assert [column[-1:] for column in columns.values()] == [
                    column[-1:] for column in other[key].values()
                ]


def _refusal(call: grpc.UnaryUnaryMultiCallable, request: object) -> tuple[grpc.StatusCode, str | None]:  # type: ignore[type-arg]
    with pytest.raises(grpc.RpcError) as caught:
        call(request)
    return caught.value.code(), caught.value.details()


def test_what_is_refused_and_why(servers: tuple[Reader, Reader]) -> None:
    for kind in KINDS:
        listing, reading = (getattr(messages, f"{verb}{kind}Request") for verb in ("List", "Read"))
        named = messages.PluginFilter(plugin_name="scalars")
        requests = [
            (f"List{kind}", listing()),
            (f"Read{kind}", reading(plugin_filter=named)),
            (f"Read{kind}", reading(plugin_filter=named, downsample=messages.Downsample(num_points=-1))),
            (f"Read{kind}", reading(downsample=messages.Downsample(num_points=1))),
            (f"Read{kind}", reading()),
        ]
        for name, request in requests:
            ours, theirs = (_refusal(getattr(server.stub, name), request) for server in servers)
            assert ours == theirs


def test_filters(servers: tuple[Reader, Reader]) -> None:
    ours, theirs = servers
    run = ours.runs()[0][0]
    tag = next(tag for name, tag in ours.listed("Scalars", "scalars") if name == run)
    runs = [None, [], [run], [run, "nothing"]]
    tags = [None, [], [tag], [tag, "nothing"]]
    for some in runs:
        for these in tags:
            chosen = messages.RunTagFilter(
                runs=None if some is None else messages.RunFilter(names=some),
                tags=None if these is None else messages.TagFilter(names=these),
            )
            request = messages.ListScalarsRequest(
                plugin_filter=messages.PluginFilter(plugin_name="scalars"), run_tag_filter=chosen
            )
            mine, other = (
                {
                    run.run_name: {tag.tag_name for tag in run.tags}
                    for run in server.stub.ListScalars(request).runs
                }
                for server in (ours, theirs)
            )
            assert mine == other
