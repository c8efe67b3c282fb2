"""Reads the points of an embedding: tab-separated numbers, or float32 values end to end."""

from __future__ import annotations

import io

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind

MOST_VALUES = 40_000_000
_TEXT = bytes(range(32, 127)) + b"\t\n\r"
_NOT_NUMBERS = ReasonKind(
    "embeddings_not_numbers", "the file is not a table of numbers between tabs: {cause}"
)
_NO_SHAPE = ReasonKind(
    "embeddings_no_shape",
    "binary points need a tensor_shape of two numbers in the configuration, not {shape}",
)
_WRONG_SIZE = ReasonKind(
    "embeddings_wrong_size",
    "the file has {size:,} bytes; {points:,} points of {dimensions:,} float32 values are {expected:,} bytes",
)
_MANY_VALUES = ReasonKind("embeddings_many_values", "the points have {count:,} values, more than {most:,}")


@frozen(eq=False)
class Matrix:
    """Points as the file has them, float32[points, dimensions].

    ``finite`` bool[points] is false for points with a NaN or infinity.
    """

    values: NDArray[np.float32]
    finite: NDArray[np.bool_]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.values.nbytes + self.finite.nbytes


def matrix_of(content: bytes, shape: tuple[int, ...] = ()) -> Matrix:
    """The points in a file; ``shape`` is that of the configuration, which binary files need.

    Raises ValueError for text that is not a table of numbers, a size that does not agree with the shape, and
    more than MOST_VALUES values.
    """
    if not content.strip():
        raise ValueError(Reason("the file has no points", "embeddings_no_points"))
    is_text = not content[:4096].translate(None, _TEXT)
    values = _of_text(content) if is_text else _of_bytes(content, shape)
    return Matrix(values, np.logical_and.reduce(np.isfinite(values), axis=1))


def _of_text(content: bytes) -> NDArray[np.float32]:
    first = content.split(b"\n", 1)[0]
    _check_size((content.count(b"\n") + 1) * (first.count(b"\t") + 1))
    try:
        # tolerates lines without text, as TensorBoard does
        return np.loadtxt(io.BytesIO(content), dtype=np.float32, delimiter="\t", comments=None, ndmin=2)
    except ValueError as error:
        cause = str(error).partition("; use `usecols`")[0]
        raise ValueError(_NOT_NUMBERS(cause=cause)) from error


def _of_bytes(content: bytes, shape: tuple[int, ...]) -> NDArray[np.float32]:
    if len(shape) != 2:
        raise ValueError(_NO_SHAPE(shape=str(list(shape))))
    _check_size(shape[0] * shape[1])
    expected = shape[0] * shape[1] * 4
    if len(content) != expected:
        raise ValueError(
            _WRONG_SIZE(size=len(content), points=shape[0], dimensions=shape[1], expected=expected)
        )
    return np.frombuffer(content, "<f4").reshape(shape)


def _check_size(count: int) -> None:
    if count > MOST_VALUES:
        raise ValueError(_MANY_VALUES(count=count, most=MOST_VALUES))
