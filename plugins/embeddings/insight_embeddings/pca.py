"""Principal components of points, exactly."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_embeddings.matrix import Matrix

COMPONENTS = 10
LARGEST_SIDE = 4096  # of the matrix whose eigenvectors are computed
_LARGE_PCA = ReasonKind(
    "embeddings_large_pca",
    "PCA of {points:,} points in {dimensions:,} dimensions is not supported: one of both has to be at most "
    "{most:,}",
)


@frozen(eq=False)
class Projection:
    """Points along the directions in which they vary most.

    ``coordinates`` float32[components, points], NaN for points that are not finite. ``shares``
    float64[components] are the parts of the whole variance; they sum up to less than 1 where dimensions are
    left out.
    """

    coordinates: NDArray[np.float32]
    shares: NDArray[np.float64]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.coordinates.nbytes + self.shares.nbytes


def prepared(values: NDArray[np.float32], *, unit_length: bool) -> NDArray[np.float64]:
    """Points float64[n, d] around their mean; with ``unit_length`` each at distance 1 from it.

    The second is what TensorBoard calls "spherize". A point at the mean stays there.
    """
    points: NDArray[np.float64] = values - values.mean(axis=0, dtype=np.float64)
    if unit_length:
        lengths = np.linalg.norm(points, axis=1, keepdims=True)
        points /= np.where(lengths > 0, lengths, 1)
        points -= points.mean(axis=0)
    return points


def projection_of(matrix: Matrix, *, unit_length: bool = False) -> Projection:
    """The first COMPONENTS principal components (Pearson 1901; Jolliffe, Principal Component Analysis, 2.1).

    They are eigenvectors of the smaller of the two Gram matrices of the centred points. The sign is chosen
    so that the entry of largest size of each direction is positive. Raises ValueError where both sides
    of the matrix exceed LARGEST_SIDE, and without a finite point.
    """
    finite = matrix.finite
    values = matrix.values if finite.all() else matrix.values[finite]
    points, dimensions = values.shape
    if points == 0:
        raise ValueError(Reason("every point has a NaN or infinity", "embeddings_none_finite"))
    if min(points, dimensions) > LARGEST_SIDE:
        raise ValueError(_LARGE_PCA(points=points, dimensions=dimensions, most=LARGEST_SIDE))
    centred = prepared(values, unit_length=unit_length)
    scale = (
        float(np.abs(centred).max()) or 1.0
    )  # squares of float32 values fit into float64, sums of them too
    centred /= scale
    count = min(COMPONENTS, points, dimensions)
    if dimensions <= points:
        strengths, directions = _largest(centred.T @ centred, count)
    else:
        strengths, weights = _largest(centred @ centred.T, count)
        directions = centred.T @ weights
        directions /= np.maximum(np.linalg.norm(directions, axis=0), np.finfo(float).tiny)
    signs = np.sign(np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0))
    directions *= np.where(signs == 0, 1, signs)
    coordinates = np.full((count, len(finite)), np.nan, np.float32)
    coordinates[:, finite] = (centred @ directions * scale).T
    whole = float(np.einsum("ij,ij->", centred, centred))
    return Projection(coordinates, np.maximum(strengths, 0) / whole if whole else np.zeros(count))


def _largest(gram: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest eigenvalues, descending, and their eigenvectors as columns."""
    values, vectors = np.linalg.eigh(gram)
    return values[::-1][:count], np.ascontiguousarray(vectors[:, ::-1][:, :count])
