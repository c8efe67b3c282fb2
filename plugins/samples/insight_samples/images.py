"""Images of samples: what stands for one in a row, its bytes, and whether a page may show it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from attrs import field, frozen

from insight_core.plugin import Reason, ReasonKind, Undecodable
from insight_core.plugin.payloads import ImageHeader, header_of

LARGEST = 32 << 20  # bytes of an image that is shown
_MOST_PIXELS = 100_000_000  # of an image that is shown: browsers unpack it whole
_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")
_IN_TEXT = re.compile(r"data:image/[\w.+-]+(?:;[\w=.+-]+)*;base64,", re.I)
_BASE64 = ("iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR")  # how PNG, JPEG, GIF and WebP begin in Base64
_LEAST = 64  # characters of Base64 that are more than a name
_ADDRESS = 2000  # characters of an address that are shown
KINDS = ("image_url", "image", "input_image")  # types of a part of a message

_NO_IMAGE = ReasonKind("samples_no_image", "the sample has no image of a kind that a page shows: {cause}")
_TOO_LARGE = ReasonKind("samples_large_image", "the image is too large for a page: {size}")


@frozen
class SampleImage:
    """An image of a row: its bytes or their Base64 in ``data``, else only ``where`` the row says it is.

    An address is a text like others: nothing is ever fetched from there.
    """

    data: bytes | str = field(default=b"", repr=False)
    where: str = ""

    @property
    def digest(self) -> str:
        """What tells it from other images."""
        content = self.data or self.where
        raw = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        return blake2b(raw, digest_size=8).hexdigest()

    def content(self) -> tuple[bytes, ImageHeader]:
        """Its bytes, and what they are by their beginning.

        Raises Undecodable if it is none that a page shows, or not in the file.
        """
        if len(self.data) > (LARGEST * 4 // 3 if isinstance(self.data, str) else LARGEST):
            raise Undecodable(_TOO_LARGE(size=f"{len(self.data):,} bytes"))
        try:
            raw = self.data if isinstance(self.data, bytes) else base64.b64decode(self.data)
            header = header_of(raw)
        except (ValueError, binascii.Error) as error:
            raise Undecodable(_NO_IMAGE(cause=self.where or Reason.of(error))) from None
        if header.mimetype not in _SHOWN:
            raise Undecodable(_NO_IMAGE(cause=header.mimetype))
        if header.pixels > _MOST_PIXELS:
            raise Undecodable(_TOO_LARGE(size=f"{header.width:,} x {header.height:,}"))
        return raw, header


def image_of(value: Any) -> SampleImage | None:  # noqa: ANN401 - of a row
    """The image that a value stands for.

    Bytes, Base64 with or without ``data:``, an address, ``{"bytes", "path"}`` as ``datasets.Image`` writes
    it, or the objects of messages: ``image_url``, ``image``, ``source``. None for anything else, such as
    the place of an image that another column has.
    """
    if isinstance(value, bytes):
        return SampleImage(value) if value else None
    if isinstance(value, str):
        if found := _IN_TEXT.match(value):
            return SampleImage(value[found.end() :])
        if len(value) > _LEAST and value.startswith(_BASE64):
            return SampleImage(value)
        return SampleImage(where=value[:_ADDRESS]) if value else None
    if isinstance(value, Mapping):
        for name in ("bytes", "data", "url", "image_url", "image", "source", "path"):
            if value.get(name) is not None and (found_image := image_of(value[name])) is not None:
                return found_image
    return None


def images_of(value: Any) -> Iterator[SampleImage]:  # noqa: ANN401 - of a row
    """The images of a column: of one value, or of a list of them."""
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, list | tuple):
            yield from images_of(one)
        elif (image := image_of(one)) is not None:
            yield image


def images_in(messages: Any) -> Iterator[SampleImage]:  # noqa: ANN401 - of a row
    """The images that stand in messages."""
    if isinstance(messages, list | tuple):
        for one in messages:
            if not isinstance(one, str):
                yield from images_in(one)
    elif isinstance(messages, dict):
        if messages.get("type") in KINDS:
            yield from images_of(messages)
        elif isinstance(messages.get("content"), list):
            yield from images_in(messages["content"])


def without_images(value: Any) -> Any:  # noqa: ANN401 - of a row
    """A value of a row with a short text for the bytes of each image."""
    if isinstance(value, bytes):
        return f"<{len(value):,} bytes>"
    if isinstance(value, str):
        found = _IN_TEXT.match(value)
        return value if found is None else f"{found[0]}<{len(value) - found.end():,} characters>"
    if isinstance(value, list | tuple):
        return [without_images(one) for one in value]
    if isinstance(value, dict):
        return {name: without_images(one) for name, one in value.items()}
    return value
