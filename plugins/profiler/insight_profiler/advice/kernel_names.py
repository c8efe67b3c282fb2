"""What the name of a kernel says about it: the unit that computes, the precision, the purpose.

Names are those of cuBLAS, cuDNN, CUTLASS, Triton and PyTorch. Tensor cores: the instruction shapes in names
of cuBLAS and CUTLASS (``h884``, ``s1688``, ``i16832``, ...), ``tensorop``, ``xmma``, ``hmma``, ``gmma`` and
``imma``, as NVIDIA's DLProf and torch-tb-profiler tell them, and fused attention, which exists for tensor
cores only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

_TENSOR_CORES = re.compile(
    r"tensorop|[his](884|1688|16816|16832|161616)(?![0-9])|[hi]mma|gmma|xmma|"
    r"(884|1688|16816)(gemm|fprop|dgrad|wgrad|cudnn)|nvjet|flash_(fwd|bwd|attn)|fmha",
    re.IGNORECASE,
)
_SIMT = re.compile(r"simt|_ffma_|_f32f32_f32f32_f32_", re.IGNORECASE)
_CONVOLUTION = re.compile(
    r"cudnn_(infer|train)|scudnn|hcudnn|convolve|dgrad|wgrad|fprop|winograd|implicit_(con|gemm)|fft2d",
    re.IGNORECASE,
)
_GENERIC_CONVOLUTION = re.compile(
    r"[dw]grad(_alg\d+)?_engine|[dw]grad2d|(im|ex)plicit_convolve", re.IGNORECASE
)
_PRODUCT = re.compile(r"(?<!fb)gemm|gemv|xmma|cutlass.*kernel|nvjet|fmha|flash_(fwd|bwd|attn)", re.IGNORECASE)
_DOUBLE = re.compile(r"dgemm|(?<![a-z0-9])d(884|1688|16816)|<double[,>]", re.IGNORECASE)
_LAYOUT = re.compile(r"nchw_?to_?nhwc|nhwc_?to_?nchw|TransData", re.IGNORECASE)
_COLLECTIVE = re.compile(r"nccl|rccl|hcom_|all_?reduce|all_?to_?all", re.IGNORECASE)
_MANY_TENSORS = re.compile(r"multi_tensor_apply|fused_?(adam|sgd|lamb)", re.IGNORECASE)


def uses_tensor_cores(name: str) -> bool:
    """Whether a kernel of this name computes on tensor cores."""
    return bool(_TENSOR_CORES.search(name)) and not _SIMT.search(name)


def is_convolution(name: str) -> bool:
    """A convolution, as cuDNN names them."""
    return bool(_CONVOLUTION.search(name)) and not changes_layout(name)


def is_generic_convolution(name: str) -> bool:
    """A convolution by an engine of cuDNN that takes any sizes; a search seldom chooses it."""
    return bool(_GENERIC_CONVOLUTION.search(name))


def is_matrix(name: str) -> bool:
    """A matrix product or a convolution: what tensor cores can compute."""
    if changes_layout(name) or is_collective(name):
        return False
    return bool(_PRODUCT.search(name) or _CONVOLUTION.search(name))


def is_double(name: str) -> bool:
    """Computes with numbers of 64 bits."""
    return bool(_DOUBLE.search(name))


def changes_layout(name: str) -> bool:
    """Only converts between NCHW and NHWC, or between formats of an Ascend device."""
    return bool(_LAYOUT.search(name))


def is_collective(name: str) -> bool:
    """Communicates with other ranks."""
    return bool(_COLLECTIVE.search(name))


def updates_many(name: str) -> bool:
    """Updates many parameters in one launch."""
    return bool(_MANY_TENSORS.search(name))


def short_name(name: str, most: int = 60) -> str:
    """A name of a kernel without its template arguments, at most so many characters."""
    plain = name.removeprefix("void ").partition("<")[0] or name
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def are(kind: Callable[[str], bool], texts: Sequence[str], names: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[rows]: ``kind`` of the text of each name (-1: none); each text is looked at once."""
    places, inverse = np.unique(names, return_inverse=True)
    if not len(places):
        return np.zeros(0, bool)
    found = np.array([place >= 0 and kind(texts[place]) for place in places.tolist()], bool)
    return np.asarray(found[inverse.reshape(-1)])
