"""Computes loss landscapes of any model over a plane of parameters; needs only numpy."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import index
from pathlib import Path as FilePath
from typing import Literal, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

import insight_landscape.points as points
import insight_landscape.stored as stored
from insight_landscape.directions import (
    Direction,
    Parameters,
    given_direction,
    movable,
    path_directions,
    places,
    random_direction,
)
from insight_landscape.landscape import MAX_SIDE, Landscape, Path
from insight_landscape.points import Loss, PlanePoint
from insight_record import SummaryRecord

Directions: TypeAlias = Literal["random", "pca"] | tuple[Parameters, Parameters]

_PADDING = 0.2  # of the extent of a path, at either end
_UNITS = ("epoch", "step")


def compute(
    loss: Loss,
    checkpoints: Parameters | Iterable[Parameters],
    *,
    log_dir: str | os.PathLike[str] | None = None,
    directions: Directions | None = None,
    size: int | tuple[int, int] = 40,
    span: float | None = None,
    at: Sequence[int] | None = None,
    unit: Literal["epoch", "step"] = "epoch",
    step_per_epoch: int = 0,
    still: Collection[str] = (),
    filter_axis: int = 0,
    seed: int = 0,
    processes: int = 1,
    start_method: Literal["spawn", "fork", "forkserver"] = "spawn",
    progress: Callable[[int, int], None] | None = None,
) -> Landscape:
    """The loss around a model's parameters; with ``log_dir`` also written there, for the Landscape tab.

    ``loss(parameters)`` returns the loss of a model with these parameters, arrays by name. It must not
    change them, and must return the same for the same: evaluation mode, always the same data.

    ``checkpoints`` are the parameters of one model, or of one training in its order. The plane goes
    through the last ones. ``at`` says of which epochs or steps (``unit``) they are, 1, 2, 3, ... by default.

    ``directions``: "random" (filter-normalised, the default for one checkpoint) shows the model around its
    end and no path; "pca" (the default for three or more) is the plane nearest to the path of training; or
    two directions, arrays by name, with a path where there are several checkpoints.

    ``size`` is how many points the grid has, each way or (x, y), 2 to 256. ``span`` is how far it reaches
    from the last checkpoint in units of the directions, 1 by default; a path has the room it needs.

    ``still`` names parameters that no direction moves; those of other than floating-point types never
    move. ``filter_axis`` is the axis of a weight along which its filters lie: 0 as in PyTorch, -1 as in
    Keras. ``seed`` is of random directions.

    With ``processes`` the points are evaluated by so many at once; ``loss`` must then be something that
    can be pickled (a function at the top of a module, a ``functools.partial`` of one), unless
    ``start_method`` is "fork". ``progress(done, total)`` is called as points are done. After an interruption
    or an error nothing is written, and the processes end with the point that they are at.

    Raises ValueError for what does not fit together, TypeError where ``loss`` returns no number, whatever
    ``loss`` raises, with a note of where it did, and OSError where ``log_dir`` cannot be written.
    """
    training = [checkpoints] if isinstance(checkpoints, Mapping) else list(checkpoints)
    center = _checked(training)
    numbers = _numbers(at, len(training))
    if unit not in _UNITS:
        raise ValueError(f"unit must be one of {', '.join(_UNITS)}, not {unit!r}")
    if processes < 1:
        raise ValueError(f"processes must be 1 or more, not {processes}")
    columns, rows = _sides(size)
    if log_dir is not None:
        _check_writable(log_dir)  # now, not after an hour
    names = movable(center, still)
    if directions is None:
        directions = "pca" if len(training) > 2 else "random"
    plane = _Plane.of(directions, training, names, np.random.default_rng(seed), filter_axis)
    with_path = len(training) > 1 and directions != "random"
    places_x, places_y = (
        places(training, plane.first, plane.second) if with_path else (np.zeros(1), np.zeros(1))
    )
    x, y = _axis(places_x, columns, span, with_path), _axis(places_y, rows, span, with_path)

    grid = [PlanePoint(float(a), float(b)) for b in y for a in x]
    shown = training if with_path else [center]
    total = len(grid) + len(shown)
    tell = progress if progress is not None else _silent
    losses = []
    for number, one in enumerate(shown):
        where = f"checkpoint {number}" if with_path else "the last checkpoint"
        losses.append(points.loss_of(loss, {name: np.asarray(one[name]) for name in one}, where))
        tell(len(losses), total)
    done = len(shown)
    z = np.empty(len(grid))
    task = points.Task(loss, center, plane.first, plane.second)
    for first, values in points.evaluated(task, grid, processes, start_method):
        z[first : first + len(values)] = values
        done += len(values)
        tell(done, total)

    path = Path(numbers, places_x, places_y, np.array(losses)) if with_path else None
    landscape = Landscape(
        x,
        y,
        z.reshape(rows, columns),
        path,
        (int(numbers[0]), int(numbers[-1])) if with_path else None,
        not with_path,
        (0.0, 0.0, losses[-1]),
        plane.name,
        unit,
        step_per_epoch,
        plane.notes,
    )
    if log_dir is not None:
        write(landscape, log_dir, step=int(numbers[-1]))
    return landscape


def write(landscape: Landscape, log_dir: str | os.PathLike[str], step: int = 0) -> str:
    """Writes an event file with the landscape and returns its path; tag ``landscape/<id>``."""
    with SummaryRecord(log_dir, dialect="tensorboard") as record:
        record.add_value("loss_landscape", f"landscape/{landscape.id}", stored.recorded(landscape))
        record.record(step)
    return str(record.path)


def _check_writable(log_dir: str | os.PathLike[str]) -> None:
    FilePath(log_dir).mkdir(parents=True, exist_ok=True)
    if not os.access(log_dir, os.W_OK | os.X_OK):
        raise PermissionError(f"{os.fspath(log_dir)!r} cannot be written")


def _silent(done: int, total: int) -> None:
    pass


def _checked(training: list[Parameters]) -> Parameters:
    """The last checkpoint, which all others fit."""
    if not training:
        raise ValueError("no checkpoints: give at least one")
    center = training[-1]
    shapes = {name: np.shape(array) for name, array in center.items()}
    for number, one in enumerate(training):
        if {name: np.shape(array) for name, array in one.items()} != shapes:
            raise ValueError(f"checkpoint {number} has other parameters than the last, or of other shapes")
        for name, array in one.items():
            values = np.asarray(array)
            if np.issubdtype(values.dtype, np.floating) and not np.isfinite(values).all():
                raise ValueError(f"checkpoint {number} has values in {name!r} that are not finite")
    return center


def _numbers(at: Sequence[int] | None, count: int) -> NDArray[np.int64]:
    numbers = np.arange(1, count + 1, dtype=np.int64) if at is None else np.array(at, np.int64)
    if len(numbers) != count:
        raise ValueError(f"at has {len(numbers)} numbers for {count} checkpoints")
    if not (np.diff(numbers) > 0).all():
        raise ValueError("at must ascend: the checkpoints are in the order of training")
    return numbers


def _sides(size: int | tuple[int, int]) -> tuple[int, int]:
    try:
        columns, rows = map(index, size if isinstance(size, tuple) else (size, size))
    except (TypeError, ValueError):
        raise ValueError(f"size must be a whole number or two of them, not {size!r}") from None
    if not (2 <= columns <= MAX_SIDE and 2 <= rows <= MAX_SIDE):
        raise ValueError(f"size must be 2 to {MAX_SIDE} each way, not {size}")
    return columns, rows


def _axis(
    on_path: NDArray[np.float64], count: int, span: float | None, with_path: bool
) -> NDArray[np.float64]:
    """The path and some room beyond its ends, or as far as ``span`` says."""
    low, high = float(on_path.min()), float(on_path.max())
    room = _PADDING * (high - low) if with_path else 1.0
    if span is not None:
        low, high, room = min(low, -span), max(high, span), 0.0
    if not high + room > low - room:
        raise ValueError("the grid has no extent: give a span greater than 0")
    return np.linspace(low - room, high + room, count)


@frozen
class _Plane:
    first: Direction
    second: Direction
    name: str
    notes: dict[str, object]

    @classmethod
    def of(
        cls,
        directions: Directions,
        training: Sequence[Parameters],
        names: Collection[str],
        random: np.random.Generator,
        filter_axis: int,
    ) -> _Plane:
        center = training[-1]
        if directions == "random":
            first = random_direction(center, names, random, filter_axis)
            return cls(first, random_direction(center, names, random, filter_axis), "Random", {})
        if directions == "pca":
            one, other, share = path_directions(training, names)
            return cls(one, other, "PCA", {"share_of_path": share})
        if isinstance(directions, str) or len(directions) != 2:
            raise ValueError(f'directions must be "random", "pca" or two directions, not {directions!r}')
        one, other = (given_direction(center, names, values) for values in directions)
        return cls(one, other, "", {})
