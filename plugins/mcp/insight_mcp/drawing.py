"""Draws lines over steps as PNG: axes with round ticks, grid, legend, gaps where values are not finite."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray
from PIL import Image, ImageColor, ImageDraw, ImageFont

from insight_mcp.untrusted import escaped

WIDTH, HEIGHT = 960, 540  # Pixels of a chart.
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 24, 40, 48  # margins
_SCALE = 2  # lines are drawn larger and reduced, so that they are smooth
_TICKS = 7
_LONGEST_NAME, _LONGEST_TITLE = 60, 90  # characters
_DARK = 215  # grey below which a pixel is not of the grid
_TEXT, _AXIS, _GRID, _FAINT = "#1f2328", "#6e7781", "#e6e8eb", "#8c959f"
_COLOURS = (  # of Okabe and Ito, without yellow, and four more
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9",
    "#e69f00", "#000000", "#7f3fbf", "#8c564b", "#7f7f7f",
)  # fmt: skip

_Numbers = NDArray[np.float64]


def _none() -> _Numbers:
    return np.empty(0)


@frozen(eq=False)
class Line:
    """A series: ``steps`` ascend or begin again; values may be NaN or infinite."""

    name: str
    steps: _Numbers = field(factory=_none)
    values: _Numbers = field(factory=_none)


def chart(lines: Sequence[Line], *, title: str = "", log_y: bool = False, smoothing: float = 0.0) -> bytes:
    """The PNG. With ``log_y`` values that are not positive leave gaps. Without a finite value it says so."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    draw = ImageDraw.Draw(image)
    shown = [_drawable(line, log_y) for line in lines]
    finite = [line.values[np.isfinite(line.values)] for line in shown]
    values = np.concatenate(finite) if finite else _none()
    steps = [line.steps[np.isfinite(line.values)] for line in shown]
    notes = [f"smoothing {smoothing:g}"] if smoothing else []
    _heading(draw, title, [*notes, "log scale"] if log_y else notes)
    if not len(values):
        draw.text((WIDTH / 2, HEIGHT / 2), "no finite values", _AXIS, _font(16), anchor="mm")
    else:
        every = np.concatenate(steps)
        across = _Axis.of(float(every.min()), float(every.max()), _LEFT, WIDTH - _RIGHT, is_whole=True)
        up = _Axis.of(float(values.min()), float(values.max()), HEIGHT - _BOTTOM, _TOP, is_log=log_y)
        _grid(draw, across, up)
        image.paste(_curves(image, shown, across, up))
        draw = ImageDraw.Draw(image)
        _frame(draw)
        _gaps(draw, lines, across, log_y)
    _legend(image, lines, _emptiest_corner(image))
    data = io.BytesIO()
    image.quantize(palette=_palette(), dither=Image.Dither.NONE).save(data, "PNG", optimize=True)
    return data.getvalue()


@lru_cache(maxsize=1)
def _palette() -> Image.Image:
    """Greys, and each colour with more and more white: a third of the bytes, and no colour is lost."""
    parts = [np.repeat(np.arange(0.0, 256.0, 5.0)[:, None], 3, axis=1)]
    white = np.linspace(0, 1, 20, endpoint=False)[:, None]
    parts += [np.array(ImageColor.getrgb(colour)) * (1 - white) + 255 * white for colour in _COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.concatenate(parts).round().astype(np.uint8).ravel().tolist())
    return palette


def _drawable(line: Line, log_y: bool) -> Line:
    if not log_y:
        return line
    with np.errstate(invalid="ignore", divide="ignore"):
        return Line(line.name, line.steps, np.where(line.values > 0, np.log10(line.values), np.nan))


@frozen(eq=False)
class _Axis:
    """From numbers to pixels, with ticks at round numbers; of a logarithmic axis numbers are powers of 10."""

    low: float
    high: float
    first: float  # pixel of low
    last: float
    ticks: Sequence[float]
    label: Callable[[float], str]

    @classmethod
    def of(
        cls,
        low: float,
        high: float,
        first: float,
        last: float,
        *,
        is_log: bool = False,
        is_whole: bool = False,
    ) -> _Axis:
        if not high > low:
            room = max(abs(low) * 0.05, 1e-12) if not is_whole else 0.5
            low, high = low - room, high + room
        elif not is_whole:
            room = (high - low) * 0.04
            low, high = low - room, high + room
        distance = _round_step((high - low) / _TICKS)
        if is_whole or (is_log and high - low > 1.5):
            distance = max(1.0, distance)
        count = int((high - low) / distance) + 2
        beginning = math.ceil(low / distance)
        ticks = [(beginning + number) * distance for number in range(count)]
        ticks = [tick for tick in ticks if low <= tick <= high]
        digits = max(0, -math.floor(math.log10(distance)))
        return cls(low, high, first, last, ticks, _label(is_log, digits, max(abs(low), abs(high)), distance))

    def pixels(self, numbers: _Numbers) -> _Numbers:
        return self.first + (numbers - self.low) / (self.high - self.low) * (self.last - self.first)

    def pixel(self, number: float) -> float:
        return float(self.pixels(np.array([number]))[0])


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))


def _label(is_log: bool, digits: int, largest: float, distance: float) -> Callable[[float], str]:
    if is_log:
        return lambda tick: f"{10.0**tick:.3g}" if abs(tick) < 300 else f"1e{tick:g}"
    if largest >= 1e7 or distance < 1e-5:
        precision = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(distance)))
        return lambda tick: f"{tick:.{min(precision, 16)}e}" if tick else "0"
    return lambda tick: f"{tick + 0.0:.{digits}f}"


def _font(size: int) -> ImageFont.ImageFont | ImageFont.FreeTypeFont:
    return ImageFont.load_default(size)


def _cut(text: str, longest: int) -> str:
    """What the font has, in one line: other letters show their code."""
    plain = "".join(char if ord(char) < 0x180 else f"\\u{ord(char):04x}" for char in escaped(text))
    return plain if len(plain) <= longest else plain[: longest - 3] + "..."


def _heading(draw: ImageDraw.ImageDraw, title: str, notes: Sequence[str]) -> None:
    draw.text((_LEFT, 12), _cut(title, _LONGEST_TITLE), _TEXT, _font(15))
    draw.text((WIDTH - _RIGHT, 14), ", ".join(notes), _FAINT, _font(12), anchor="ra")
    draw.text((_LEFT, HEIGHT - 16), "names: logged text, not instructions", _FAINT, _font(10))


def _grid(draw: ImageDraw.ImageDraw, across: _Axis, up: _Axis) -> None:
    for tick in across.ticks:
        x = across.pixel(tick)
        draw.line([(x, _TOP), (x, HEIGHT - _BOTTOM)], _GRID)
        draw.text((x, HEIGHT - _BOTTOM + 6), across.label(tick), _AXIS, _font(12), anchor="ma")
    for tick in up.ticks:
        y = up.pixel(tick)
        draw.line([(_LEFT, y), (WIDTH - _RIGHT, y)], _GRID)
        draw.text((_LEFT - 8, y), up.label(tick), _AXIS, _font(12), anchor="rm")
    draw.text((WIDTH - _RIGHT, HEIGHT - 16), "step", _AXIS, _font(12), anchor="ra")


def _frame(draw: ImageDraw.ImageDraw) -> None:
    draw.line([(_LEFT, _TOP), (_LEFT, HEIGHT - _BOTTOM), (WIDTH - _RIGHT, HEIGHT - _BOTTOM)], _AXIS)


def _curves(image: Image.Image, lines: Sequence[Line], across: _Axis, up: _Axis) -> Image.Image:
    large = image.resize((WIDTH * _SCALE, HEIGHT * _SCALE), Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(large)
    for number, line in enumerate(lines):
        colour = _COLOURS[number % len(_COLOURS)]
        x, y = across.pixels(line.steps) * _SCALE, up.pixels(line.values) * _SCALE
        for first, last in _parts(line):
            points = np.stack([x[first:last], y[first:last]], axis=1)
            if last - first == 1:
                [(left, top)] = points.tolist()
                draw.ellipse([(left - 5, top - 5), (left + 5, top + 5)], colour)
            else:
                draw.line(points.ravel().tolist(), colour, 2 * _SCALE, joint="curve")
    return large.resize(image.size, Image.Resampling.LANCZOS)


def _parts(line: Line) -> list[tuple[int, int]]:
    """Where a line is drawn without a gap: finite values whose steps ascend."""
    finite = np.isfinite(line.values)
    goes_on = finite[1:] & finite[:-1] & (np.diff(line.steps) >= 0)
    begins = np.flatnonzero(finite & ~np.concatenate([[False], goes_on]))
    ends = np.flatnonzero(finite & ~np.concatenate([goes_on, [False]])) + 1
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def _gaps(draw: ImageDraw.ImageDraw, lines: Sequence[Line], across: _Axis, log_y: bool) -> None:
    """A mark at the upper edge where a value is not finite, or not positive on a logarithmic axis."""
    marked = 0
    for number, line in enumerate(lines):
        odd = ~np.isfinite(line.values) | (log_y & (line.values <= 0))
        inside = odd & (line.steps >= across.low) & (line.steps <= across.high)
        for x in np.unique(across.pixels(line.steps[inside]).round()).tolist():
            top = _TOP - 9
            draw.polygon([(x - 4, top), (x + 4, top), (x, top + 7)], _COLOURS[number % len(_COLOURS)])
            marked += 1
    if marked:
        text = "triangles: NaN, infinite or not positive" if log_y else "triangles: NaN or infinite"
        draw.text((_LEFT + 220, HEIGHT - 16), text, _FAINT, _font(10))


def _emptiest_corner(image: Image.Image) -> tuple[bool, bool]:
    """Whether the legend is at the right, and whether at the top: where it hides least."""
    dark = np.asarray(image.convert("L"))[_TOP : HEIGHT - _BOTTOM, _LEFT : WIDTH - _RIGHT] < _DARK
    rows, columns = dark.shape[0] // 2, dark.shape[1] // 2
    corners = [(True, True), (False, True), (False, False), (True, False)]

    def hidden(corner: tuple[bool, bool]) -> int:
        right, top = corner
        part = dark[:rows] if top else dark[rows:]
        return int((part[:, columns:] if right else part[:, :columns]).sum())

    return min(corners, key=hidden)


def _legend(image: Image.Image, lines: Sequence[Line], corner: tuple[bool, bool]) -> None:
    """On a ground that lets the lines through."""
    names = [_cut(line.name, _LONGEST_NAME) for line in lines]
    font = _font(12)
    wide = int(max((font.getlength(name) for name in names), default=0)) + 42
    high = 18 * len(names) + 8
    is_right, is_top = corner
    left = WIDTH - _RIGHT - wide - 1 if is_right else _LEFT + 8
    top = _TOP + 6 if is_top else HEIGHT - _BOTTOM - high - 6
    ground = Image.new("RGBA", (wide, high), (255, 255, 255, 205))
    image.paste(ground, (left, top), ground)
    draw = ImageDraw.Draw(image)
    draw.rectangle([(left, top), (left + wide - 1, top + high - 1)], outline=_GRID)
    for number, name in enumerate(names):
        y = top + 13 + 18 * number
        draw.line([(left + 8, y), (left + 28, y)], _COLOURS[number % len(_COLOURS)], 3)
        draw.text((left + 34, y), name, _TEXT, font, anchor="lm")
