"""Encodes the kinds of values that both dialects record in the same way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import numbers_of, snapshot
from insight_record.encoders.encoder import EncodedValue
from insight_record.events import GRAPH
from insight_record.formats.image_headers import header_of
from insight_record.formats.image_messages import image_message, png
from insight_record.formats.protobuf import Pieces, message_field, pieces_field
from insight_record.graphs import Node, checked_graph, nodes_of
from insight_record.images import bytes_of_pixels, pixels_of

_IMAGE = 4  # of a value


def image(name: str, value: object) -> list[EncodedValue]:
    """An image, from pixels or an encoded file. Raises ValueError or TypeError for other values."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        file = bytes(value)
        header = header_of(file)
        content = image_message(file, header.width, header.height, header.channels)
        return [EncodedValue(name, "summary", len(content), lambda: [message_field(_IMAGE, content)])]
    pixels = snapshot(pixels_of(value))

    def encode() -> Pieces:
        height, width, channels = pixels.shape
        return [message_field(_IMAGE, image_message(png(bytes_of_pixels(pixels)), width, height, channels))]

    return [EncodedValue(name, "summary", pixels.nbytes, encode)]


def histogram(
    field: int, message: Callable[[NDArray[Any]], bytes], name: str, value: object
) -> list[EncodedValue]:
    """A histogram, as ``message`` encodes the array, in the given field of a summary's value.

    Raises ValueError or TypeError for a value that is not an array of real numbers.
    """
    array = snapshot(numbers_of(value))
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    return [EncodedValue(name, "summary", array.nbytes, lambda: [message_field(field, message(array))])]


def graph(message: Callable[[Sequence[Node]], bytes], name: str, value: object) -> list[EncodedValue]:
    """A graph: an encoded message, or a list of nodes that ``message`` encodes."""
    content = checked_graph(value) if isinstance(value, bytes) else message(nodes_of(value))
    return [EncodedValue(name, "event", len(content), lambda: pieces_field(GRAPH, [content]))]


def lineage(field: int, message: Callable[[object], bytes], name: str, value: object) -> list[EncodedValue]:
    """An event of the lineage file, with the message in the given field."""
    content = message_field(field, message(value))
    return [EncodedValue(name, "lineage", len(content), lambda: [content])]
