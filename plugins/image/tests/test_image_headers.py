"""Formats and sizes from the first bytes, against what Pillow writes; small pictures of what Pillow reads."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib
from typing import Any

import numpy as np
import pytest
from insight_image.thumbnails import thumbnail
from PIL import Image

from insight_core.plugin.payloads import header_of


def _saved(mode: str, form: str, size: tuple[int, int] = (20, 10), **options: Any) -> bytes:  # noqa: ANN401
    bands = len(Image.new(mode, (1, 1)).getbands())
    values = np.random.default_rng(0).integers(0, 256, (size[1], size[0], bands), np.uint8)
    picture = Image.fromarray(values if bands > 1 else values[:, :, 0]).convert(mode)
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def _png(width: int, height: int, *, depth: int = 8, colour_type: int = 0, data: bytes = b"") -> bytes:
    """A PNG file of the given header and compressed rows."""

    def chunk(name: bytes, content: bytes) -> bytes:
        body = name + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, depth, colour_type, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("mode", "form", "options", "mimetype", "channels"),
    [
        ("L", "PNG", {}, "image/png", 1),
        ("LA", "PNG", {}, "image/png", 2),
        ("RGB", "PNG", {}, "image/png", 3),
        ("RGBA", "PNG", {}, "image/png", 4),
        ("P", "PNG", {}, "image/png", 3),
        ("RGB", "JPEG", {}, "image/jpeg", 3),
        ("RGB", "JPEG", {"progressive": True, "exif": b"Exif\0\0" + bytes(5000)}, "image/jpeg", 3),
        ("L", "JPEG", {}, "image/jpeg", 1),
        ("CMYK", "JPEG", {}, "image/jpeg", 4),
        ("P", "GIF", {}, "image/gif", 3),
        ("RGB", "WEBP", {}, "image/webp", 3),
        ("RGB", "WEBP", {"lossless": True}, "image/webp", 3),
        ("RGBA", "WEBP", {"lossless": True}, "image/webp", 4),
        ("RGBA", "WEBP", {}, "image/webp", 4),
        ("RGB", "BMP", {}, "image/bmp", 3),
    ],
)
def test_what_a_header_says(
    mode: str, form: str, options: dict[str, Any], mimetype: str, channels: int
) -> None:
    header = header_of(_saved(mode, form, **options))
    assert (header.mimetype, header.width, header.height) == (mimetype, 20, 10)
    assert (header.channels, header.whole) == (channels, True)


def test_bytes_that_fill_up_before_a_marker() -> None:
    whole = _saved("RGB", "JPEG")
    assert header_of(whole[:2] + b"\xff" * 5_000_000 + whole[2:]).width == 20
    with pytest.raises(ValueError, match="ends within its header"):
        header_of(b"\xff\xd8" + b"\xff" * 5_000_000)


def test_bitmaps_of_before_windows_and_upside_down() -> None:
    old = b"BM" + bytes(12) + struct.pack("<IHHHH", 12, 7, 5, 1, 24)
    assert (header_of(old).width, header_of(old).height) == (7, 5)
    flipped = b"BM" + bytes(12) + struct.pack("<IiiHH", 40, 7, -5, 1, 32)
    assert (header_of(flipped).height, header_of(flipped).channels) == (5, 4)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "the picture is empty"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "not a PNG, JPEG, GIF, WebP or BMP file"),
        (b"<html><script>alert(1)</script>", "not a PNG, JPEG"),
        (b"\x89PNG\r\n\x1a\n\0\0", "the PNG file ends within its header"),
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "the PNG file has no sound header"),
        (_png(0, 5), "the PNG file has 0 x 5 pixels"),
        (b"\xff\xd8\xff\xe0\0\x10", "the JPEG file ends within its header"),
        (b"\xff\xd8\xff\xd9", "the JPEG file does not say its size"),
        (b"\xff\xd8" + b"\xff\x01" * 20_000, "the JPEG file does not say its size"),
        (b"\xff\xd8\xff" + bytes(100), "the JPEG file does not say its size"),
        (b"GIF89a", "the GIF file ends within its header"),
        (b"RIFF\0\0\0\0WEBPVP8Z" + bytes(20), "the WebP file has no sound header"),
        (b"BM", "the BMP file ends within its header"),
    ],
)
def test_what_is_no_picture(data: bytes, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        header_of(data)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_a_file_that_is_cut_off_is_not_whole(form: str) -> None:
    data = _saved("L" if form == "GIF" else "RGB", form, (64, 64))
    assert header_of(data).whole
    assert header_of(data + bytes(3)).whole  # some writers pad
    for end in (len(data) // 2, len(data) - 3):
        assert not header_of(data[:end]).whole


def test_a_png_file_of_wrong_checksums_is_not_whole() -> None:
    data = _saved("RGB", "PNG", (64, 64))
    for place in (data.index(b"IDAT") + 100, len(data) - 1):
        assert not header_of(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]).whole
    comment = struct.pack(">I", 1) + b"tEXtx" + bytes(4)  # nothing that is needed
    assert header_of(data[:33] + comment + data[33:]).whole


def _thumbnail(data: bytes, size: int = 16) -> Image.Image:
    small = thumbnail(data, header_of(data), size)
    return Image.open(io.BytesIO(small), formats=("PNG",))


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        ("L", "PNG"),
        ("LA", "PNG"),
        ("RGB", "PNG"),
        ("RGBA", "PNG"),
        ("P", "PNG"),
        ("1", "PNG"),
        ("RGB", "JPEG"),
        ("CMYK", "JPEG"),
        ("P", "GIF"),
        ("RGBA", "WEBP"),
        ("RGB", "BMP"),
    ],
)
def test_a_thumbnail_of_every_format(mode: str, form: str) -> None:
    assert _thumbnail(_saved(mode, form, (100, 50))).size == (16, 8)


def test_a_thumbnail_is_never_larger_and_a_small_picture_stays_as_it_is() -> None:
    data = _saved("RGB", "PNG")
    assert np.array_equal(np.asarray(_thumbnail(data, 512)), np.asarray(Image.open(io.BytesIO(data))))


def test_sixteen_bits_of_gray_keep_their_shades() -> None:
    rows = np.array([[0, 0x4000], [0x8000, 0xFFFF]], ">u2")
    packed = b"".join(b"\0" + row.tobytes() for row in rows)
    small = _thumbnail(_png(2, 2, depth=16, data=zlib.compress(packed)))
    assert np.asarray(small).tolist() == [[0, 0x40], [0x80, 0xFF]]


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_of_an_animation_the_first_frame(form: str) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("#ff0000", "#00ff00", "#0000ff")]
    out = io.BytesIO()
    options = {"lossless": True} if form == "WEBP" else {}
    frames[0].save(out, form, save_all=True, append_images=frames[1:], **options)
    assert _thumbnail(out.getvalue()).convert("RGB").getpixel((4, 4)) == (255, 0, 0)


def test_a_bomb_is_refused_before_it_is_decoded() -> None:
    bomb = _png(60_000, 60_000, data=zlib.compress(bytes(60_001)))
    with pytest.raises(ValueError, match="60,000 x 60,000 pixels, more than the 33,554,432 that are decoded"):
        _thumbnail(bomb)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_what_is_cut_off_cannot_be_decoded(form: str) -> None:
    data = _saved("L" if form == "GIF" else "RGB", form, (200, 100))
    with pytest.raises(ValueError, match="the picture cannot be decoded"):
        _thumbnail(data[: len(data) // 2])


@pytest.mark.parametrize("seed", range(40))
def test_damaged_pictures_give_a_picture_or_a_value_error(seed: int) -> None:
    random = np.random.default_rng(seed)
    form = ("PNG", "JPEG", "GIF", "WEBP", "BMP")[seed % 5]
    data = bytearray(_saved("RGB", form, (64, 64)))
    for place in random.integers(0, len(data), 20):
        data[place] = random.integers(0, 256)
    with contextlib.suppress(ValueError):
        assert max(_thumbnail(bytes(data)).size) <= 16
