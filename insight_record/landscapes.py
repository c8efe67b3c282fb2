"""Encodes loss landscapes in either dialect, from a mapping with the names of MindSpore's ``LossLandscape``.

Formats: mindinsight_summary.proto; for TensorBoard the summary plugin ``landscape``
(docs/reference/formats.md).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from insight_record.argument_checks import INT32, INT64, known, mapping_of, text_of, whole_number_of
from insight_record.arrays import numbers_of
from insight_record.formats.protobuf import Pieces, int_field, message_field, pieces_field, text_field
from insight_record.formats.safetensors import safetensors_parts
from insight_record.tensors import mindspore_tensor

_LANDSCAPE, _PATH, _METADATA, _CONVERGENCE = 1, 2, 3, 4  # of a LossLandscape
_AXES = ("x", "y", "z")
_DECOMPOSITION, _UNIT, _STEP_PER_EPOCH = 1, 2, 3  # of its metadata
_INTERVALS, _POINTS = 1, 2  # of its path

Point = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # x, y and z


class LossLandscape(NamedTuple):
    """``intervals`` are epochs or steps of the path; empty for the final landscape."""

    surface: Point
    intervals: Sequence[int]
    path: Point | None
    decomposition: str
    unit: str
    step_per_epoch: int
    convergence: Point | None
    notes: Mapping[str, object]  # for TensorBoard alone

    @property
    def size(self) -> int:
        """The bytes of all its arrays."""
        points = (self.surface, self.path or (), self.convergence or ())
        return sum(axis.nbytes for point in points for axis in point)


def landscape_of(value: object) -> LossLandscape:
    """Parses a landscape. Raises TypeError and ValueError for an invalid one.

    ``{"landscape": {"x", "y", "z"}}``, optionally with ``"loss_path": {"intervals", "points": {"x", "y",
    "z"}}``, ``"metadata": {"decomposition", "unit", "step_per_epoch"}``, ``"convergence_point": {"x", "y",
    "z"}`` and ``"notes"``. ``x`` and ``y`` of the surface are the axes of ``z``, or meshgrids of its shape.
    """
    whole = mapping_of("a loss landscape", value)
    known("a loss landscape", whole, "landscape", "loss_path", "metadata", "convergence_point", "notes")
    if "landscape" not in whole:
        raise ValueError("a loss landscape has a 'landscape', the surface")
    path = mapping_of("loss_path", whole.get("loss_path") or {})
    known("loss_path", path, "intervals", "points")
    said = mapping_of("metadata", whole.get("metadata") or {})
    known("metadata", said, "decomposition", "unit", "step_per_epoch")
    intervals = _whole_numbers(path.get("intervals", ()))
    points, convergence = path.get("points"), whole.get("convergence_point")
    if points is not None and not intervals:
        raise ValueError("loss_path has points but no intervals: add the epochs or steps of the points")
    notes = mapping_of("notes", whole.get("notes") or {})
    json.dumps(notes, allow_nan=False)  # raises for invalid notes
    return LossLandscape(
        _surface(_point("landscape", whole["landscape"])),
        intervals,
        None if points is None else _path(_point("points", points), len(intervals)),
        text_of("decomposition", said.get("decomposition", "PCA")),
        text_of("unit", said.get("unit", "epoch")),
        whole_number_of("step_per_epoch", said.get("step_per_epoch", 0), INT32),
        None if convergence is None else _single(_point("convergence_point", convergence)),
        dict(notes),
    )


def mindspore_landscape(landscape: LossLandscape) -> Pieces:
    """MindSpore's message, with meshgrids, which MindInsight requires."""
    x, y, z = landscape.surface
    grids = np.meshgrid(x, y)
    path, convergence = landscape.path, landscape.convergence
    return landscape_message(
        points_message((grids[0], grids[1], z)),
        landscape.intervals,
        None if path is None else points_message(path),
        (landscape.decomposition, landscape.unit, landscape.step_per_epoch),
        None if convergence is None else points_message(convergence),
    )


def landscape_message(
    surface: Pieces,
    intervals: Sequence[int],
    path: Pieces | None,
    said: tuple[str, str, int],
    convergence: Pieces | None,
) -> Pieces:
    """Encodes a landscape around encoded points; ``said`` are decomposition, unit and steps of an epoch."""
    content = pieces_field(_LANDSCAPE, surface)
    if intervals:
        numbers: Pieces = [int_field(_INTERVALS, number) for number in intervals]
        if path is not None:
            numbers += pieces_field(_POINTS, path)
        content += pieces_field(_PATH, numbers)
    decomposition, unit, step_per_epoch = said
    texts = text_field(_DECOMPOSITION, decomposition) + text_field(_UNIT, unit)
    content.append(message_field(_METADATA, texts + int_field(_STEP_PER_EPOCH, step_per_epoch)))
    if convergence is not None:
        content += pieces_field(_CONVERGENCE, convergence)
    return content


def points_message(point: Sequence[NDArray[Any]]) -> Pieces:
    """A ``Point``: a tensor for each axis."""
    tensors = map(mindspore_tensor, point)
    return [piece for axis, tensor in enumerate(tensors, 1) for piece in pieces_field(axis, tensor)]


def landscape_file(landscape: LossLandscape) -> bytes:
    """A safetensors file: columns of float64 (epochs or steps int64), the rest as JSON in its metadata."""
    columns: dict[str, NDArray[Any]] = dict(zip(_AXES, landscape.surface, strict=True))
    if landscape.path is not None:
        columns["path_at"] = np.array(landscape.intervals, np.int64)
        columns |= {f"path_{axis}": values for axis, values in zip(_AXES, landscape.path, strict=True)}
    if landscape.convergence is not None:
        columns["convergence"] = np.concatenate(landscape.convergence)
    numbers = landscape.intervals
    described = {
        "decomposition": landscape.decomposition,
        "unit": landscape.unit,
        "step_per_epoch": landscape.step_per_epoch,
        "interval": [numbers[0], numbers[-1]] if numbers else None,
        "notes": landscape.notes,
    }
    stored = {
        name: values.astype(np.int64 if values.dtype.kind == "i" else np.float64)
        for name, values in columns.items()
    }
    return b"".join(safetensors_parts(stored, {"landscape": json.dumps(described)}))


def _whole_numbers(value: object) -> list[int]:
    array = numbers_of(value)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError("intervals are whole numbers")
    return [whole_number_of("a number of the intervals", number, INT64) for number in array.tolist()]


def _point(name: str, value: object) -> Point:
    axes = mapping_of(name, value)
    known(name, axes, *_AXES)
    if missing := [axis for axis in _AXES if axis not in axes]:
        raise ValueError(f"{name} has no {', '.join(missing)}")
    x, y, z = (np.array(numbers_of(axes[axis]), np.float64) for axis in _AXES)
    return x, y, z


def _surface(point: Point) -> Point:
    """Replaces meshgrids by axes."""
    x, y, z = point
    if z.ndim != 2 or 0 in z.shape:
        raise ValueError(f"z of the landscape is of shape {list(z.shape)}, not a grid")
    if x.shape == y.shape == z.shape:
        if not ((x == x[0]).all() and (y == y[:, :1]).all()):
            raise ValueError("x and y of the landscape do not form a grid: z[i, j] is at x[j], y[i]")
        x, y = x[0], y[:, 0]
    if x.shape != (z.shape[1],) or y.shape != (z.shape[0],):
        raise ValueError(f"x is of shape {list(x.shape)} and y of {list(y.shape)}, z of {list(z.shape)}")
    return x, y, z


def _path(point: Point, count: int) -> Point:
    for axis, values in zip(_AXES, point, strict=True):
        if values.shape != (count,):
            raise ValueError(f"{axis} of the path is of shape {list(values.shape)}, not of {count} numbers")
    return point


def _single(point: Point) -> Point:
    for axis, values in zip(_AXES, point, strict=True):
        if values.size != 1:
            raise ValueError(f"{axis} of the convergence_point is not one number")
    x, y, z = (values.reshape(1) for values in point)
    return x, y, z
