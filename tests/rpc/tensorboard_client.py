"""Questions to TensorBoard's service, and values to answer them with."""

from __future__ import annotations

import numpy as np

from insight_authoring.testing import wire
from insight_core.plugin import Dialect, EventField, Plugin, RecordDecoder, SummaryPlugin
from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema import tensorboard_pb2 as values
from tests.rpc.conftest import Client

HISTOGRAM = Plugin(
    name="histogram",
    title="Histograms",
    decoder=RecordDecoder(
        claims={
            EventField(Dialect.TENSORBOARD, "histo"),
            EventField(Dialect.MINDSPORE, "histogram"),
            SummaryPlugin("histograms"),
        }
    ),
)


def named(plugin: str) -> messages.PluginFilter:
    return messages.PluginFilter(plugin_name=plugin)


def chosen(runs: list[str] | None = None, tags: list[str] | None = None) -> messages.RunTagFilter:
    return messages.RunTagFilter(
        runs=None if runs is None else messages.RunFilter(names=runs),
        tags=None if tags is None else messages.TagFilter(names=tags),
    )


def scalars(client: Client, limit: int = 10**6) -> dict[tuple[str, str], messages.ScalarData]:
    request = messages.ReadScalarsRequest(
        plugin_filter=named("scalars"), downsample=messages.Downsample(num_points=limit)
    )
    answer = client.tensorboard.ReadScalars(request)
    return {(run.run_name, tag.tag_name): tag.data for run in answer.runs for tag in run.tags}


def tensors(client: Client, plugin: str) -> dict[tuple[str, str], messages.TensorData]:
    request = messages.ReadTensorsRequest(
        plugin_filter=named(plugin), downsample=messages.Downsample(num_points=10**6)
    )
    answer = client.tensorboard.ReadTensors(request)
    return {(run.run_name, tag.tag_name): tag.data for run in answer.runs for tag in run.tags}


def blobs(client: Client, plugin: str) -> dict[tuple[str, str], list[tuple[int, list[bytes]]]]:
    request = messages.ReadBlobSequencesRequest(
        plugin_filter=named(plugin), downsample=messages.Downsample(num_points=10**6)
    )
    answer = client.tensorboard.ReadBlobSequences(request)
    return {
        (run.run_name, tag.tag_name): [
            (step, [blob(client, reference.blob_key) for reference in value.blob_refs])
            for step, value in zip(tag.data.step, tag.data.values, strict=True)
        ]
        for run in answer.runs
        for tag in run.tags
    }


def blob(client: Client, key: str) -> bytes:
    request = messages.ReadBlobRequest(blob_key=key)
    return b"".join(part.data for part in client.tensorboard.ReadBlob(request))


def matrix(tensor: values.TensorProto) -> list[list[float]]:
    assert tensor.dtype == values.DT_DOUBLE
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    rows: list[list[float]] = np.frombuffer(tensor.tensor_content, "<f8").reshape(shape).tolist()
    return rows


def histogram_value(tag: str) -> bytes:
    histogram = values.HistogramProto(min=-0.5, max=3.5, num=6, bucket_limit=[0, 1, 9], bucket=[1, 2, 3])
    return wire.message_field(1, tag.encode()) + wire.message_field(5, histogram.SerializeToString())


def mindspore_value(tag: str, number: int, message: object) -> bytes:
    assert hasattr(message, "SerializeToString")
    return wire.message_field(1, tag.encode()) + wire.message_field(number, message.SerializeToString())
