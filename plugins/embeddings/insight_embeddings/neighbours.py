"""Nearest neighbours of points, exactly, by comparison with all others."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason
from insight_embeddings.matrix import Matrix

Metric: TypeAlias = Literal["cosine", "euclidean"]
METRICS: tuple[Metric, ...] = get_args(Metric)
MOST_POINTS = 20_000  # of a graph
MOST_COMPARED = 5e10  # points squared times dimensions: some seconds of work
_BLOCK = 1 << 22  # distances, or values of points, that are in memory at a time


def distances_to(values: NDArray[np.float32], point: int, metric: Metric) -> NDArray[np.float64]:
    """The distance of each of ``values`` [n, d] to one of them, float64[n].

    ``cosine`` is 1 - a·b / (|a| |b|), and NaN for a point of length 0; ``euclidean`` is |a - b|.
    """
    found = np.empty(len(values))
    wanted = values[point].astype(np.float64)
    length = np.linalg.norm(wanted)
    step = max(1, _BLOCK // values.shape[1])
    for start in range(0, len(values), step):
        rows = values[start : start + step].astype(np.float64)
        if metric == "euclidean":
            found[start : start + step] = np.linalg.norm(rows - wanted, axis=1)
        else:
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = rows @ wanted / (np.linalg.norm(rows, axis=1) * length)
            found[start : start + step] = np.clip(1 - shares, 0, 2)
    return found


def nearest(distances: NDArray[np.float64], point: int, count: int) -> NDArray[np.intp]:
    """Indices of the ``count`` smallest distances but that of the point itself, the nearest first.

    Of equal distances the smaller index comes first; NaN is never near.
    """
    others = distances.copy()
    others[point] = np.nan
    count = min(count, int(np.isfinite(others).sum()))
    if count == 0:
        return np.empty(0, np.intp)
    limit = np.partition(np.where(np.isnan(others), np.inf, others), count - 1)[count - 1]
    found = np.flatnonzero(others <= limit)
    return found[np.argsort(others[found], kind="stable")][:count]


@frozen(eq=False)
class NeighbourGraph:
    """The nearest neighbours of points, the nearest first, none of them itself.

    ``points`` int32[m] are the numbers of the points in the graph, ascending; ``indices`` int32[m, k] are
    positions in ``points``, ``distances`` float32[m, k].
    """

    points: NDArray[np.int32]
    indices: NDArray[np.int32]
    distances: NDArray[np.float32]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.points.nbytes + self.indices.nbytes + self.distances.nbytes


def neighbour_graph(matrix: Matrix, metric: Metric, count: int) -> NeighbourGraph:
    """The exact graph of all points, or of a random sample of as many as MOST_COMPARED allows.

    Points that are not finite are left out, and for ``cosine`` those of length 0. Raises ValueError where
    fewer than three points are left.
    """
    usable = matrix.finite
    if metric == "cosine":
        usable = usable & np.logical_or.reduce(matrix.values != 0, axis=1)
    chosen = np.flatnonzero(usable)
    most = min(MOST_POINTS, int((MOST_COMPARED / matrix.values.shape[1]) ** 0.5))
    if len(chosen) > most:
        chosen = np.sort(np.random.default_rng(0).choice(chosen, most, replace=False))
    if len(chosen) < 3:
        text = "a layout by neighbours needs at least three points with a place"
        raise ValueError(Reason(text, "embeddings_few_points"))
    rows = matrix.values[chosen].astype(np.float64)
    rows = (
        rows / np.linalg.norm(rows, axis=1, keepdims=True) if metric == "cosine" else rows - rows.mean(axis=0)
    )
    count = min(count, len(rows) - 1)
    indices = np.empty((len(rows), count), np.int32)
    distances = np.empty((len(rows), count), np.float32)
    lengths = np.einsum("ij,ij->i", rows, rows)
    step = max(1, _BLOCK // len(rows))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        found = lengths[start : start + step, None] + lengths - 2 * (block @ rows.T)  # squared distances
        own = np.arange(len(block))
        found[own, own + start] = np.inf
        near = np.argpartition(found, count - 1, axis=1)[:, :count]
        # exactly: the difference of large squares has few digits
        exact = np.square(rows[near] - block[:, None]).sum(axis=2)
        order = np.argsort(exact, axis=1, kind="stable")
        near, exact = np.take_along_axis(near, order, 1), np.take_along_axis(exact, order, 1)
        indices[start : start + step] = near
        distances[start : start + step] = exact / 2 if metric == "cosine" else np.sqrt(exact)
    return NeighbourGraph(chosen.astype(np.int32), indices, distances)
