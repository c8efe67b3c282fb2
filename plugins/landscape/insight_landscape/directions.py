"""The plane of a landscape: two directions in parameter space, and coordinates in it.

Random directions, filter-normalised: Li, Xu, Taylor, Studer and Goldstein, "Visualizing the Loss Landscape
of Neural Nets", NeurIPS 2018 (arXiv:1712.09913), section 4. Directions of a training path: section 7 there,
but not centred at the mean of the checkpoints: the plane must go through the last one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Parameters: TypeAlias = Mapping[str, Array]
Direction: TypeAlias = dict[str, NDArray[np.float64]]  # what is not in it stays as it is

_LEAST = 1e-12  # of the largest extent: a second one below is none


def movable(parameters: Parameters, still: Collection[str]) -> list[str]:
    """Names of the floating-point arrays that are not to stay."""
    if unknown := set(still) - parameters.keys():
        raise ValueError(f"unknown parameters to keep fixed: {', '.join(sorted(map(repr, unknown)))}")
    return [
        name
        for name, array in parameters.items()
        if name not in still and np.issubdtype(np.asarray(array).dtype, np.floating)
    ]


def random_direction(
    center: Parameters, names: Collection[str], random: np.random.Generator, filter_axis: int
) -> Direction:
    """Normal noise; each filter gets the norm of the filter of the parameters in its place.

    Arrays of less than two dimensions (biases, normalisation) stay, as in the code of the paper.
    """
    found: Direction = {}
    for name in names:
        array = np.asarray(center[name], np.float64)
        if array.ndim < 2:
            continue
        if not -array.ndim <= filter_axis < array.ndim:
            raise ValueError(f"{name!r} of shape {list(array.shape)} has no axis {filter_axis} of filters")
        noise = random.standard_normal(array.shape)
        axes = tuple(axis for axis in range(array.ndim) if axis != filter_axis % array.ndim)
        size = np.sqrt((noise**2).sum(axes, keepdims=True))
        found[name] = noise * (np.sqrt((array**2).sum(axes, keepdims=True)) / np.where(size, size, 1))
    if not found:
        raise ValueError("no parameter has two dimensions: normalising by filter needs one")
    return found


def path_directions(
    checkpoints: Sequence[Parameters], names: Collection[str]
) -> tuple[Direction, Direction, float]:
    """The plane through the last checkpoint that is nearest to the others: its directions, of norm 1, and the
    share of the squared distances from the last checkpoint that lies in it.

    Works on the matrix of inner products of the checkpoints, so that no second copy of all is needed.
    """
    center, others = checkpoints[-1], checkpoints[:-1]
    if len(others) < 2:
        raise ValueError(f"directions of a path need three checkpoints or more, not {len(checkpoints)}")
    products = np.zeros((len(others), len(others)))
    for name in names:
        moved = _moved(others, center, name)
        products += moved @ moved.T
    extents, vectors = np.linalg.eigh(products)
    if not extents[-2] > _LEAST * max(extents[-1], 0.0):
        raise ValueError("the checkpoints lie on a line and span no plane")
    pair: list[Direction] = []
    for column in (-1, -2):
        weights = vectors[:, column] / np.sqrt(extents[column])
        direction: Direction = {
            name: (weights @ _moved(others, center, name)).reshape(np.shape(center[name])) for name in names
        }
        pair.append(direction)
    return pair[0], pair[1], float((extents[-1] + extents[-2]) / np.trace(products))


def _moved(others: Sequence[Parameters], center: Parameters, name: str) -> NDArray[np.float64]:
    origin = np.asarray(center[name], np.float64).reshape(-1)
    return np.stack([np.asarray(one[name], np.float64).reshape(-1) - origin for one in others])


def given_direction(center: Parameters, names: Collection[str], values: Parameters) -> Direction:
    """A direction of the caller's own. Raises ValueError where it does not fit the parameters."""
    found: Direction = {}
    for name, array in values.items():
        if name not in names:
            raise ValueError(f"the direction moves {name!r}, which is not a trained parameter")
        moved = np.array(array, np.float64)
        if moved.shape != np.shape(center[name]):
            raise ValueError(
                f"the direction is of shape {list(moved.shape)} for {name!r}, "
                f"which is of shape {list(np.shape(center[name]))}"
            )
        found[name] = moved
    if not any(moved.any() for moved in found.values()):
        raise ValueError("the direction moves nothing")
    return found


def places(
    checkpoints: Sequence[Parameters], first: Direction, second: Direction
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Projects the checkpoints onto the plane by least squares, the last at 0, whatever the directions."""
    center, pair = checkpoints[-1], (first, second)
    inner = np.array([[_dot(one, other) for other in pair] for one in pair])
    if np.linalg.matrix_rank(inner) < 2:
        raise ValueError("the two directions are the same but for their length")
    sides = np.array(
        [
            [
                sum(
                    float(np.vdot(values, _difference(one, center, name)))
                    for name, values in direction.items()
                )
                for direction in pair
            ]
            for one in checkpoints
        ]
    )
    x, y = np.linalg.solve(inner, sides.T)
    return x, y


def _dot(one: Direction, other: Direction) -> float:
    return sum(float(np.vdot(values, other[name])) for name, values in one.items() if name in other)


def _difference(one: Parameters, center: Parameters, name: str) -> NDArray[np.float64]:
    moved: NDArray[np.float64] = np.asarray(one[name], np.float64) - np.asarray(center[name], np.float64)
    return moved


def moved_by(center: Parameters, first: Direction, second: Direction, x: float, y: float) -> dict[str, Array]:
    """The parameters at a place in the plane, in the types that they have; what stays is not copied."""
    found: dict[str, Array] = {name: np.asarray(array) for name, array in center.items()}
    for name in first.keys() | second.keys():
        array = found[name]
        value = array.astype(np.float64)
        if name in first:
            value += x * first[name]
        if name in second:
            value += y * second[name]
        found[name] = value.astype(array.dtype)
    return found
