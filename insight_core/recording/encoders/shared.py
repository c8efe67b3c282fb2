"""Encoders of kinds that are equal in both dialects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from insight_core.formats.protobuf import message_field
from insight_core.recording.encoders.encoder import EncodedValue
from insight_core.recording.value_checks import histogram_of, image_of

_IMAGE = 4  # of a value


def image(name: str, value: object) -> list[EncodedValue]:
    """A picture, encoded when it is written. ValueError or TypeError for a value that is none."""
    size, encode = image_of(value)
    return [EncodedValue(name, "summary", size, lambda: [message_field(_IMAGE, encode())])]


def histogram(
    field: int, message: Callable[[NDArray[Any]], bytes], name: str, value: object
) -> list[EncodedValue]:
    """A histogram, as ``message`` encodes the array, in the given field of a summary's value.

    Raises ValueError or TypeError for a value that is not an array of real numbers.
    """
    size, encode = histogram_of(value, message)
    return [EncodedValue(name, "summary", size, lambda: [message_field(field, encode())])]
