"""Arrays of whatever library, as numpy has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def array_of(value: object) -> NDArray[Any]:
    """``value`` as an array, which may share its memory. Raises TypeError for what is none.

    Tensors of PyTorch are detached and fetched from their device (bfloat16, which numpy has no type for,
    as float32); those of MindSpore, TensorFlow and JAX say themselves what they are to numpy.
    """
    if isinstance(value, np.ndarray):
        return value
    found: Any = value
    if hasattr(found, "detach") and hasattr(found, "cpu"):
        found = found.detach().cpu()
        if str(getattr(found, "dtype", "")).endswith("bfloat16"):
            found = found.float()
        found = found.numpy()
    elif hasattr(found, "asnumpy"):
        found = found.asnumpy()
    try:
        return np.asarray(found)
    except (ValueError, TypeError, RuntimeError) as error:
        raise TypeError(f"{type(value).__name__} is no array: {error}") from None


def numbers_of(value: object) -> NDArray[Any]:
    """``array_of`` of integers, floating-point numbers or truth values. Raises TypeError for others."""
    array = array_of(value)
    if array.dtype.kind in "biuf" or is_small_float(array.dtype):
        return array
    raise TypeError(f"values of type {array.dtype} are no real numbers")


def is_small_float(dtype: np.dtype[Any]) -> bool:
    """Whether it is a type of ml_dtypes, such as bfloat16, that floats are made of without loss."""
    return dtype.kind == "V" and dtype.name.startswith(("bfloat", "float"))


def snapshot(array: NDArray[Any]) -> NDArray[Any]:
    """A copy in C order: training goes on with the array itself."""
    return np.array(array, order="C", copy=True)
