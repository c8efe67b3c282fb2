"""Values of a W&B run that are not numbers: texts, media files, histograms."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from insight_importers.cells import loaded
from insight_importers.imported_run import ImportedRun
from insight_importers.media import MediaFiles, csv_of, histogram_of_counts

_MOST_PICTURES = 1_000  # of one value
_PLOTLY = "application/vnd.plotly.v1+json"


def with_files(tag: str, step: int, value: object) -> object:
    """The value with the names of its pictures, which old versions of W&B leave to the reader.

    ``step`` is W&B's own. Raises ValueError or TypeError for a count that is not a number.
    """
    if not isinstance(value, dict) or value.get("_type") != "images/separated" or "filenames" in value:
        return value
    place, suffix = f"media/images/{tag}_{step}", value.get("format", "png")
    count = min(int(value.get("count", 0)), _MOST_PICTURES)
    return {**value, "filenames": [f"{place}_{number}.{suffix}" for number in range(count)]}


def write_value(
    run: ImportedRun, files: MediaFiles, tag: str, step: int, wall_time: float, value: object
) -> None:
    """Writes one value of history; types that no tab shows are left out.

    Raises various errors for a value that is not as W&B writes it.
    """
    if isinstance(value, str):
        run.text(tag, step, wall_time, value)
    elif isinstance(value, dict):
        _write_media(run, files, tag, step, wall_time, value)
    elif isinstance(value, list) and value:
        run.text(tag, step, wall_time, json.dumps(value, ensure_ascii=False))


def _write_media(
    run: ImportedRun, files: MediaFiles, tag: str, step: int, wall_time: float, value: dict[str, Any]
) -> None:
    kind = value["_type"]
    if kind == "image-file":
        run.picture(tag, step, wall_time, files.path(value["path"]))
    elif kind == "images/separated":
        for number, name in enumerate(value["filenames"]):
            run.picture(f"{tag}/{number}", step, wall_time, files.path(name))
    elif kind == "html-file":
        run.media_file(tag, step, wall_time, "text/html", files.path(value["path"]))
    elif kind == "table-file":
        run.media(tag, step, wall_time, "text/csv", csv_of(loaded(files.content(value["path"]))))
    elif kind == "plotly-file":
        run.media_file(tag, step, wall_time, _PLOTLY, files.path(value["path"]))
    elif kind == "video-file":
        files.write_video(run, tag, step, wall_time, value["path"])
    elif kind == "histogram":
        edges = value.get("bins")
        if edges is None:  # packed: the least edge, the width and the number of bins
            packed = value["packedBins"]
            bins = min(int(packed["count"]), len(value["values"]) + 1)  # more than values are refused below
            edges = packed["min"] + packed["size"] * np.arange(bins + 1)
        run.value(histogram_of_counts(tag, edges, value["values"]), step, wall_time)
