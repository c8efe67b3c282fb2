"""Headers of image files: format, size, and whether the file is whole. Pixels are not decoded.

The signature determines the format, not the log, and only formats that cannot contain scripts are supported.
Layouts: PNG (RFC 2083), JPEG (ITU T.81), GIF89a, WebP (RFC 9649), BMP (BITMAPCOREHEADER and later).
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from typing import NamedTuple

from insight_record.formats.reason import Reason, ReasonKind

_MOST_MARKERS = 10_000  # segments of a JPEG before its size
_FILL = re.compile(rb"\xff*(?=\xff)")  # bytes that a JPEG may have before a marker
_PNG_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}  # by colour type; 3 is a palette of colours
_PICTURE_HEADER_CUT = ReasonKind("picture_header_cut", "the {format} file ends within its header")
_PICTURE_WITHOUT_PIXELS = ReasonKind(
    "picture_without_pixels", "the {format} file has {width} x {height} pixels"
)
_PICTURE_HEADER = ReasonKind("picture_header", "the {format} file has no sound header")


class ImageHeader(NamedTuple):
    """Format and size of one picture; ``suffix`` is that of file names.

    ``whole`` is false for a truncated file, and for a PNG file with wrong checksums: browsers show such a
    file in part, or not at all, without an error.
    """

    mimetype: str
    suffix: str
    width: int
    height: int
    channels: int
    whole: bool = True

    @property
    def name(self) -> str:
        """The name of the format, for users."""
        return self.mimetype.removeprefix("image/").upper()

    @property
    def pixels(self) -> int:
        """Width times height."""
        return self.width * self.height


def header_of(data: bytes) -> ImageHeader:
    """Parses the header of an image. Raises ValueError for an unknown format, and for an image without
    pixels.
    """
    if not data:
        raise ValueError(Reason("the picture is empty", "picture_empty"))
    for form in _FORMATS:
        if form.known(data):
            name = form.mimetype.removeprefix("image/").upper()
            try:
                width, height, channels = form.read(data)
            except (struct.error, IndexError):
                raise ValueError(_PICTURE_HEADER_CUT(format=name)) from None
            if not width or not height:
                raise ValueError(_PICTURE_WITHOUT_PIXELS(format=name, width=width, height=height))
            return ImageHeader(form.mimetype, form.suffix, width, height, channels, form.is_whole(data))
    raise ValueError(Reason("the image is not a PNG, JPEG, GIF, WebP or BMP file", "picture_unknown"))


def _unsound(name: str) -> Reason:
    return _PICTURE_HEADER(format=name)


def _png(data: bytes) -> tuple[int, int, int]:
    name, width, height, _, colour_type = struct.unpack_from(">4sIIBB", data, 12)
    if name != b"IHDR" or colour_type not in _PNG_CHANNELS:
        raise ValueError(_unsound("PNG"))
    return width, height, _PNG_CHANNELS[colour_type]


def _jpeg(data: bytes) -> tuple[int, int, int]:
    position = 2
    for _ in range(_MOST_MARKERS):
        fill = _FILL.match(data, position)
        position = fill.end() if fill else position
        mark, code = data[position], data[position + 1]
        if mark != 0xFF or code == 0xD9:
            break
        if 0xD0 <= code <= 0xD8 or code == 0x01:  # markers without a segment
            position += 2
            continue
        (size,) = struct.unpack_from(">H", data, position + 2)
        if 0xC0 <= code <= 0xCF and code not in (0xC4, 0xC8, 0xCC):
            _, height, width, channels = struct.unpack_from(">BHHB", data, position + 4)
            return width, height, channels
        position += 2 + size
    raise ValueError(Reason("the JPEG file does not say its size", "picture_size_unknown"))


def _gif(data: bytes) -> tuple[int, int, int]:
    width, height = struct.unpack_from("<HH", data, 6)
    return width, height, 3


def _webp(data: bytes) -> tuple[int, int, int]:
    form = data[12:16]
    if form == b"VP8X":
        flags, _, low_width, high_width, low_height, high_height = struct.unpack_from("<B3sHBHB", data, 20)
        width, height = low_width | high_width << 16, low_height | high_height << 16
        return width + 1, height + 1, 4 if flags & 0x10 else 3
    if form == b"VP8L":
        mark, bits = struct.unpack_from("<BI", data, 20)
        if mark == 0x2F:
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, 4 if bits >> 28 & 1 else 3
    if form == b"VP8 ":
        start, width, height = struct.unpack_from("<3sHH", data, 23)
        if start == b"\x9d\x01\x2a":
            return width & 0x3FFF, height & 0x3FFF, 3
    raise ValueError(_unsound("WebP"))


def _bmp(data: bytes) -> tuple[int, int, int]:
    (size,) = struct.unpack_from("<I", data, 14)
    if size == 12:
        width, height, _, bits = struct.unpack_from("<HHHH", data, 18)
    else:
        width, height, _, bits = struct.unpack_from("<iiHH", data, 18)
    return abs(width), abs(height), 4 if bits == 32 else 3


def _png_is_whole(data: bytes) -> bool:
    content = memoryview(data)
    position = 8
    while position + 12 <= len(data):  # of each chunk: size, name, content, checksum
        size: int
        size, name = struct.unpack_from(">I4s", data, position)
        end = position + 12 + size
        if end > len(data):
            return False
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        critical = not name[0] & 0x20  # readers do without the others
        if critical and zlib.crc32(content[position + 4 : end - 4]) != checksum:
            return False
        if name == b"IEND":
            return True
        position = end
    return False


def _jpeg_is_whole(data: bytes) -> bool:
    # within the picture itself, a byte 255 is followed by 0 or by a restart marker
    return data.rfind(b"\xff\xd9") > data.rfind(b"\xff\xda")


def _gif_is_whole(data: bytes) -> bool:
    return data.rstrip(b"\0").endswith(b";")


def _webp_is_whole(data: bytes) -> bool:
    return len(data) >= 8 + int.from_bytes(data[4:8], "little")


def _bmp_is_whole(data: bytes) -> bool:
    return len(data) >= int.from_bytes(data[2:6], "little")


class _Format(NamedTuple):
    known: Callable[[bytes], bool]
    mimetype: str
    suffix: str
    read: Callable[[bytes], tuple[int, int, int]]  # width, height and channels
    is_whole: Callable[[bytes], bool]


_FORMATS = (
    _Format(lambda data: data.startswith(b"\x89PNG\r\n\x1a\n"), "image/png", "png", _png, _png_is_whole),
    _Format(lambda data: data.startswith(b"\xff\xd8\xff"), "image/jpeg", "jpg", _jpeg, _jpeg_is_whole),
    _Format(lambda data: data.startswith((b"GIF87a", b"GIF89a")), "image/gif", "gif", _gif, _gif_is_whole),
    _Format(
        lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP",
        "image/webp",
        "webp",
        _webp,
        _webp_is_whole,
    ),
    _Format(lambda data: data.startswith(b"BM"), "image/bmp", "bmp", _bmp, _bmp_is_whole),
)
