"""A record of the media plugin: content, and the media type by which it is shown."""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of

Kind: TypeAlias = Literal["video", "picture", "html", "text", "table", "confusion", "plotly", "vega"]
HTML = "text/html"
MARKDOWN = "text/markdown"
CSV = "text/csv"
ARROW_STREAM = "application/vnd.apache.arrow.stream"
ARROW_FILE = "application/vnd.apache.arrow.file"
PLOTLY = "application/vnd.plotly.v1+json"
VEGA_LITE = "application/vnd.vegalite.v6+json"
VEGA = "application/vnd.vega.v6+json"
CONFUSION_MATRIX = "application/vnd.insight.confusion-matrix+json"
GIF = "image/gif"
_KINDS: dict[str, Kind] = {
    "video/mp4": "video",
    "video/webm": "video",
    "video/ogg": "video",
    GIF: "picture",
    HTML: "html",
    MARKDOWN: "text",
    CSV: "table",
    ARROW_STREAM: "table",
    ARROW_FILE: "table",
    PLOTLY: "plotly",
    CONFUSION_MATRIX: "confusion",
    **{f"application/vnd.vegalite.v{version}+json": "vega" for version in (2, 3, 4, 5, 6)},
    **{f"application/vnd.vega.v{version}+json": "vega" for version in (3, 4, 5, 6)},
}
_LONGEST_TYPE = 200  # bytes
_NOT_TWO_STRINGS = ReasonKind(
    "media_not_two_strings", "the tensor is {type} of shape {shape}, not two strings: media type and content"
)
_UNKNOWN_TYPE = ReasonKind("media_unknown_type", "the media type {type!r} is not one that can be shown")
_LARGE = ReasonKind("media_large", "the content has {size:,} bytes, of at most {most:,} that can be shown")
_NOT_JSON = ReasonKind("media_not_json", "not valid JSON: {cause}")


@frozen
class Item:
    """Content of one media type, as it was recorded."""

    media_type: str
    content: bytes

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return len(self.content)

    @property
    def kind(self) -> Kind | None:
        """The way in which the tab shows it; None for an unknown media type."""
        return _KINDS.get(self.media_type)


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


def parsed(content: bytes, most: int) -> Any:  # noqa: ANN401
    """The value of at most ``most`` bytes of JSON. Raises ValueError with a Reason for anything else."""
    if len(content) > most:
        raise ValueError(_LARGE(size=len(content), most=most))
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError(Reason("the JSON is nested too deeply", "media_deep")) from None
    except ValueError as error:
        raise ValueError(_NOT_JSON(cause=str(error))) from None
