"""Creates thumbnails with Pillow, with limits that are checked before decoding."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.payloads import ImageHeader

MAX_PIXELS = 1 << 25  # of a picture that is decoded: 128 MiB
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")  # Pillow's names; it must not guess at others
_MODES = {"1": "L", "P": "RGBA", "PA": "RGBA", "CMYK": "RGB", "YCbCr": "RGB", "LAB": "RGB", "HSV": "RGB"}
_TOO_LARGE = ReasonKind(
    "image_too_large",
    "the picture has {width:,} x {height:,} pixels, more than the {most:,} that are decoded",
)
_UNDECODABLE = ReasonKind("image_undecodable", "the picture cannot be decoded: {cause}")


def thumbnail(data: bytes, header: ImageHeader, size: int) -> bytes:
    """A PNG file of at most ``size`` pixels each way; never larger than the picture, and of its first frame.

    Raises ValueError for a picture that is too large or broken.
    """
    _check(header.width, header.height)
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as picture:
            _check(*picture.size)
            picture.draft("", (size, size))  # of a JPEG, no more is decoded than the thumbnail needs
            small = _eight_bit(picture)
            small.thumbnail((size, size), Image.Resampling.BOX)
            small.info.clear()  # profiles and comments of the log
            out = io.BytesIO()
            small.save(out, "PNG", compress_level=1)
    except Exception as error:  # Pillow raises what its decoders do: OSError, SyntaxError, struct.error ...
        raise ValueError(_UNDECODABLE(cause=Reason.of(error))) from error
    return out.getvalue()


def _check(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise ValueError(_TOO_LARGE(width=width, height=height, most=MAX_PIXELS))


def _eight_bit(picture: Image.Image) -> Image.Image:
    if picture.mode.startswith("I"):  # 16 bits of gray, which convert() would cut off
        values = np.asarray(picture)
        return Image.fromarray((values >> 8).astype(np.uint8), "L")
    mode = _MODES.get(picture.mode)
    return picture.convert(mode) if mode is not None else picture
