"""Converts values to the forms that TensorBoard's plugins read, by claim.

Legacy values are converted as in TensorBoard's own data servers (tensorboard/data_compat.py,
tensorboard/data/server/data_compat.rs), MindSpore's values likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from attrs import frozen
from google.protobuf.message import DecodeError, Message
from numpy.typing import NDArray

from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import Tensor
from insight_core.plugin.payloads import tensor_of as decoded_tensor
from insight_core.plugin.schema import HistogramProto, histogram_proto, mindspore_histogram
from insight_core.plugin.schema import tensorboard_pb2 as tensorboard
from insight_record.formats.dtypes import TENSORFLOW_NUMBERS

SCALAR: int = tensorboard.DATA_CLASS_SCALAR
TENSOR: int = tensorboard.DATA_CLASS_TENSOR
BLOB_SEQUENCE: int = tensorboard.DATA_CLASS_BLOB_SEQUENCE


@frozen
class TensorBoardKind:
    """The plugin of TensorBoard that shows a value, and the data class in which it reads it."""

    plugin: str
    data_class: int


_SIMPLE_VALUE = EventField(Dialect.TENSORBOARD, "simple_value")
_HISTO = EventField(Dialect.TENSORBOARD, "histo")
_IMAGE = EventField(Dialect.TENSORBOARD, "image")
_AUDIO = EventField(Dialect.TENSORBOARD, "audio")
_GRAPH = EventField(Dialect.TENSORBOARD, "graph_def")
_RUN_METADATA = EventField(Dialect.TENSORBOARD, "tagged_run_metadata")
_MINDSPORE_SCALAR = EventField(Dialect.MINDSPORE, "scalar_value")
_MINDSPORE_HISTOGRAM = EventField(Dialect.MINDSPORE, "histogram")
_MINDSPORE_IMAGE = EventField(Dialect.MINDSPORE, "image")
_MINDSPORE_TENSOR = EventField(Dialect.MINDSPORE, "tensor")

_FIELD_KINDS: dict[Claim, TensorBoardKind] = {
    _SIMPLE_VALUE: TensorBoardKind("scalars", SCALAR),
    _HISTO: TensorBoardKind("histograms", TENSOR),
    _IMAGE: TensorBoardKind("images", BLOB_SEQUENCE),
    _AUDIO: TensorBoardKind("audio", BLOB_SEQUENCE),
    _GRAPH: TensorBoardKind("graphs", BLOB_SEQUENCE),
    _RUN_METADATA: TensorBoardKind("graph_tagged_run_metadata", BLOB_SEQUENCE),
    _MINDSPORE_SCALAR: TensorBoardKind("scalars", SCALAR),
    _MINDSPORE_HISTOGRAM: TensorBoardKind("histograms", TENSOR),
    _MINDSPORE_IMAGE: TensorBoardKind("images", BLOB_SEQUENCE),
    _MINDSPORE_TENSOR: TensorBoardKind("tensor", TENSOR),
}
_BLOBS: dict[Claim, int] = {
    _IMAGE: 3,
    _MINDSPORE_IMAGE: 3,
    _AUDIO: 1,
    _GRAPH: 1,
    _RUN_METADATA: 1,
}  # of one value
_SINGLE = ("graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model")  # one string, no shape
_WITH_LABELS = ("audio",)  # whose strings may be pairs of a value and its label
# Default if the metadata of a tensor have no data class.
_DATA_CLASSES = {
    "scalars": SCALAR,
    **dict.fromkeys(("histograms", "text", "hparams", "pr_curves", "mesh", "custom_scalars"), TENSOR),
    **dict.fromkeys(("images", "audio", *_SINGLE), BLOB_SEQUENCE),
}
# ImagePluginData and AudioPluginData: a blob sequence; of audio, in the encoding WAV.
_CONTENTS: dict[Claim, bytes] = {_IMAGE: b"\x10\x01", _MINDSPORE_IMAGE: b"\x10\x01", _AUDIO: b"\x18\x01"}
_WAV_CONTENT = b"\x10\x0b\x18\x01"


def kind_of(claim: Claim, data_class: int) -> TensorBoardKind | None:
    """The kind of values with this claim; None if TensorBoard cannot show them.

    ``data_class`` is that of the summary metadata.
    """
    if isinstance(claim, SummaryPlugin):
        known = data_class or _DATA_CLASSES.get(claim.name)
        return TensorBoardKind(claim.name, known) if known and claim.name else None
    return _FIELD_KINDS.get(claim)


def claims_of(plugin: str) -> frozenset[Claim]:
    """The claims of values that TensorBoard shows in ``plugin``."""
    fields = (claim for claim, kind in _FIELD_KINDS.items() if kind.plugin == plugin)
    return frozenset({SummaryPlugin(plugin), *fields})


def content_of(claim: Claim, content: bytes, first: Payload | None = None) -> bytes:
    """Plugin data for TensorBoard's plugin; ``first`` is the first audio value of the series."""
    if claim == _AUDIO and first is not None:
        audio = _parsed(tensorboard.Summary.Audio, first.data)
        return _WAV_CONTENT if audio.content_type == "audio/wav" else _CONTENTS[_AUDIO]
    return _CONTENTS.get(claim, content)


def says_how_it_is_encoded(claim: Claim) -> bool:
    """Whether content_of() needs the first value."""
    return claim == _AUDIO


def blob_count(claims: Sequence[Claim]) -> int | None:
    """Number of blobs in each value of a series; None if it depends on the values."""
    counts = {_BLOBS.get(claim) for claim in claims}
    return counts.pop() if len(counts) == 1 else None


def tensor_of(payload: Payload) -> tensorboard.TensorProto:
    """The value as a tensor. Raises ValueError for bytes that do not match their claim."""
    if isinstance(payload.claim, SummaryPlugin) and payload.data:
        return _parsed(tensorboard.TensorProto, payload.data)
    return _tensor(array_of(payload))


def array_of(payload: Payload) -> NDArray[Any]:
    """The elements of ``tensor_of``, strings as an object array of bytes. Raises ValueError."""
    if payload.claim == _HISTO:
        return _edges_and_counts(histogram_proto(payload.data))
    if payload.claim == _MINDSPORE_HISTOGRAM:
        found = mindspore_histogram(payload.data)
        return np.column_stack((found.left, found.left + found.width, found.counts))
    if isinstance(payload.claim, SummaryPlugin) and not payload.data:
        return np.zeros(0, np.float32)  # hparams say everything in the metadata
    if payload.claim == _MINDSPORE_TENSOR or isinstance(payload.claim, SummaryPlugin):
        return decoded_tensor(payload).values
    raise ValueError(f"{payload.claim} is not a tensor")


def number_of(payload: Payload) -> float:
    """The number of a tensor of one element. Raises ValueError for any other value."""
    tensor = decoded_tensor(payload)
    if tensor.values.size != 1 or tensor.values.dtype.kind not in "fiub":
        raise ValueError(f"the value of {payload.claim} is not one number")
    return float(tensor.values.item())


def blobs_of(payload: Payload) -> Sequence[bytes]:
    """The blobs of a value. Raises ValueError for bytes that do not match their claim."""
    claim, data = payload.claim, payload.data
    if claim in (_GRAPH, _RUN_METADATA):
        return [data]
    if claim == _AUDIO:
        return [_parsed(tensorboard.Summary.Audio, data).encoded_audio_string]
    if claim in (_IMAGE, _MINDSPORE_IMAGE):  # both dialects number the fields alike
        image = _parsed(tensorboard.Summary.Image, data)
        return [b"%d" % image.width, b"%d" % image.height, image.encoded_image_string]
    if isinstance(claim, SummaryPlugin):
        return _strings(claim.name, decoded_tensor(payload))
    raise ValueError(f"{claim} is not a blob sequence")


Parsed = TypeVar("Parsed", bound=Message)


def _parsed(kind: type[Parsed], data: bytes) -> Parsed:
    try:
        return kind.FromString(data)
    except DecodeError as error:
        raise ValueError(f"the value is not a valid {kind.DESCRIPTOR.name}") from error


def _data_type(name: str) -> str:
    return tensorboard.DataType.Name(TENSORFLOW_NUMBERS[name])


def _tensor(values: NDArray[Any]) -> tensorboard.TensorProto:
    dims = [tensorboard.TensorShapeProto.Dim(size=size) for size in values.shape]
    return tensorboard.TensorProto(
        dtype=_data_type(values.dtype.name),
        tensor_shape=tensorboard.TensorShapeProto(dim=dims),
        tensor_content=values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes(),
    )


def _edges_and_counts(histogram: HistogramProto) -> NDArray[np.float64]:
    """float64[k, 3]: left edge, right edge and count of each bucket; the outer edges are min and max."""
    rows = np.empty((len(histogram.counts), 3))
    if len(rows):
        rows[0, 0], rows[1:, 0] = histogram.min, histogram.limits[:-1]
        rows[:-1, 1], rows[-1, 1] = histogram.limits[:-1], histogram.max
        rows[:, 2] = histogram.counts
    return rows


def _strings(plugin: str, tensor: Tensor) -> Sequence[bytes]:
    rank = len(tensor.shape)
    if tensor.values.dtype != object:
        raise ValueError(f"the value of plugin {plugin} holds no strings")
    strings: list[bytes] = tensor.values.ravel().tolist()
    if plugin in _WITH_LABELS and rank == 2:  # pairs of a value and its label
        return strings[:: max(1, tensor.shape[1])]
    if rank == 1 or (rank == 0 and plugin in _SINGLE):
        return strings
    raise ValueError(f"the value of plugin {plugin} is of rank {rank}")
