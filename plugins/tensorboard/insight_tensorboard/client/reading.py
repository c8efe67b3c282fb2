"""Reads scalars, tensors and blob sequences from a server with TensorBoard's service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import EventField, InsightError, NotFound, TooLarge
from insight_core.plugin.grpc import LONG, Link, Method, services
from insight_core.plugin.grpc import packed_scalars_pb2 as packed
from insight_core.plugin.grpc import tensorboard_data_pb2 as pb
from insight_core.plugin.payloads import varints
from insight_core.plugin.schema import tensorboard_pb2 as tb
from insight_core.plugin.servers import Columns
from insight_tensorboard.client.listing import Listed, Shape

_SERVICE = f"/{services.TENSORBOARD}"
_READ_SCALARS = Method(f"{_SERVICE}/ReadScalars", packed.ReadScalarsResponse.FromString)
_READ_TENSORS = Method(f"{_SERVICE}/ReadTensors", pb.ReadTensorsResponse.FromString)
_READ_BLOBS = Method(f"{_SERVICE}/ReadBlobSequences", pb.ReadBlobSequencesResponse.FromString)
_READ_BLOB = Method(f"{_SERVICE}/ReadBlob", pb.ReadBlobResponse.FromString)

_EVERY_POINT = pb.Downsample(num_points=10**9)
_FIRST = 16  # series of the first request
_MOST = 1024
_AIM = 16 << 20  # bytes of an answer


@frozen(eq=False)
class Payloads:
    """Serialized tensors, or keys of blobs."""

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    tensors: tuple[bytes, ...] | None
    blobs: tuple[tuple[str, ...], ...] | None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Bytes of each payload; -1 for blobs, because the service does not report their sizes."""
        if self.tensors is None:
            return np.full(len(self.steps), -1, np.int64)
        return np.fromiter(map(len, self.tensors), np.int64, len(self.tensors))

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        held = self.tensors if self.tensors is not None else ()
        return 128 * len(self.steps) + sum(map(len, held))


def read_scalars(link: Link, wanted: Sequence[Listed]) -> Iterator[tuple[Listed, Columns]]:
    """Every point of these series; requests as many series at a time as fit into a message."""
    runs: dict[tuple[str, str], list[Listed]] = {}
    for one in wanted:
        runs.setdefault((one.source, one.run), []).append(one)
    left = [runs[key] for key in sorted(runs, reverse=True)]
    size = _FIRST
    while left:
        some = _portion(left, size)
        held = 1
        for one, columns in _scalars_of(link, some):
            held += sum(column.nbytes for column in columns.arrays())
            yield one, columns
        size = max(1, min(_MOST, _AIM * len(some) // held))


def scalar_columns(data: packed.ScalarData) -> Columns:
    """Steps, wall times and values. Raises ValueError when they differ in length."""
    steps = varints(data.step, 0, len(data.step)).view(np.int64)
    wall_times, values = np.frombuffer(data.wall_time, "<f8"), np.frombuffer(data.value, "<f4")
    if not len(steps) == len(wall_times) == len(values):
        raise ValueError(f"columns of {len(steps)} steps, {len(wall_times)} times, {len(values)} values")
    return Columns(steps, wall_times, values)


def read_payloads(link: Link, one: Listed) -> Payloads:
    """Steps and payloads of one series: tensors themselves, or keys of blobs. Raises NotFound."""
    arguments = _arguments([one])
    tensors: tuple[bytes, ...] | None = None
    blobs: tuple[tuple[str, ...], ...] | None = None
    if one.shape is Shape.TENSORS:
        answer = link.unary(_READ_TENSORS, pb.ReadTensorsRequest(**arguments), LONG)
        data = _only(answer, one).data
        tensors = tuple(value.SerializeToString() for value in data.value)
    else:
        sequences = link.unary(_READ_BLOBS, pb.ReadBlobSequencesRequest(**arguments), LONG)
        data = _only(sequences, one).data
        blobs = tuple(tuple(ref.blob_key for ref in value.blob_refs) for value in data.values)
    return Payloads(np.array(data.step, np.int64), np.array(data.wall_time, np.float64), tensors, blobs)


def _only(answer: Any, one: Listed) -> Any:  # noqa: ANN401
    """The one series of an answer."""
    for run in answer.runs:
        for tag in run.tags:
            return tag
    raise NotFound(f"the data server has no {one.source} {one.key.tag!r} of run {one.key.run!r} any more")


def read_blob(link: Link, key: str) -> bytes:
    """The bytes of the blob with this key."""
    pieces = link.stream(_READ_BLOB, pb.ReadBlobRequest(blob_key=key), LONG)
    return b"".join(piece.data for piece in pieces)


def payload_bytes(link: Link, one: Listed, payloads: Payloads, index: int) -> bytes:
    """One payload: a serialized TensorProto or, for claims of an event field, the message itself."""
    if payloads.tensors is not None:
        return payloads.tensors[index]
    blobs = [read_blob(link, key) for key in (payloads.blobs or ())[index]]
    if isinstance(one.claim, EventField):
        return b"".join(blobs)
    shape = tb.TensorShapeProto(dim=[tb.TensorShapeProto.Dim(size=len(blobs))])
    return tb.TensorProto(dtype=tb.DT_STRING, tensor_shape=shape, string_val=blobs).SerializeToString()


def number_bytes(value: float) -> bytes:
    """A number as a serialized rank-0 TensorProto."""
    shape = tb.TensorShapeProto()
    return tb.TensorProto(dtype=tb.DT_FLOAT, tensor_shape=shape, float_val=[value]).SerializeToString()


def _portion(left: list[list[Listed]], size: int) -> list[Listed]:
    """Removes series of one source from the end of the list: whole runs, since a request lists runs and
    tags separately.
    """
    portion = left.pop()
    if len(portion) > size:
        left.append(portion[size:])
        return portion[:size]
    while left and left[-1][0].source == portion[0].source and len(portion) + len(left[-1]) <= size:
        portion = portion + left.pop()
    return portion


def _scalars_of(link: Link, some: list[Listed]) -> Iterator[tuple[Listed, Columns]]:
    wanted = {(one.run, one.key.tag): one for one in some}
    try:
        answer = link.unary(_READ_SCALARS, pb.ReadScalarsRequest(**_arguments(some)), LONG)
    except TooLarge:
        if len(some) == 1:
            raise
        middle = len(some) // 2
        yield from _scalars_of(link, some[:middle])
        yield from _scalars_of(link, some[middle:])
        return
    for run in answer.runs:
        for tag in run.tags:
            one = wanted.get((run.run_name, tag.tag_name))
            if one is None:
                continue
            try:
                yield one, scalar_columns(tag.data)
            except ValueError as error:
                raise InsightError(f"{tag.tag_name!r} of run {run.run_name!r}: {error}") from error


def _arguments(some: Sequence[Listed]) -> dict[str, Any]:
    """The fields of a request for every point of series of one source."""
    return {
        "plugin_filter": pb.PluginFilter(plugin_name=some[0].source),
        "run_tag_filter": pb.RunTagFilter(
            runs=pb.RunFilter(names=sorted({one.run for one in some})),
            tags=pb.TagFilter(names=sorted({one.key.tag for one in some})),
        ),
        "downsample": _EVERY_POINT,
    }
