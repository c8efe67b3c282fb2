"""What the name of a kernel says about its purpose: products and their units, layouts, updates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from insight_profiler.analysis.kernel_schemes import (
    InputType,
    MatrixWork,
    is_collective,
    is_wrapper,
    matrix_kernel,
    own_name,
)

_GENERIC_CONVOLUTION = re.compile(
    r"[dw]grad(_alg\d+)?_engine|[dw]grad2d|(im|ex)plicit_convolve", re.IGNORECASE
)
_DOUBLE = re.compile(r"dgemm|(?<![a-z0-9])d(884|1688|16816)|<double[,>]", re.IGNORECASE)
_LAYOUT = re.compile(
    r"nchw_?(to|2)_?nhwc|nhwc_?(to|2)_?nchw|TransData|^batched_transpose_\d+x\d+_|transpose_[ncdhw]+2[ncdhw]+",
    re.IGNORECASE,
)
_NORM = re.compile(r"(batch_?norm|group_?norm|instance_?norm|bn_(fw|bw)_)", re.IGNORECASE)
_CHANNELS_LAST = re.compile(r"channels_last|nhwc|ndhwc", re.IGNORECASE)
_MANY_TENSORS = re.compile(r"multi_tensor_apply|fused_?(adam|sgd|lamb)", re.IGNORECASE)


def uses_tensor_cores(name: str) -> bool:
    """Whether a kernel of this name computes products on tensor cores, or on AMD's matrix cores."""
    kernel = matrix_kernel(name)
    return kernel is not None and kernel.on_matrix_units


def is_convolution(name: str) -> bool:
    """A convolution."""
    kernel = matrix_kernel(name)
    return kernel is not None and kernel.work is MatrixWork.CONVOLUTION and not changes_layout(name)


def is_generic_convolution(name: str) -> bool:
    """A convolution by an engine of cuDNN that takes any sizes; a search seldom chooses it."""
    return bool(_GENERIC_CONVOLUTION.search(name))


def is_matrix(name: str) -> bool:
    """A matrix product, a convolution or fused attention: what tensor cores can compute."""
    return matrix_kernel(name) is not None and not changes_layout(name) and not is_collective(name)


def is_narrow(name: str) -> bool:
    """Whether the inputs of a product have at most 16 bits, by its name."""
    kernel = matrix_kernel(name)
    return kernel is not None and kernel.precision is not None and kernel.precision >= InputType.HALF


def is_tf32(name: str) -> bool:
    """Whether a product is computed as TF32 on tensor cores, by its name."""
    kernel = matrix_kernel(name)
    return kernel is not None and kernel.on_matrix_units and kernel.precision is InputType.TF32


def is_attention(name: str) -> bool:
    """Fused attention."""
    kernel = matrix_kernel(name)
    return kernel is not None and kernel.work is MatrixWork.ATTENTION


def normalises_channels_first(name: str) -> bool:
    """A norm over the channels of images in NCHW, which reads each channel of an image apart."""
    return bool(_NORM.search(name)) and not _CHANNELS_LAST.search(name)


def is_double(name: str) -> bool:
    """Computes with numbers of 64 bits."""
    return bool(_DOUBLE.search(name))


def changes_layout(name: str) -> bool:
    """Only converts between NCHW and NHWC, or between formats of an Ascend device."""
    return bool(_LAYOUT.search(name))


def updates_many(name: str) -> bool:
    """Updates many parameters in one launch."""
    return bool(_MANY_TENSORS.search(name))


def short_name(name: str, most: int = 60) -> str:
    """A name of a kernel without its template arguments, at most so many characters; of a wrapper that says
    nothing (``cutlass::Kernel2<...>``) that of the wrapped kernel."""
    plain = name.removeprefix("void ").partition("<")[0] or name
    if is_wrapper(plain):
        plain = own_name(name)[0] or plain
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def are(kind: Callable[[str], bool], texts: Sequence[str], names: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[rows]: ``kind`` of the text of each name (-1: none); each text is looked at once."""
    asked, found = np.zeros((2, len(texts) + 1), bool)  # the last: none
    asked[names] = True
    for place in np.flatnonzero(asked[:-1]).tolist():
        found[place] = kind(texts[place])
    return np.asarray(found[names])
