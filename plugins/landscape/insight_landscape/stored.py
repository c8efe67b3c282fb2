"""Parses landscapes written by ``SummaryRecord`` for TensorBoard (summary plugin ``landscape``).

Format: docs/reference/formats.md.

A value is a string tensor of one element, a safetensors file: columns ``x``, ``y``, ``z`` and, of an
interval, ``path_at``, ``path_x``, ``path_y``, ``path_z``; perhaps ``convergence``; the rest as JSON in its
metadata.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from insight_core.plugin import Reason, ReasonKind, encode_json
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_of
from insight_landscape.claims import COMPUTED
from insight_landscape.landscape import (
    MOST_STEPS,
    Landscape,
    Path,
    as_floats,
    landscape_grid,
    missing_columns,
    missing_piece,
    training_path,
    unreadable_piece,
)

_METADATA = "landscape"  # entry of the metadata of the file
_PATH = ("path_at", "path_x", "path_y", "path_z")
_HEADER = 8  # bytes of the length of a safetensors header
_NOT_SAFETENSORS = ReasonKind("landscape_not_safetensors", "the value is not a safetensors file: {cause}")


def recorded(landscape: Landscape) -> dict[str, object]:
    """The landscape as ``SummaryRecord`` takes it."""
    path, convergence = landscape.path, landscape.convergence
    value: dict[str, object] = {
        "landscape": {"x": landscape.x, "y": landscape.y, "z": landscape.z},
        "metadata": {
            "decomposition": landscape.decomposition,
            "unit": landscape.unit,
            "step_per_epoch": landscape.step_per_epoch,
        },
        "notes": landscape.notes,
    }
    if path is not None:
        value["loss_path"] = {"intervals": path.at, "points": {"x": path.x, "y": path.y, "z": path.z}}
    elif landscape.interval is not None:
        value["loss_path"] = {"intervals": landscape.interval}
    if convergence is not None:
        value["convergence_point"] = dict(zip("xyz", convergence, strict=True))
    return value


def landscape_of(data: bytes) -> Landscape:
    """From the ``TensorProto`` of a value. Raises ValueError where the surface cannot be read."""
    strings = tensor_of(Payload(data, COMPUTED)).values
    if strings.dtype != object or strings.size != 1:
        text = "the value is not a string tensor with one element"
        raise ValueError(Reason(text, "landscape_not_a_string"))
    content: bytes = strings.flat[0]
    try:
        columns = load(content)
    except (SafetensorError, KeyError, TypeError) as error:  # also a type that numpy does not have
        raise ValueError(_NOT_SAFETENSORS(cause=str(error))) from error
    if missing := [name for name in ("x", "y", "z") if name not in columns]:
        raise ValueError(missing_columns(missing))
    x, y, z = landscape_grid(columns["x"], columns["y"], columns["z"])
    flaws: list[Reason] = []
    path = _path(columns, flaws)
    described = _described(content, flaws)
    decomposition, unit = (str(described.get(name, "")) for name in ("decomposition", "unit"))
    per_epoch, notes = described.get("step_per_epoch"), described.get("notes")
    return Landscape(
        x,
        y,
        z,
        path,
        interval := _interval(path, described.get("interval")),
        interval is None and not any(name in columns for name in _PATH),
        _convergence(columns, flaws),
        decomposition,
        unit,
        per_epoch if isinstance(per_epoch, int) and per_epoch > 0 else 0,
        notes if isinstance(notes, dict) else {},
        tuple(flaws),
    )


def _interval(path: Path | None, said: object) -> tuple[int, int] | None:
    if path is not None:
        return int(path.at[0]), int(path.at[-1])
    match said:
        case [int(first), int(last)] if max(abs(first), abs(last)) < MOST_STEPS:
            return first, last
    return None


def _path(columns: dict[str, NDArray[np.generic]], flaws: list[Reason]) -> Path | None:
    there = [name for name in _PATH if name in columns]
    if not there:
        return None
    try:
        if len(there) < len(_PATH):
            raise ValueError(missing_columns([name for name in _PATH if name not in there]))
        return training_path(*(columns[name] for name in _PATH))
    except ValueError as error:
        flaws.append(unreadable_piece("path", error))
        return None


def _convergence(
    columns: dict[str, NDArray[np.generic]], flaws: list[Reason]
) -> tuple[float, float, float] | None:
    point = columns.get("convergence")
    if point is None or point.shape != (3,):
        flaws.append(missing_piece("convergence"))
        return None
    try:
        x, y, z = as_floats("convergence", point).tolist()
    except ValueError as error:
        flaws.append(unreadable_piece("convergence", error))
        return None
    return x, y, z


def _described(content: bytes, flaws: list[Reason]) -> dict[str, object]:
    """Reads the metadata, which numpy's reader of safetensors leaves out."""
    size = int.from_bytes(content[:_HEADER], "little")
    try:
        found = json.loads(json.loads(content[_HEADER : _HEADER + size])["__metadata__"][_METADATA])
        encode_json(found)  # can be passed on: it is not nested too deeply
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        flaws.append(unreadable_piece("metadata", type(error).__name__))
        return {}
    return found if isinstance(found, dict) else {}
