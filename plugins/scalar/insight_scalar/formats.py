"""Streams columns as CSV and JSON in blocks of rows, to bound memory."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from werkzeug import Response

from insight_core.plugin import ReasonKind, TooLarge, encode_json
from insight_core.plugin.data import ScalarColumns, SeriesKey
from insight_core.plugin.http import Column, csv_field, csv_response, safetensors_response, streamed_response
from insight_scalar.along import AlongColumns

MOST_BYTES = 256 << 20  # of the columns of an answer that is not made while it is sent
_MOST_EXACT = 2**53 - 1  # of the whole numbers that JavaScript reads from JSON
_ROWS = 4096  # that are formatted at a time
_LARGE = ReasonKind(
    "scalar_large",
    "the answer would have more than {most} MiB: ask for fewer series, for fewer points with width=, from= "
    "and to=, or for format=json, which is sent in pieces",
)


def step_of(step: int) -> int | str:
    """A step for JSON: text where JavaScript would round it."""
    return step if -_MOST_EXACT <= step <= _MOST_EXACT else str(step)


def are_rounded(steps: NDArray[np.int64]) -> bool:
    """Whether JavaScript would round one of the steps."""
    return bool(len(steps)) and (int(steps.max()) > _MOST_EXACT or int(steps.min()) < -_MOST_EXACT)


def csv_of(found: Iterable[tuple[SeriesKey, ScalarColumns]], along: str | None = None) -> Response:
    """One row for each point; a float32 is written as the float64 it equals.

    ``along``: the expression that is x, for the head of its column.
    """
    return csv_response(_lines(found, along))


def json_of(
    name: str,
    found: Iterable[tuple[Mapping[str, object], Mapping[str, Column]]],
) -> Response:
    """``{name: [..]}`` of objects, each with its columns as lists after its other members."""
    return streamed_response(_json(name, found), "application/json")


def numbers_of(
    form: str,
    name: str,
    found: Iterable[tuple[Mapping[str, object], Mapping[str, Column]]],
) -> Response:
    """Descriptions with their columns inside (JSON), or next to them (safetensors).

    Raises TooLarge for more than ``MOST_BYTES`` of safetensors, whose head has the sizes of all columns.
    """
    if form == "json":
        return json_of(name, found)
    columns: dict[str, Column] = {}
    descriptions, size = [], 0
    for index, (described, part) in enumerate(found):
        descriptions.append(described)
        columns |= {f"{index}.{key}": column for key, column in part.items()}
        size += sum(column.nbytes for column in part.values())
        if size > MOST_BYTES:
            raise TooLarge(_LARGE(most=MOST_BYTES >> 20))
    return safetensors_response(columns, name, descriptions)


def _lines(found: Iterable[tuple[SeriesKey, ScalarColumns]], along: str | None) -> Iterator[str]:
    yield "run,tag,step,wall_time,value" + ("" if along is None else f",{csv_field(along)}")
    for key, columns in found:
        begin = f"{csv_field(key.run)},{csv_field(key.tag)}"
        for rows in _blocks(len(columns.steps)):
            steps, wall_times, values = columns.steps[rows], columns.wall_times[rows], columns.values[rows]
            xs = _texts(columns.xs[rows]) if isinstance(columns, AlongColumns) else None
            ends = itertools.repeat("") if xs is None else (f",{x}" for x in xs)
            texts = zip(steps.tolist(), _texts(wall_times), _texts(values), ends, strict=False)
            for step, wall_time, value, end in texts:
                yield f"{begin},{step},{wall_time},{value}{end}"


def _json(name: str, found: Iterable[tuple[Mapping[str, object], Mapping[str, Column]]]) -> Iterator[bytes]:
    yield b"{%b:[" % encode_json(name)
    for index, (described, columns) in enumerate(found):
        yield (b"," if index else b"") + encode_json(described)[:-1]
        for key, column in columns.items():
            yield b",%b:[" % encode_json(key)
            for rows in _blocks(len(column)):
                yield (b"," if rows.start else b"") + encode_json(column[rows])[1:-1]
            yield b"]"
        yield b"}"
    yield b"]}"


def _blocks(count: int) -> Iterator[slice]:
    return (slice(start, start + _ROWS) for start in range(0, count, _ROWS))


def _texts(column: NDArray[np.float32] | NDArray[np.float64]) -> list[str]:
    """The shortest text that reads back as the same float64, for each value."""
    texts = [repr(value) for value in column.tolist()]
    for index in np.flatnonzero(~np.isfinite(column)).tolist():
        value = column[index]
        texts[index] = "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return texts
