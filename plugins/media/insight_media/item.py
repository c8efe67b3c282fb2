"""A record of the media plugin: content, and the media type by which it is shown."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attrs import frozen

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
