"""For decoders: payloads to tensors, histograms, image headers, framed records and protobuf fields.

What else event files are made of is in ``insight_record.formats``.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Final

from insight_core.formats.dialects import Dialect
from insight_core.formats.histogram_messages import (
    read_histogram_proto,
    read_histogram_tensor,
    read_mindspore_histogram,
)
from insight_core.formats.histograms import Histogram, histogram_of
from insight_core.formats.packed import varints
from insight_core.formats.tensors import Tensor, TensorHeader, read_tensor, read_tensor_header
from insight_core.message_types import MessageTypes
from insight_core.plugin.claims import Claim, EventField, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_record.formats.framing import contents
from insight_record.formats.image_headers import ImageHeader, header_of
from insight_record.formats.protobuf import (
    EIGHT_BYTES,
    FOUR_BYTES,
    LENGTH_DELIMITED,
    VARINT,
    Malformed,
    fields,
    signed,
    varint,
)

HISTO: Final = EventField(Dialect.TENSORBOARD, "histo")  # A HistogramProto.
_MINDSPORE_HISTOGRAM: Final = EventField(Dialect.MINDSPORE, "histogram")  # MindSpore's Histogram.
_HISTOGRAMS: Final = SummaryPlugin("histograms")  # A tensor of rows of left edge, right edge and count.
HISTOGRAM_CLAIMS: Final[frozenset[Claim]] = frozenset(
    {HISTO, _MINDSPORE_HISTOGRAM, _HISTOGRAMS}
)  # All claims whose payloads decoded_histogram reads.

_MINDSPORE_TENSOR = EventField(Dialect.MINDSPORE, "tensor")


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


def _dialect(payload: Payload) -> Dialect:
    return Dialect.MINDSPORE if payload.claim == _MINDSPORE_TENSOR else Dialect.TENSORBOARD


_MOVED = {  # names of the last release, and where they are
    **dict.fromkeys(("HEADER_SIZE", "RecordProblem", "record"), "insight_record.formats.framing"),
    **dict.fromkeys(
        ("MINDSPORE_TYPES", "TENSORFLOW_TYPES", "tensorflow_type_name"), "insight_record.formats.dtypes"
    ),
}

if not TYPE_CHECKING:  # type checkers would accept any name

    def __getattr__(name: str) -> object:
        if name not in _MOVED:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        text = f"{__name__}.{name} is deprecated: it is {_MOVED[name]}.{name}"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return getattr(import_module(_MOVED[name]), name)


__all__ = [
    "EIGHT_BYTES",
    "FOUR_BYTES",
    "HISTO",
    "HISTOGRAM_CLAIMS",
    "LENGTH_DELIMITED",
    "VARINT",
    "Histogram",
    "ImageHeader",
    "Malformed",
    "MessageTypes",
    "Tensor",
    "TensorHeader",
    "contents",
    "decoded_histogram",
    "fields",
    "header_of",
    "histogram_of",
    "signed",
    "tensor_header",
    "tensor_of",
    "varint",
    "varints",
]
