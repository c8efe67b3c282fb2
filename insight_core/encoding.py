"""Decoded values as JSON, and the memory they take: the defaults of ``RecordDecoder``."""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Iterable, Mapping, Set
from itertools import takewhile
from typing import Any

import attrs
import numpy as np

from insight_core.errors import TooLarge
from insight_record.formats.reason import ReasonKind

MAX_ENCODED = 8 << 20  # bytes of JSON that /value answers
_FEWEST_BYTES = 2  # that JSON takes for an element: a digit and a comma
_MANY_ELEMENTS = ReasonKind(
    "many_elements",
    "the decoded value has {count:,} elements, more than {most} MiB of JSON hold; /blob has the bytes of "
    "the record",
)


def check_elements(elements: int | tuple[int, ...]) -> None:
    """Raises TooLarge for so many elements, or an array of such a shape, that the JSON exceeds MAX_ENCODED.

    An array of the shape ``(1000, 0)`` has no elements, and a thousand empty lists in JSON.
    """
    count = elements if isinstance(elements, int) else math.prod(takewhile(bool, elements))
    if count * _FEWEST_BYTES > MAX_ENCODED:
        raise TooLarge(_MANY_ELEMENTS(count=count, most=MAX_ENCODED >> 20))


def plain(value: object) -> object:
    """A value that ``encode_json`` accepts.

    attrs instances become mappings of their public fields, bytes base64. Numpy arrays and scalars stay:
    ``encode_json`` writes them. Raises TooLarge for an array that JSON of MAX_ENCODED bytes cannot hold.
    """
    if isinstance(value, np.ndarray):
        check_elements(value.shape)
        return value if value.dtype.kind in "biuf" else plain(value.tolist())
    if names := _field_names(value):
        return {name: plain(getattr(value, name)) for name in names if not name.startswith("_")}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, complex):
        return [value.real, value.imag]
    return value


def nbytes_of(value: object) -> int:
    """Bytes in memory: ``nbytes`` of the value, else those of its items or attrs fields."""
    size = getattr(value, "nbytes", None)
    if isinstance(size, int):
        return size
    items: Iterable[object] = ()
    if isinstance(value, Mapping):
        items = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | Set):
        items = value
    else:
        items = (getattr(value, name) for name in _field_names(value))
    return sys.getsizeof(value) + sum(map(nbytes_of, items))


def _field_names(value: object) -> list[str]:
    kind: Any = type(value)
    return [field.name for field in attrs.fields(kind)] if attrs.has(kind) else []
