"""Converts arrays and tensors of any library to numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_SMALL_OF_TORCH = ("torch.bfloat16", "torch.float8", "torch.float4")


def array_of(value: object) -> NDArray[Any]:
    """``value`` as an array, which may share memory. Raises TypeError for other values.

    PyTorch tensors are detached and copied from their device (types unknown to numpy, such as bfloat16, as
    float32). Tensors of MindSpore, TensorFlow and JAX convert themselves. Masked values become NaN.
    """
    if isinstance(value, np.ndarray):
        return _unmasked(value) if isinstance(value, np.ma.MaskedArray) else value
    try:
        return np.asarray(_fetched(value))
    except (ValueError, TypeError, RuntimeError) as error:
        raise TypeError(f"{type(value).__name__} is not an array: {error}") from None


def _fetched(value: Any) -> object:  # noqa: ANN401
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        found = value.detach().cpu()
        if str(getattr(found, "dtype", "")).startswith(_SMALL_OF_TORCH):
            found = found.float()
        if hasattr(found, "resolve_neg"):  # lazily negated or conjugated views
            found = found.resolve_conj().resolve_neg()
        return found.numpy()
    return value.asnumpy() if hasattr(value, "asnumpy") else value


def _unmasked(array: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    if array.dtype.kind not in "biuf" or not np.ma.is_masked(array):
        return np.ma.getdata(array)
    nan = np.result_type(array.dtype, np.float32).type(np.nan)
    return np.where(np.ma.getmaskarray(array), nan, np.ma.getdata(array))


def numbers_of(value: object) -> NDArray[Any]:
    """``array_of`` for integers, floats or booleans. Raises TypeError for other types."""
    array = array_of(value)
    if array.dtype.kind in "biuf" or is_small_float(array.dtype):
        return array
    if array.dtype.kind == "O" and array.size and all(hasattr(type(one), "__float__") for one in array.flat):
        return array.astype(np.float64)  # Decimal, Fraction, and others that convert themselves
    kind = type(value).__name__ if array.dtype.kind == "O" and not array.ndim else array.dtype
    raise TypeError(f"values of type {kind} are not real numbers")


def is_small_float(dtype: np.dtype[Any]) -> bool:
    """Whether it is a type of ml_dtypes, such as bfloat16, that float32 represents exactly."""
    return dtype.kind == "V" and dtype.name.startswith(("bfloat", "float"))


def snapshot(array: NDArray[Any]) -> NDArray[Any]:
    """A C-ordered copy, because the training continues to modify the array."""
    return np.array(array, order="C", copy=True)
