"""Reads what belongs to points: metadata, a line for each with columns between tabs, and their pictures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.worker import decode_apart
from insight_record.formats.image_headers import header_of

MOST_COLUMNS = 100
MOST_BYTES = 64 << 20
UNNAMED = "label"  # the name of the only column of a file without a header
_METADATA_LINES = ReasonKind(
    "embeddings_metadata_lines", "the metadata have {lines:,} lines for {points:,} points"
)
_METADATA_COLUMNS = ReasonKind(
    "embeddings_metadata_columns", "the metadata have {columns} columns, more than {most}"
)
LARGEST_SIDE = 8192  # pixels; graphics cards take no more
_LARGE_PICTURE = ReasonKind(
    "embeddings_large_picture", "the picture is {width} by {height} pixels; at most {most} are shown"
)


@frozen(eq=False)
class MetadataColumn:
    """One column: ``numbers`` float64[points] if every cell is a number or empty (NaN).

    ``codes`` int32[points] are the indices of the cells in ``labels``, which are in order of appearance.
    """

    name: str
    codes: NDArray[np.int32]
    labels: Sequence[str]
    numbers: NDArray[np.float64] | None

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about."""
        numbers = 0 if self.numbers is None else self.numbers.nbytes
        return self.codes.nbytes + numbers + sum(map(len, self.labels)) + 64 * len(self.labels)


def metadata_of(content: bytes, points: int) -> list[MetadataColumn]:
    """The columns of a metadata file. Raises ValueError for lines that do not fit the points.

    The first line is a header if there are several columns, as TensorBoard has it, or if there is one more
    line than points.
    """
    if len(content) > MOST_BYTES:
        text = f"the metadata have {len(content):,} bytes, more than {MOST_BYTES:,}"
        raise ValueError(Reason(text, "embeddings_long_metadata", most=MOST_BYTES))
    found: list[MetadataColumn] = decode_apart("insight_embeddings.metadata:columns_of", content, points)
    return found


def columns_of(content: bytes, points: int) -> list[MetadataColumn]:
    """See ``metadata_of``, which calls it in a worker if the file is large."""
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
    width = lines[0].count("\t") + 1
    has_header = width > 1 or len(lines) == points + 1
    names = lines[0].split("\t") if has_header else [UNNAMED]
    if has_header:
        del lines[0]
    if len(lines) != points:
        raise ValueError(_METADATA_LINES(lines=len(lines), points=points))
    if width > MOST_COLUMNS:
        raise ValueError(_METADATA_COLUMNS(columns=width, most=MOST_COLUMNS))
    tabs = np.array([line.count("\t") for line in lines])
    if (tabs != width - 1).any():
        odd = int(np.argmax(tabs != width - 1))
        text = f"line {odd + 1 + has_header} of the metadata has {tabs[odd] + 1} columns, not {width}"
        raise ValueError(
            Reason(
                text,
                "embeddings_metadata_width",
                line=odd + 1 + has_header,
                columns=int(tabs[odd]) + 1,
                width=width,
            )
        )
    cells = "\t".join(lines).split("\t")
    return [_column(name, cells[place::width]) for place, name in enumerate(names)]


def _column(name: str, cells: Sequence[str]) -> MetadataColumn:
    labels = dict.fromkeys(cells)
    for code, label in enumerate(labels):
        labels[label] = code
    codes = np.fromiter(map(labels.__getitem__, cells), np.int32, len(cells))
    return MetadataColumn(name or UNNAMED, codes, list(labels), _numbers(list(labels), codes))


def _numbers(labels: Sequence[str], codes: NDArray[np.int32]) -> NDArray[np.float64] | None:
    if any("_" in label for label in labels):  # which Python has between digits
        return None
    try:  # one by one: an array of texts takes for each as much as the longest does
        values = np.array([float(label or "nan") for label in labels])
    except ValueError:
        return None
    return values[codes] if np.isfinite(values).any() else None


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
