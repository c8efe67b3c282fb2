"""For decoders: payloads to tensors, histograms, image headers, framed records and protobuf fields.

For data providers the other way round: pictures, texts and arrays to payloads, as tabs claim and read them.
What else event files are made of is in ``insight_record.formats``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import ArrayLike

from insight_core.formats.dialects import Dialect
from insight_core.formats.histogram_messages import (
    read_histogram_proto,
    read_histogram_tensor,
    read_mindspore_histogram,
)
from insight_core.formats.histograms import Histogram
from insight_core.formats.histograms import histogram_of as histogram_of
from insight_core.formats.packed import varints
from insight_core.formats.tensors import Tensor, TensorHeader, read_tensor, read_tensor_header
from insight_core.message_types import MessageTypes
from insight_core.moved import old_names
from insight_core.plugin.claims import Claim, EventField, SummaryPlugin
from insight_core.plugin.data.provider import Payload
from insight_record.formats.dtypes import TENSORFLOW_NUMBERS
from insight_record.formats.framing import contents
from insight_record.formats.image_headers import ImageHeader, header_of
from insight_record.formats.image_messages import image_message, png
from insight_record.formats.protobuf import EIGHT_BYTES as EIGHT_BYTES
from insight_record.formats.protobuf import FOUR_BYTES, LENGTH_DELIMITED, VARINT, fields, signed
from insight_record.formats.protobuf import Malformed as Malformed
from insight_record.formats.protobuf import varint as varint
from insight_record.formats.tensor_messages import string_tensor, tensorflow_tensor

HISTO: Final = EventField(Dialect.TENSORBOARD, "histo")  # A HistogramProto.
_MINDSPORE_HISTOGRAM: Final = EventField(Dialect.MINDSPORE, "histogram")  # MindSpore's Histogram.
_HISTOGRAMS: Final = SummaryPlugin("histograms")  # A tensor of rows of left edge, right edge and count.
HISTOGRAM_CLAIMS: Final[frozenset[Claim]] = frozenset(
    {HISTO, _MINDSPORE_HISTOGRAM, _HISTOGRAMS}
)  # All claims whose payloads decoded_histogram reads.

_MINDSPORE_TENSOR = EventField(Dialect.MINDSPORE, "tensor")
_IMAGE = EventField(Dialect.TENSORBOARD, "image")
_TEXT = SummaryPlugin("text")
_TENSOR = SummaryPlugin("tensor")


def tensor_header(payload: Payload) -> TensorHeader:
    """Type and shape of a tensor, from its payload or the first bytes of it.

    Raises ValueError where these bytes do not tell.
    """
    return read_tensor_header(payload.data, _dialect(payload))


def tensor_of(payload: Payload) -> Tensor:
    """The tensor of a payload.

    Raises ValueError for bytes that are not a tensor, values that do not fit its shape, and absurd sizes.
    """
    return read_tensor(payload.data, _dialect(payload))


def decoded_histogram(payload: Payload) -> Histogram:
    """The histogram of a payload of HISTOGRAM_CLAIMS.

    Raises ValueError for bytes that are not a histogram, and for impossible buckets.
    """
    if payload.claim == HISTO:
        return read_histogram_proto(payload.data)
    if payload.claim == _MINDSPORE_HISTOGRAM:
        return read_mindspore_histogram(payload.data)
    return read_histogram_tensor(payload.data)


def image_payload(file: bytes) -> Payload:
    """A picture of the Images tab: the bytes of a PNG, JPEG, GIF, WebP or BMP file.

    Raises ValueError for other bytes.
    """
    header = header_of(file)
    return Payload(image_message(file, header.width, header.height, header.channels), _IMAGE)


def text_payload(*texts: str) -> Payload:
    """Texts of the Text tab, which is one record."""
    return Payload(string_tensor([text.encode() for text in texts]), _TEXT)


def tensor_payload(values: ArrayLike, claim: Claim = _TENSOR) -> Payload:
    """An array of numbers, or of texts and bytes, for ``tensor_of``: of the plugin that has the claim.

    Raises ValueError for a type of elements that TensorFlow does not have.
    """
    array = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    if array.dtype.kind in "OSU":
        strings = [each.encode() if isinstance(each, str) else each for each in array.flat]
        if strings and all(isinstance(each, bytes) for each in strings):
            return Payload(string_tensor(strings, array.shape), claim)
        array = np.asarray(values)
    if array.dtype.name not in TENSORFLOW_NUMBERS:
        raise ValueError(f"TensorFlow has no tensors of {array.dtype}")
    return Payload(b"".join(tensorflow_tensor(array)), claim)


def _dialect(payload: Payload) -> Dialect:
    return Dialect.MINDSPORE if payload.claim == _MINDSPORE_TENSOR else Dialect.TENSORBOARD


if not TYPE_CHECKING:  # type checkers would accept any name
    __getattr__ = old_names(__name__)


__all__ = [
    "FOUR_BYTES",
    "LENGTH_DELIMITED",
    "VARINT",
    "Histogram",
    "ImageHeader",
    "MessageTypes",
    "Tensor",
    "TensorHeader",
    "contents",
    "decoded_histogram",
    "fields",
    "header_of",
    "image_payload",
    "png",
    "signed",
    "tensor_header",
    "tensor_of",
    "tensor_payload",
    "text_payload",
    "varints",
]
