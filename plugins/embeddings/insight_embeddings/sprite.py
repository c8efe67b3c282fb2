"""Checks the picture that holds small pictures of all points."""

from __future__ import annotations

from attrs import frozen

from insight_core.plugin import ReasonKind
from insight_record.formats.image_headers import header_of

LARGEST_SIDE = 8192  # pixels; graphics cards take no more
_LARGE_PICTURE = ReasonKind(
    "embeddings_large_picture", "the picture is {width} by {height} pixels; at most {most} are shown"
)


@frozen
class Sprite:
    """A PNG or JPEG file; ``width`` and ``height`` in pixels."""

    content: bytes
    media_type: str
    width: int
    height: int

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return len(self.content)


def sprite_of(content: bytes) -> Sprite:
    """Raises ValueError for a file that is not a picture, or too large."""
    header = header_of(content)
    if max(header.width, header.height) > LARGEST_SIDE:
        raise ValueError(_LARGE_PICTURE(width=header.width, height=header.height, most=LARGEST_SIDE))
    return Sprite(content, header.mimetype, header.width, header.height)
