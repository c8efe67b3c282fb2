"""What W&B logs beside numbers, under its names: pictures, histograms, tables, pages, sounds and videos."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from insight_record.arrays import array_of
from insight_record.encoders.encoder import EncodedValue
from insight_record.optional import needed
from insight_record.summary_writer import SummaryWriter
from insight_record.values.tensors import strings_value

log = logging.getLogger(__name__)

_BINS = 64
_COLUMNS = ("Input", "Output", "Expected")  # of a table whose columns nobody names
_FROM_NUMPY = {2: "HW", 3: "HWC"}
_FROM_TORCH = {2: "HW", 3: "CHW", 4: "NCHW"}

When = Mapping[str, Any]  # global_step and walltime of a writer


class LoggedValue(Protocol):
    """Records itself under a tag."""

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Raises ValueError or TypeError for what cannot be recorded."""


class Image:
    """A picture: an array [H, W] or [H, W, C], a tensor of PyTorch [C, H, W], a picture of Pillow or a path.

    Whole numbers are 0 to 255, others 0 to 1. ``mode``, ``grouping`` and ``file_type`` have no effect; boxes,
    masks and captions are not recorded, which is said once.
    """

    def __init__(
        self,
        data_or_path: Any,  # noqa: ANN401
        mode: str | None = None,
        caption: str | None = None,
        grouping: int | None = None,
        classes: object = None,
        boxes: object = None,
        masks: object = None,
        file_type: str | None = None,
        normalize: bool = True,
    ) -> None:
        warn_of(boxes=boxes, masks=masks, caption=caption)
        self._pixels: NDArray[Any]
        self._order: str
        if isinstance(data_or_path, Image):
            self._pixels, self._order = data_or_path._pixels, data_or_path._order
            return
        if isinstance(data_or_path, (str, os.PathLike)):
            data_or_path = needed("PIL.Image", "pillow", "a picture of a file").open(data_or_path)
        if hasattr(data_or_path, "convert"):  # a picture of Pillow
            data_or_path = data_or_path.convert("RGBA" if data_or_path.has_transparency_data else "RGB")
        if hasattr(data_or_path, "savefig"):
            data_or_path = _pixels_of(data_or_path)
        is_tensor = type(data_or_path).__module__.partition(".")[0] == "torch"
        pixels = np.array(array_of(data_or_path))
        if pixels.dtype.kind == "b":
            pixels = pixels.astype(np.float32)
        elif pixels.dtype.kind in "iu" or (normalize and pixels.size and np.nanmax(pixels) > 1):
            pixels = pixels.clip(0, 255).astype(np.uint8)  # as W&B takes them
        order = (_FROM_TORCH if is_tensor else _FROM_NUMPY).get(pixels.ndim)
        if order is None:
            raise ValueError(f"a picture has 2 or 3 dimensions, not the shape {list(pixels.shape)}")
        self._pixels, self._order = pixels, order

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the picture."""
        writer.add_image(tag, self._pixels, dataformats=self._order, **when)


class Histogram:
    """The distribution of numbers in ``num_bins`` buckets, or the counts and edges of ``numpy.histogram``."""

    def __init__(
        self,
        sequence: object = None,
        np_histogram: tuple[Any, Any] | None = None,
        num_bins: int = _BINS,
    ) -> None:
        if (sequence is None) == (np_histogram is None):
            raise ValueError("a Histogram has a sequence or np_histogram")
        self._numbers = None if sequence is None else np.array(array_of(sequence))
        self._bins = min(int(num_bins), 512)
        if np_histogram is not None:
            counts, edges = (np.asarray(one, np.float64).ravel() for one in np_histogram)
            if len(edges) != len(counts) + 1:
                raise ValueError(f"{len(counts)} counts have one edge more, not {len(edges)} edges")
            self._counts, self._edges = counts, edges

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the histogram."""
        if self._numbers is not None:
            writer.add_histogram(tag, self._numbers, bins=self._bins, **when)
            return
        counts, edges = self._counts, self._edges
        middles = (edges[:-1] + edges[1:]) / 2
        total, squares = float(counts @ middles), float(counts @ middles**2)
        # the first bucket is empty, and ends at the least edge
        writer.add_histogram_raw(
            tag, edges[0], edges[-1], counts.sum(), total, squares, edges, np.append(0.0, counts), **when
        )


class Table:
    """Texts and numbers in columns, recorded as CSV. Pictures in cells are left out, which is said once."""

    def __init__(
        self,
        columns: Sequence[Any] | None = None,
        data: Any = None,  # noqa: ANN401
        rows: Any = None,  # noqa: ANN401
        dataframe: Any = None,  # noqa: ANN401
        **options: Any,  # noqa: ANN401
    ) -> None:
        data = dataframe if dataframe is not None else rows if data is None else data
        if hasattr(data, "columns") and hasattr(data, "itertuples"):  # a frame of pandas
            columns = list(data.columns) if columns is None else columns
            data = data.itertuples(index=False)
        self.columns = [str(one) for one in (_COLUMNS if columns is None else columns)]
        self.data: list[list[Any]] = []
        for row in () if data is None else data:
            self.add_data(*row)

    def add_data(self, *row: Any) -> None:  # noqa: ANN401
        """Adds a row. Raises ValueError if it has not a cell for each column."""
        if len(row) != len(self.columns):
            names = ", ".join(self.columns)
            raise ValueError(f"a row has {len(self.columns)} cells, for {names}, not {len(row)}")
        self.data.append(list(row))

    def add_column(self, name: str, data: Sequence[Any]) -> None:
        """Adds a column. Raises ValueError if it has not a cell for each row."""
        if self.data and len(data) != len(self.data):
            raise ValueError(f"the column {name!r} has {len(data)} cells for {len(self.data)} rows")
        if not self.data:
            self.columns = [] if self.columns == [*_COLUMNS] else self.columns
            self.data = [[] for _ in data]
        self.columns.append(name)
        for row, cell in zip(self.data, data, strict=True):
            row.append(cell)

    def get_column(self, name: str) -> list[Any]:
        """The cells of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.data]

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the table as it is now."""
        text = io.StringIO(newline="")
        lines = csv.writer(text)
        lines.writerow(self.columns)
        lines.writerows([_cell(one) for one in row] for row in self.data)
        _write_media(writer, tag, "text/csv", text.getvalue().encode(), when)


class Html:
    """A page, or the path of one; it is shown in a frame that loads nothing."""

    def __init__(self, data: Any, inject: bool = True, data_is_not_path: bool = False) -> None:  # noqa: ANN401
        if hasattr(data, "read"):
            data = data.read()
        elif not data_is_not_path and len(str(data)) < 1000 and Path(data).is_file():
            data = Path(data).read_text()
        self._text = str(data)

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the page."""
        _write_media(writer, tag, "text/html", self._text.encode(), when)


class Plotly:
    """A figure of plotly."""

    def __init__(self, val: Any) -> None:  # noqa: ANN401
        self._json = val.to_json() if hasattr(val, "to_json") else json.dumps(val)

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the figure."""
        _write_media(writer, tag, "application/vnd.plotly.v1+json", self._json.encode(), when)


class Audio:
    """Samples from -1 to 1, [n] or [n, 2], in ``sample_rate`` per second."""

    def __init__(self, data_or_path: Any, sample_rate: int | None = None, caption: str | None = None) -> None:  # noqa: ANN401
        if isinstance(data_or_path, (str, os.PathLike)):
            raise TypeError("an Audio has samples here: read the file and give them with sample_rate")
        if sample_rate is None:
            raise ValueError("an Audio has a sample_rate")
        warn_of(caption=caption)
        self._samples, self._rate = np.array(array_of(data_or_path)), sample_rate

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the sound."""
        writer.add_audio(tag, self._samples, sample_rate=self._rate, **when)


class Video:
    """Frames [time, channel, height, width], uint8, or a batch of them; recorded as an animated GIF."""

    def __init__(
        self,
        data_or_path: Any,  # noqa: ANN401
        caption: str | None = None,
        fps: float | None = None,
        format: str | None = None,
    ) -> None:
        if isinstance(data_or_path, (str, os.PathLike)):
            raise TypeError("a Video has frames here: read the file and give them with fps")
        warn_of(caption=caption)
        frames = np.array(array_of(data_or_path))
        self._frames, self._fps = frames if frames.ndim == 5 else frames[None], fps or 4

    def write(self, writer: SummaryWriter, tag: str, when: When) -> None:
        """Records the video."""
        writer.add_video(tag, self._frames, fps=self._fps, **when)


KINDS = (Image, Histogram, Table, Html, Plotly, Audio, Video)


def _pixels_of(value: Any) -> Any:  # noqa: ANN401
    from insight_record.values.pictures import figure  # what it needs is loaded with the first figure

    return figure(value, close=False)


def _cell(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, KINDS):
        warn_of(**{f"{type(value).__name__} in a cell of a table": value})
        return type(value).__name__
    return value


def _write_media(writer: SummaryWriter, tag: str, media_type: str, content: bytes, when: When) -> None:
    value: EncodedValue = strings_value(tag, [media_type.encode(), content], "media", shape=[2])
    writer._put([value], when["global_step"], when["walltime"])


_warned: set[str] = set()


def warn_of(**given: object) -> None:
    """Says once for each name that it is not recorded."""
    for name, value in given.items():
        if value is not None and name not in _warned:
            _warned.add(name)
            log.warning("insight_record.wandb does not record %s", name)
