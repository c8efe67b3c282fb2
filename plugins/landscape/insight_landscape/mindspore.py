"""Parses landscapes written by MindSpore's SummaryLandscape.

Format: ``LossLandscape`` of MindSpore's mindspore_summary.proto, with ``TensorProto`` of its
mindspore_anf_ir.proto.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Dialect, EventField, Reason, ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import LENGTH_DELIMITED, VARINT, fields, signed, tensor_of, varints
from insight_landscape.landscape import (
    Landscape,
    Path,
    as_floats,
    landscape_grid,
    missing_columns,
    missing_piece,
    training_path,
    unreadable_piece,
)

_LANDSCAPE, _PATH, _METADATA, _CONVERGENCE = 1, 2, 3, 4  # of a LossLandscape
_INTERVALS, _POINTS = 1, 2  # of its LossPath
_DECOMPOSITION, _UNIT, _STEP_PER_EPOCH = 1, 2, 3  # of its Metadata
_AXES = {1: "x", 2: "y", 3: "z"}  # of a Point
_TENSOR = EventField(Dialect.MINDSPORE, "tensor")

T = TypeVar("T")
_COLUMN = ReasonKind("landscape_column", "{name}: {cause}")


def landscape_of(data: bytes) -> Landscape:
    """Raises ValueError where the surface cannot be read."""
    parts = {number: (start, end) for number, kind, start, end, _ in fields(data) if kind == LENGTH_DELIMITED}
    if _LANDSCAPE not in parts:
        raise ValueError(Reason("the landscape has no surface", "landscape_no_surface"))
    points = _point(data, *parts[_LANDSCAPE])
    x, y, z = landscape_grid(points["x"], points["y"], points["z"])
    flaws: list[Reason] = []
    metadata = _whole(flaws, "metadata", _metadata, data, parts.get(_METADATA))
    decomposition, unit, step_per_epoch = metadata or ("", "", 0)
    convergence = _whole(flaws, "convergence", _convergence, data, parts.get(_CONVERGENCE))
    interval, path, final = None, None, True
    if _PATH in parts:
        numbers = _whole(flaws, "interval", _numbers, data, parts[_PATH])
        final = numbers is not None and not len(numbers)  # as MindInsight tells it
        if numbers is not None and len(numbers):
            interval = int(numbers[0]), int(numbers[-1])
            path = _whole(flaws, "path", partial(_path, numbers), data, parts[_PATH])
    return Landscape(
        x,
        y,
        z,
        path,
        interval,
        final,
        convergence,
        decomposition,
        unit,
        step_per_epoch,
        flaws=tuple(flaws),
    )


def _whole(
    flaws: list[Reason],
    name: str,
    read: Callable[[bytes, int, int], T],
    data: bytes,
    place: tuple[int, int] | None,
) -> T | None:
    """A piece, or None and a flaw that names it."""
    if place is None:
        flaws.append(missing_piece(name))
        return None
    try:
        return read(data, *place)
    except ValueError as error:
        flaws.append(unreadable_piece(name, error))
        return None


def _point(data: bytes, start: int, end: int) -> dict[str, NDArray[np.generic]]:
    found = {}
    for number, kind, first, last, _ in fields(data, start, end):
        if number in _AXES and kind == LENGTH_DELIMITED:
            name = _AXES[number]
            try:
                found[name] = tensor_of(Payload(data[first:last], _TENSOR)).values
            except ValueError as error:
                cause = Reason.of(error)
                raise ValueError(_COLUMN(name=name, cause=cause)) from error
    if missing := [name for name in _AXES.values() if name not in found]:
        raise ValueError(missing_columns(missing))
    return found


def _numbers(data: bytes, start: int, end: int) -> NDArray[np.int64]:
    """The epochs or steps of the path."""
    numbers: list[int] = []
    for number, kind, first, last, value in fields(data, start, end):
        if number == _INTERVALS and kind == VARINT:
            numbers.append(signed(value))
        elif number == _INTERVALS and kind == LENGTH_DELIMITED:
            numbers += varints(data, first, last).astype(np.int64).tolist()
    return np.array(numbers, np.int64)


def _path(numbers: NDArray[np.int64], data: bytes, start: int, end: int) -> Path:
    for number, kind, first, last, _ in fields(data, start, end):
        if number == _POINTS and kind == LENGTH_DELIMITED:
            points = _point(data, first, last)
            return training_path(numbers, points["x"], points["y"], points["z"])
    raise ValueError(Reason("it has no points", "landscape_no_points"))


def _metadata(data: bytes, start: int, end: int) -> tuple[str, str, int]:
    decomposition, unit, step_per_epoch = "", "", 0
    for number, kind, first, last, value in fields(data, start, end):
        if kind == LENGTH_DELIMITED and number == _DECOMPOSITION:
            decomposition = data[first:last].decode("utf-8", "replace")
        elif kind == LENGTH_DELIMITED and number == _UNIT:
            unit = data[first:last].decode("utf-8", "replace")
        elif kind == VARINT and number == _STEP_PER_EPOCH:
            step_per_epoch = max(0, signed(value))
    return decomposition, unit, step_per_epoch


def _convergence(data: bytes, start: int, end: int) -> tuple[float, float, float]:
    points = _point(data, start, end)
    if any(values.size < 1 for values in points.values()):
        raise ValueError(Reason("it has no values", "landscape_no_values"))
    x, y, z = (float(as_floats(name, points[name]).flat[0]) for name in ("x", "y", "z"))
    return x, y, z
