"""Decodes media: a tensor of two strings, the media type and the content."""

from __future__ import annotations

from insight_core.plugin import ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of
from insight_media.item import Item

_LONGEST_TYPE = 200  # bytes
_NOT_TWO_STRINGS = ReasonKind(
    "media_not_two_strings", "the tensor is {type} of shape {shape}, not two strings: media type and content"
)
_UNKNOWN_TYPE = ReasonKind("media_unknown_type", "the media type {type!r} is not one that can be shown")


def item_of(payload: Payload) -> Item:
    """Reads a string tensor of two elements.

    Raises ValueError for bytes that are not a tensor, tensors of another type or size, and media types that
    the tab does not show.
    """
    tensor = tensor_of(payload)
    if tensor.values.dtype != object or tensor.values.size != 2:
        shape = str(list(tensor.shape))
        raise ValueError(_NOT_TWO_STRINGS(type=tensor.dtype, shape=shape))
    named, content = tensor.values.flat
    media_type = named[:_LONGEST_TYPE].decode("utf-8", "replace").partition(";")[0].strip().lower()
    item = Item(media_type, content)
    if item.kind is None:
        raise ValueError(_UNKNOWN_TYPE(type=media_type))
    return item


def described(item: Item) -> object:
    """Media type and size in bytes; ``/content`` has the content."""
    return {"media_type": item.media_type, "size": len(item.content)}
