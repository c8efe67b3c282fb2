"""Scalars as CSV."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from werkzeug import Response

from insight_core.plugin import ScalarColumns, SeriesKey
from insight_core.plugin.http.csv_text import csv_field, csv_response


def csv_of(found: Iterable[tuple[SeriesKey, ScalarColumns]]) -> Response:
    """One row for each point; a float32 is written as the float64 it equals."""
    lines = ["run,tag,step,wall_time,value"]
    for key, columns in found:
        begin = f"{csv_field(key.run)},{csv_field(key.tag)}"
        rows = zip(columns.steps.tolist(), _texts(columns.wall_times), _texts(columns.values), strict=True)
        lines.extend(f"{begin},{step},{wall_time},{value}" for step, wall_time, value in rows)
    return csv_response(lines)


def _texts(column: NDArray[np.float32] | NDArray[np.float64]) -> list[str]:
    """The shortest text that reads back as the same float64, for each value."""
    texts = [repr(value) for value in column.tolist()]
    for index in np.flatnonzero(~np.isfinite(column)).tolist():
        value = column[index]
        texts[index] = "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return texts
