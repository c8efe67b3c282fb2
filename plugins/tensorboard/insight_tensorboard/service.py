"""The gRPC service ``tensorboard.data.TensorBoardDataProvider``, compatible with TensorBoard's data server.

Errors, their texts, and the meaning of absent and empty filters follow tensorboard/data/server/server.rs;
docs/reference/grpc_api.md lists the differences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.data import DataProvider
from insight_core.plugin.grpc import errors
from insight_core.plugin.grpc import packed_scalars_pb2 as packed
from insight_core.plugin.grpc import services as schema
from insight_core.plugin.grpc import tensorboard_data_pb2 as messages
from insight_tensorboard.view.catalog import TensorBoardSeries
from insight_tensorboard.view.series_reader import SeriesReader
from insight_tensorboard.view.translation import (
    BLOB_SEQUENCE,
    SCALAR,
    TENSOR,
    TensorBoardKind,
    tensor_of,
)


class _Filtered(Protocol):
    """A request with a plugin and optional filters of runs and tags."""

    @property
    def plugin_filter(self) -> messages.PluginFilter: ...
    @property
    def run_tag_filter(self) -> messages.RunTagFilter: ...


class _Sampled(_Filtered, Protocol):
    """A request with a maximum number of points per series."""

    @property
    def downsample(self) -> messages.Downsample: ...
    def HasField(self, field_name: Literal["downsample"], /) -> bool: ...


_Listing = TypeVar(
    "_Listing",
    messages.ListScalarsResponse,
    messages.ListTensorsResponse,
    messages.ListBlobSequencesResponse,
)


def services(data: DataProvider) -> Mapping[str, object]:
    """TensorBoard's service of this data, by its name."""
    return {schema.TENSORBOARD: TensorBoardService(data)}


class TensorBoardService:
    """Serves ``provider``. There is one experiment; its id is ignored."""

    def __init__(self, provider: DataProvider) -> None:
        self._reader = SeriesReader(provider)

    @errors.unary
    def GetExperiment(self, request: messages.GetExperimentRequest) -> messages.GetExperimentResponse:
        """The location of the data."""
        return messages.GetExperimentResponse(data_location=errors.printable(self._reader.location()))

    @errors.unary
    def ListPlugins(self, request: messages.ListPluginsRequest) -> messages.ListPluginsResponse:
        """Plugins that have series."""
        plugins = [messages.Plugin(name=name) for name in self._reader.plugins()]
        return messages.ListPluginsResponse(plugins=plugins)

    @errors.unary
    def ListRuns(self, request: messages.ListRunsRequest) -> messages.ListRunsResponse:
        """Runs by start time."""
        runs = [messages.Run(name=name, start_time=start) for start, name in self._reader.runs()]
        return messages.ListRunsResponse(runs=runs)

    @errors.unary
    def ListScalars(self, request: messages.ListScalarsRequest) -> messages.ListScalarsResponse:
        """Scalar series."""
        return self._list(self._entries(request, SCALAR), messages.ListScalarsResponse())

    @errors.unary
    def ReadScalars(self, request: messages.ReadScalarsRequest) -> packed.ReadScalarsResponse:
        """Points of scalar series, downsampled as requested."""
        found = self._entries(request, SCALAR)
        limit = _limit(request)
        response = packed.ReadScalarsResponse()
        size = 0
        entries = [entry for tags in found.values() for entry in tags.values()]
        for entry, numbers in self._reader.numbers(entries, limit):
            if not response.runs or response.runs[-1].run_name != entry.key.run:
                response.runs.add(run_name=entry.key.run)
            data = response.runs[-1].tags.add(tag_name=entry.key.tag).data
            data.SetInParent()
            data.step = packed_varints(numbers.steps)
            data.wall_time = numbers.wall_times.astype("<f8", copy=False).tobytes()
            with np.errstate(over="ignore"):  # a double beyond float32 becomes infinite
                data.value = numbers.values.astype("<f4", copy=False).tobytes()
            size = _within(size + data.ByteSize())
        return response

    @errors.unary
    def ListTensors(self, request: messages.ListTensorsRequest) -> messages.ListTensorsResponse:
        """Tensor series."""
        return self._list(self._entries(request, TENSOR), messages.ListTensorsResponse())

    @errors.unary
    def ReadTensors(self, request: messages.ReadTensorsRequest) -> messages.ReadTensorsResponse:
        """Values of tensor series; damaged ones are omitted."""
        found = self._entries(request, TENSOR)
        limit = _limit(request)
        response = messages.ReadTensorsResponse()
        size = 0
        for run, tags in found.items():
            read = response.runs.add(run_name=run)
            for tag, entry in tags.items():
                data = read.tags.add(tag_name=tag).data
                data.SetInParent()
                for step, wall_time, tensor in self._reader.values(entry, limit, tensor_of):
                    data.step.append(step)
                    data.wall_time.append(wall_time)
                    data.value.append(tensor)
                    size = _within(size + tensor.ByteSize())
        return response

    @errors.unary
    def ListBlobSequences(
        self, request: messages.ListBlobSequencesRequest
    ) -> messages.ListBlobSequencesResponse:
        """Blob series."""
        return self._list(self._entries(request, BLOB_SEQUENCE), messages.ListBlobSequencesResponse())

    @errors.unary
    def ReadBlobSequences(
        self, request: messages.ReadBlobSequencesRequest
    ) -> messages.ReadBlobSequencesResponse:
        """Keys of the blobs of series."""
        found = self._entries(request, BLOB_SEQUENCE)
        limit = _limit(request)
        response = messages.ReadBlobSequencesResponse()
        for run, tags in found.items():
            read = response.runs.add(run_name=run)
            for tag, entry in tags.items():
                data = read.tags.add(tag_name=tag).data
                data.SetInParent()
                for step, wall_time, keys in self._reader.blob_keys(entry, limit):
                    data.step.append(step)
                    data.wall_time.append(wall_time)
                    references = [messages.BlobReference(blob_key=key) for key in keys]
                    data.values.add(blob_refs=references)
        return response

    @errors.stream
    def ReadBlob(
        self, request: messages.ReadBlobRequest, context: errors.Context
    ) -> Iterator[messages.ReadBlobResponse]:
        """Streams the bytes of one blob. DATA_LOSS if it is damaged."""
        blob = self._reader.blob(request.blob_key)
        for start in range(0, len(blob), schema.PIECE):
            yield messages.ReadBlobResponse(data=blob[start : start + schema.PIECE])

    def _entries(self, request: _Filtered, data_class: int) -> Mapping[str, Mapping[str, TensorBoardSeries]]:
        plugin = request.plugin_filter.plugin_name
        if not plugin:
            raise InvalidArgument("must specify non-empty plugin name")
        asked = request.run_tag_filter
        runs = asked.runs.names if asked.HasField("runs") else None
        tags = asked.tags.names if asked.HasField("tags") else None
        return self._reader.entries(TensorBoardKind(plugin, data_class), runs, tags)

    def _list(self, found: Mapping[str, Mapping[str, TensorBoardSeries]], response: _Listing) -> _Listing:
        for run, tags in found.items():
            listed = response.runs.add(run_name=run)
            for tag, entry in tags.items():
                metadata = listed.tags.add(tag_name=tag).metadata
                metadata.max_step, metadata.max_wall_time = entry.last_step, entry.last_wall_time
                if isinstance(metadata, messages.BlobSequenceMetadata):
                    metadata.max_length = self._reader.longest(entry)
                metadata.summary_metadata.CopyFrom(self._reader.metadata(entry))
        return response


def _limit(request: _Sampled) -> int:
    """Maximum number of points per series."""
    if not request.HasField("downsample"):
        raise InvalidArgument("must specify downsample")
    limit = request.downsample.num_points
    if limit < 0:
        raise InvalidArgument(f"num_points must be non-negative; got {limit}")
    return limit


def _within(size: int) -> int:
    """Checks the ``size`` of an answer. Raises TooMuch if TensorBoard could not receive it."""
    if size > schema.LARGEST_MESSAGE * 63 // 64:
        raise errors.TooMuch("the answer is longer than 256 MiB: ask for fewer runs, tags or points")
    return size


def packed_varints(numbers: NDArray[np.int64]) -> bytes:
    """The elements of a packed ``repeated int64`` field."""
    if not len(numbers):
        return b""
    bits = numbers.astype(np.int64).view(np.uint64)
    widest = max(1, -(-int(bits.max()).bit_length() // 7))
    groups = np.empty((len(bits), widest), np.uint8)
    written = np.empty((len(bits), widest), bool)
    for place in range(widest):
        rest = bits >> np.uint64(7 * place)
        more = rest >> np.uint64(7) != 0
        groups[:, place] = (rest & np.uint64(0x7F)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        written[:, place] = rest != 0 if place else True
    return groups[written].tobytes()
