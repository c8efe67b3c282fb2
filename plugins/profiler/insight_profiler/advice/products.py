"""Finds products, convolutions and attention in the work of devices, and those that matrix units compute."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.kernel_names import are, is_matrix, is_narrow, uses_tensor_cores
from insight_profiler.analysis.kernel_schemes import InputType

_PRODUCT_TYPE = re.compile(  # as CANN names types
    r"[Mm]at_?[Mm]ul|G(emm|EMM)|Conv(\dD|\dd|olution)|Attention(?!Update)|M(la|LA)(?![a-z])|^FFN|FullyConnection"
)
_NO_CUBE = re.compile(r"VECTOR|AIV|AI_?CPU", re.IGNORECASE)  # cores of an NPU that have no cube unit


def is_product_type(name: str) -> bool:
    """Whether operators of an NPU of this type compute products, those that communicate meanwhile too
    (``MatmulAllReduce``)."""
    return _PRODUCT_TYPE.search(name) is not None


def products(evidence: Evidence, rows: Rows) -> Rows:
    """Those of some slices that compute products: by the types of their operators on an NPU, where a cast for
    a product is named after it too, else by their names."""
    return rows[_told(evidence, rows, is_matrix, "type", is_product_type)]


def on_matrix_units(evidence: Evidence, rows: Rows) -> Rows:
    """Those of some products that tensor cores, matrix cores or cube units compute."""
    return rows[_told(evidence, rows, uses_tensor_cores, "core", lambda core: not _NO_CUBE.search(core))]


def wide_without_units(evidence: Evidence, rows: Rows) -> Rows:
    """Those of some products that matrix units do not compute, and whose inputs are not narrow already."""
    left = evidence.without(rows, on_matrix_units(evidence, rows))
    left = left[~are(is_narrow, evidence.profile.texts, evidence.slices["name"][left])]
    launchers = evidence.operator_of(left)
    table = evidence.operators
    if table is None:
        return left
    return left[(launchers < 0) | (table["precision"][launchers] < InputType.HALF)]


def _told(
    evidence: Evidence,
    rows: Rows,
    by_name: Callable[[str], bool],
    column: str,
    by_operator: Callable[[str], bool],
) -> NDArray[np.bool_]:
    """bool[rows]: what the operator of the device says that a slice is a run of, or else its name."""
    texts = evidence.profile.texts
    found = are(by_name, texts, evidence.slices["name"][rows])
    table = evidence.operators
    if table is None or evidence.device is None or evidence.device.kind != "npu":
        return found
    runs = evidence.slices["operator"][rows]
    typed = (runs >= 0) & (table["type"][runs] >= 0)
    return np.where(typed, are(by_operator, texts, table[column][runs]), found)
