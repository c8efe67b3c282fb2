"""Scalars as CSV."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from werkzeug import Response

from insight_core.api import ScalarColumns, SeriesKey


def csv_response(found: Iterable[tuple[SeriesKey, ScalarColumns]]) -> Response:
    """One row for each point, after RFC 4180; a float32 is written as the float64 it equals."""
    parts = ["run,tag,step,wall_time,value\r\n"]
    for key, columns in found:
        begin = f"{_csv_field(key.run)},{_csv_field(key.tag)}"
        rows = zip(columns.steps.tolist(), _texts(columns.wall_times), _texts(columns.values), strict=True)
        parts.extend(f"{begin},{step},{wall_time},{value}\r\n" for step, wall_time, value in rows)
    # a name that is not UTF-8 on disk comes as lone surrogates, which UTF-8 cannot hold
    body = "".join(parts).encode("utf-8", errors="backslashreplace")
    return Response(body, content_type="text/csv; charset=utf-8")


def _csv_field(text: str) -> str:
    if any(mark in text for mark in ',"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _texts(column: NDArray[np.float32] | NDArray[np.float64]) -> list[str]:
    """The shortest text that reads back as the same float64, for each value."""
    texts = [repr(value) for value in column.tolist()]
    for index in np.flatnonzero(~np.isfinite(column)).tolist():
        value = column[index]
        texts[index] = "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return texts
