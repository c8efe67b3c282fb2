"""Pictures in any order of dimensions, batches as grids, boxes, figures of matplotlib, and videos as GIF."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import array_of, numbers_of
from insight_record.encoders.encoder import EncodedValue
from insight_record.formats.image_messages import image_message, png
from insight_record.formats.protobuf import message_field
from insight_record.optional import needed

_IMAGE = 4  # of a value
_COLUMNS = 8  # of a batch, as in torch
_CHANNELS = (1, 3, 4)
_LINE = 2  # width of a box, in pixels


def picture(tag: str, value: object, dataformats: str) -> EncodedValue:
    """A picture, or a batch as a grid of eight columns. Raises ValueError or TypeError."""
    pixels = bytes_of(arranged(numbers_of(value), dataformats))
    return _encoded(tag, pixels)


def arranged(array: NDArray[Any], dataformats: str) -> NDArray[Any]:
    """[H, W, C] of an array whose dimensions ``dataformats`` names: HW, CHW or NCHW in any order.

    One channel is repeated as three. Raises ValueError if the letters do not fit the array.
    """
    letters = dataformats.upper()
    wanted = {2: "HW", 3: "HWC", 4: "NHWC"}.get(len(letters))
    if wanted is None or sorted(letters) != sorted(wanted):
        raise ValueError(f"dataformats is HW, CHW or NCHW in any order, not {dataformats!r}")
    if array.ndim != len(letters):
        raise ValueError(f"dataformats {dataformats!r} does not fit an array of shape {list(array.shape)}")
    if 0 in array.shape:
        raise ValueError(f"a picture of shape {list(array.shape)} has no pixels")
    ordered = array.transpose([letters.index(letter) for letter in wanted])
    if len(wanted) == 2:
        ordered = ordered[:, :, None]
    if ordered.shape[-1] not in _CHANNELS:
        raise ValueError(f"a picture has 1, 3 or 4 channels, not {ordered.shape[-1]}")
    if ordered.shape[-1] == 1:
        ordered = np.repeat(ordered, 3, axis=-1)
    return grid(ordered, min(len(ordered), _COLUMNS)) if len(wanted) == 4 else ordered


def grid(batch: NDArray[Any], columns: int) -> NDArray[Any]:
    """[rows * H, columns * W, C] of a batch [N, H, W, C], row by row; what is left over is black."""
    count, height, width, channels = batch.shape
    rows = -(-count // columns)
    padded = np.zeros((rows * columns, height, width, channels), batch.dtype)
    padded[:count] = batch
    laid = padded.reshape(rows, columns, height, width, channels).swapaxes(1, 2)
    found: NDArray[Any] = laid.reshape(rows * height, columns * width, channels)
    return found


def bytes_of(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """A copy as uint8: uint8 unchanged, all other types scaled by 255 and clipped, as in torch."""
    if pixels.dtype == np.uint8:
        return np.array(pixels, order="C")
    scaled = np.nan_to_num(pixels.astype(np.float32) * np.float32(255), nan=0.0)
    found: NDArray[np.uint8] = scaled.clip(0, 255).astype(np.uint8)
    return found


def _encoded(tag: str, pixels: NDArray[np.uint8], shown: tuple[int, ...] | None = None) -> EncodedValue:
    height, width, channels = shown or pixels.shape
    return EncodedValue(
        tag,
        "summary",
        pixels.nbytes,
        lambda: [message_field(_IMAGE, image_message(png(pixels), width, height, channels))],
    )


def boxed(
    tag: str,
    value: object,
    boxes: object,
    *,
    rescale: float,
    dataformats: str,
    labels: Sequence[str] | None,
) -> EncodedValue:
    """A picture with red boxes ``[n, 4]`` of left, top, right, bottom, drawn by Pillow.

    Labels that are not as many as the boxes are left out, as in torch. Raises ModuleNotFoundError.
    """
    image_module = needed("PIL.Image", "pillow", "boxes in a picture")
    draw_module = needed("PIL.ImageDraw", "pillow", "boxes in a picture")
    pixels = bytes_of(arranged(numbers_of(value), dataformats))
    corners = np.atleast_2d(numbers_of(boxes))
    if corners.ndim != 2 or corners.shape[1] != 4:
        raise ValueError(f"boxes are [n, 4], not {list(corners.shape)}")
    image = image_module.fromarray(pixels)
    draw = draw_module.Draw(image)
    texts = [labels] if isinstance(labels, str) else labels
    known = texts if texts is not None and len(texts) == len(corners) else [""] * len(corners)
    for (left, top, right, bottom), text in zip(corners.tolist(), known, strict=True):
        outline = [(left, top), (left, bottom), (right, bottom), (right, top), (left, top)]
        draw.line(outline, width=_LINE, fill="Red")
        if text:
            _write(draw, text, left, bottom)
    height, width, _ = shown = pixels.shape
    size = (int(width * rescale), int(height * rescale))
    if size != image.size:
        image = image.resize(size, image_module.Resampling.LANCZOS)
    return _encoded(tag, np.asarray(image), shown)


def _write(draw: Any, text: str, left: float, bottom: float) -> None:  # noqa: ANN401
    """A label in black on red, above the bottom of a box."""
    font = needed("PIL.ImageFont", "pillow", "labels of boxes").load_default()
    first, top, last, end = font.getbbox(text)
    width, height = last - first, end - top
    margin = np.ceil(0.05 * height)
    draw.rectangle([(left, bottom - height - 2 * margin), (left + width, bottom)], fill="Red")
    draw.text((left + margin, bottom - height - margin), text, fill="black", font=font)


def figure(figures: Any, *, close: bool) -> NDArray[np.uint8]:  # noqa: ANN401
    """[H, W, 3] of a figure of matplotlib, or [N, H, W, 3] of a list of figures of one size."""
    backend = needed("matplotlib.backends.backend_agg", "matplotlib", "a figure")
    listed = figures if isinstance(figures, list) else [figures]
    found = []
    for one in listed:
        canvas = backend.FigureCanvasAgg(one)
        canvas.draw()
        found.append(np.array(np.asarray(canvas.buffer_rgba())[:, :, :3]))
        if close:
            needed("matplotlib.pyplot", "matplotlib", "a figure").close(one)
    if len({one.shape for one in found}) > 1:
        raise ValueError("figures of one list have one size")
    return np.stack(found) if isinstance(figures, list) else found[0]


def video(tag: str, value: object, fps: float, dataformats: str) -> EncodedValue:
    """A video, or a batch of videos side by side, as an animated GIF made by Pillow.

    Raises ModuleNotFoundError without Pillow, ValueError or TypeError for invalid values.
    """
    image_module = needed("PIL.Image", "pillow", "a video")
    array, letters = array_of(value), dataformats.upper()
    if sorted(letters) != sorted("NTCHW") or array.ndim != len(letters):
        raise ValueError(f"dataformats {dataformats!r} does not fit a video of shape {list(array.shape)}")
    if not fps > 0:
        raise ValueError(f"fps is more than 0, not {fps!r}")
    ordered = numbers_of(array).transpose([letters.index(letter) for letter in "NTHWC"])
    if 0 in ordered.shape or ordered.shape[-1] not in _CHANNELS:
        raise ValueError(f"a video of shape {list(array.shape)} has no pixels, or not 1, 3 or 4 channels")
    count, times, *_ = ordered.shape
    padded = count if count & (count - 1) == 0 else 1 << count.bit_length()
    rows = 1 << ((count.bit_length() - 1) // 2)  # as in torch
    frames = [bytes_of(grid(ordered[:, time], padded // rows)) for time in range(times)]
    frames = [_with_rows(frame, rows * ordered.shape[2]) for frame in frames]
    height, width, channels = frames[0].shape

    def encode() -> list[bytes | memoryview]:
        images = [image_module.fromarray(frame[..., 0] if channels == 1 else frame) for frame in frames]
        out = io.BytesIO()
        images[0].save(
            out,
            "GIF",
            save_all=True,
            append_images=images[1:],
            duration=round(1000 / fps),
            loop=0,
            disposal=1,
        )
        return [message_field(_IMAGE, image_message(out.getvalue(), width, height, channels))]

    return EncodedValue(tag, "summary", sum(frame.nbytes for frame in frames), encode)


def _with_rows(frame: NDArray[np.uint8], height: int) -> NDArray[np.uint8]:
    """The frame, black below up to ``height``."""
    missing = height - len(frame)
    return np.pad(frame, ((0, missing), (0, 0), (0, 0))) if missing > 0 else frame
