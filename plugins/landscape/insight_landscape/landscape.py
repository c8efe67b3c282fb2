"""The data model of a loss landscape, independent of its writer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind

MAX_SIDE = 256  # points of an axis
MAX_PATH = 1_000_000  # points of a training path
FINAL = "final"
MOST_STEPS = 2.0**53  # beyond, pages do not count

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_NO_GRID = ReasonKind("landscape_no_grid", "the losses are of shape {shape}, not a grid")
_GRID_SIZE = ReasonKind(
    "landscape_grid_size", "the grid has {width} x {height} points: 2 to {most} a side are read"
)
_TYPE = ReasonKind("landscape_type", "the values of {name} are of type {type}, not numbers")
_AXIS_INFINITE = ReasonKind("landscape_axis_infinite", "the axis {name} has values that are not finite")
_AXIS_TWICE = ReasonKind("landscape_axis_twice", "the axis {name} has the same value twice")
_PATH_SIZE = ReasonKind("landscape_path_size", "the path has {points:,} points: 1 to {most:,} are read")
_COLUMNS_MISSING = ReasonKind("landscape_columns_missing", "{names} missing")


@frozen(eq=False)
class Path:
    """The way of training through the plane of a landscape; all columns are of equal length.

    ``at`` is the epoch or step of each point, as the unit of the landscape says; ``z`` is the loss there,
    which need not be that of the surface: the parameters are seldom right in the plane.
    """

    at: Integers
    x: Floats
    y: Floats
    z: Floats


_PIECES = {
    "metadata": "the metadata",
    "convergence": "the point of convergence",
    "interval": "the interval",
    "path": "the path of training",
}


@frozen(eq=False)
class Landscape:
    """The loss over a grid in a plane through the parameters of a model.

    ``z`` is of shape (len(y), len(x)): ``z[i, j]`` is the loss at ``x[j]``, ``y[i]``; both axes ascend.
    Of a training interval there is a path, of the final landscape none. ``convergence`` is x, y and loss
    of the parameters that the plane goes through. ``interval`` is from which epoch or step to which, None of
    the final landscape, and where only that is lost. ``flaws`` name the pieces that are missing or could
    not be read.
    """

    x: Floats
    y: Floats
    z: Floats
    path: Path | None = None
    interval: tuple[int, int] | None = None
    final: bool = True
    convergence: tuple[float, float, float] | None = None
    decomposition: str = ""  # how the directions were found: PCA, Random
    unit: str = ""  # of ``at``: epoch or step
    step_per_epoch: int = 0  # 0: not known
    notes: dict[str, object] = field(factory=dict)  # what else the writer says
    flaws: tuple[Reason, ...] = ()

    @property
    def id(self) -> str:
        """``first-last`` of the interval, ``final``, or "" where the interval is lost."""
        if self.interval is not None:
            return f"{self.interval[0]}-{self.interval[1]}"
        return FINAL if self.final else ""

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        path = self.path
        held = [self.x, self.y, self.z, *((path.at, path.x, path.y, path.z) if path is not None else ())]
        return sum(int(column.nbytes) for column in held) + 1024


def landscape_grid(
    x: NDArray[np.generic], y: NDArray[np.generic], z: NDArray[np.generic]
) -> tuple[Floats, Floats, Floats]:
    """Axes and losses as ``Landscape`` has them, from axes or meshgrids in any order.

    Raises ValueError, which says what does not fit.
    """
    loss = as_floats("z", z)
    if loss.ndim != 2:
        shape = str(list(loss.shape))
        raise ValueError(_NO_GRID(shape=shape))
    if max(loss.shape) > MAX_SIDE or min(loss.shape) < 2:
        height, width = loss.shape
        raise ValueError(_GRID_SIZE(width=width, height=height, most=MAX_SIDE))
    across, down = as_floats("x", x), as_floats("y", y)
    if across.ndim == down.ndim == 2 and across.shape == down.shape == loss.shape:
        if not _is_constant(across, 0) and _is_constant(across, 1):  # x runs along the first axis
            across, down, loss = across.T, down.T, loss.T
        if not (_is_constant(across, 0) and _is_constant(down, 1)):
            raise ValueError(Reason("the x and y values do not form a grid", "landscape_axes"))
        across, down = across[0], down[:, 0]
    if across.shape != (loss.shape[1],) or down.shape != (loss.shape[0],):
        shapes = {name: str(list(values.shape)) for name, values in (("x", across), ("y", down), ("z", loss))}
        text = "x is of shape {x} and y of {y}, which does not fit losses of shape {z}".format(**shapes)
        raise ValueError(Reason(text, "landscape_shapes", **shapes))
    columns, rows = _order("x", across), _order("y", down)
    return across[columns], down[rows], np.ascontiguousarray(loss[np.ix_(rows, columns)])


def as_floats(name: str, values: NDArray[np.generic]) -> Floats:
    """Raises ValueError for a value that is not a number."""
    if values.dtype.kind not in "biuf":
        raise ValueError(_TYPE(name=name, type=str(values.dtype)))
    with np.errstate(invalid="ignore"):  # a NaN may be a signalling one
        return np.asarray(values, np.float64)


def _integers(name: str, values: NDArray[np.generic]) -> Integers:
    numbers = as_floats(name, values)
    if not ((numbers == np.floor(numbers)) & (np.abs(numbers) < MOST_STEPS)).all():  # a NaN is neither
        text = f"the values of {name} are not all whole numbers below {MOST_STEPS:g}"
        raise ValueError(Reason(text, "landscape_not_whole", name=name, most=f"{MOST_STEPS:g}"))
    return numbers.astype(np.int64)


def _is_constant(values: Floats, axis: int) -> bool:
    first = values.take([0], axis)
    return bool((values == first).all())


def _order(name: str, values: Floats) -> NDArray[np.intp]:
    if not np.isfinite(values).all():
        raise ValueError(_AXIS_INFINITE(name=name))
    order = np.argsort(values, kind="stable")
    if (np.diff(values[order]) == 0).any():
        raise ValueError(_AXIS_TWICE(name=name))
    return order


def training_path(
    at: NDArray[np.generic], x: NDArray[np.generic], y: NDArray[np.generic], z: NDArray[np.generic]
) -> Path:
    """Raises ValueError for columns that do not fit together."""
    columns = [np.asarray(column).reshape(-1) for column in (at, x, y, z)]
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        text = "the path has {} numbers of epochs or steps, {} x, {} y and {} losses".format(*sizes)
        counts = dict(zip(("at", "x", "y", "z"), sizes, strict=True))
        raise ValueError(Reason(text, "landscape_path_columns", **counts))
    if not 0 < sizes[0] <= MAX_PATH:
        raise ValueError(_PATH_SIZE(points=sizes[0], most=MAX_PATH))
    numbers, across, down, loss = columns
    path = Path(
        _integers("at", numbers),
        as_floats("x", across),
        as_floats("y", down),
        as_floats("z", loss),
    )
    if not (np.isfinite(path.x).all() and np.isfinite(path.y).all()):
        raise ValueError(Reason("the path has places that are not finite", "landscape_path_infinite"))
    return path


def missing_piece(name: str) -> Reason:
    """The flaw of a landscape without a piece: ``metadata``, ``convergence``, ``interval`` or ``path``."""
    return Reason(f"{_PIECES[name]} is missing", f"landscape_{name}_missing")


def unreadable_piece(name: str, error: ValueError | str) -> Reason:
    """The flaw of a landscape of which a piece, named as for ``missing_piece``, cannot be read."""
    cause = Reason.of(error)
    return Reason(f"{_PIECES[name]} cannot be read: {cause}", f"landscape_{name}_unreadable", cause=cause)


def missing_columns(names: Sequence[str]) -> Reason:
    """The reason of a surface or path without some of its columns."""
    listed = ", ".join(names)
    return _COLUMNS_MISSING(names=listed)
