"""Media files next to a store: pictures, tables, pages, videos; histograms of counts."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from insight_core.plugin import Flaw, Reason, ReasonKind
from insight_importers.imported_run import ImportedRun
from insight_importers.odd_values import contained
from insight_importers.side_files import content_of
from insight_record.values.buckets import raw_histogram

_MOST_BYTES = 64 << 20  # of a media file
_VIDEOS = {".mp4": "video/mp4", ".webm": "video/webm", ".ogg": "video/ogg", ".gif": "image/gif"}
_MEDIA = ReasonKind("importers_media", "the media of {tag!r} at step {step} cannot be shown: {cause}")


class MediaFiles:
    """The files of a directory, and how they become values of a run. No file outside of it is read."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def write_video(self, run: ImportedRun, tag: str, step: int, wall_time: float, name: str) -> None:
        """Writes a video, a GIF as a picture; other formats are left out. Raises OSError, ValueError."""
        media_type = _VIDEOS.get(os.path.splitext(name)[1].lower())
        if media_type == "image/gif":
            run.picture(tag, step, wall_time, self.path(name))
        elif media_type is not None:
            run.media_file(tag, step, wall_time, media_type, self.path(name))

    @contextmanager
    def shown(self, note: Callable[[Flaw], None], tag: str, step: int) -> Iterator[None]:
        """Notes the damage of a value that the block cannot write."""
        with contained(lambda cause: note(_flaw(tag, step, cause))):
            yield

    def path(self, name: str) -> str:
        """The path of a file of the run. Raises ValueError for one that leads out of its directory."""
        path = os.path.realpath(self._directory / name)
        if not path.startswith(os.path.join(os.path.realpath(self._directory), "")):
            raise ValueError(
                Reason("its file is not below the directory of the run", "importers_file_outside")
            )
        return path

    def content(self, name: str) -> bytes:
        """The bytes of a file. Raises OSError, ValueError."""
        return content_of(self.path(name), _MOST_BYTES)


def _flaw(tag: str, step: int, cause: Reason) -> Flaw:
    return Flaw(0, _MEDIA(tag=tag, step=step, cause=cause))


def csv_of(table: Mapping[str, Any]) -> bytes:
    """A table ``{"columns": [...], "data": [[...]]}`` as CSV."""
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    if not isinstance(table["columns"], list) or not all(isinstance(row, list) for row in table["data"]):
        raise ValueError(Reason("it is not a table of columns and rows", "importers_no_table"))
    lines.writerow(table["columns"])
    lines.writerows([_plain(cell) for cell in row] for row in table["data"])
    return text.getvalue().encode("utf-8", "replace")


def csv_of_rows(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """A table ``[{name: cell}, ...]`` as CSV."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return csv_of({"columns": names, "data": [[row.get(name) for name in names] for row in rows]})


def _plain(cell: object) -> object:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, (dict, list)) else cell


def histogram_of_counts(tag: str, edges: Any, counts: Any) -> Any:  # noqa: ANN401
    """A histogram of counts between edges, one more than there are counts. Raises ValueError."""
    limits, numbers = np.asarray(edges, np.float64), np.asarray(counts, np.float64)
    if limits.ndim != 1 or numbers.ndim != 1 or len(limits) != len(numbers) + 1 or not len(numbers):
        raise ValueError(Reason("a histogram has one edge more than counts", "importers_histogram"))
    middles = (limits[1:] + limits[:-1]) / 2
    total, squares = float(middles @ numbers), float(middles**2 @ numbers)
    statistics = (float(limits[0]), float(limits[-1]), float(numbers.sum()), total, squares)
    # an empty bucket ends where the first begins
    return raw_histogram(tag, statistics, limits, np.concatenate(([0.0], numbers)))
