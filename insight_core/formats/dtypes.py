"""Element types of TensorProto messages: how each type of both dialects is stored.

Sources: TensorFlow's types.proto and tensor.proto, MindSpore's mindinsight_anf_ir.proto; for the small
floats, the OCP specification of 8-bit floating point (E4M3, E5M2), its FNUZ and B11 forms as in ml_dtypes,
and OCP Microscaling (E2M1).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Widening = Callable[[NDArray[Any]], NDArray[Any]]

FLOATS, DOUBLES, BYTES, VARINTS = "<f4", "<f8", "|u1", ""


class ElementType(NamedTuple):
    """A type of TensorFlow's: ``stored`` in tensor_content, or in the typed field ``number``.

    ``widen`` makes what numpy can compute with of values that it has no type for.
    """

    name: str
    stored: str
    number: int
    widen: Widening | None = None


# What the values of a typed field look like when packed.
TENSORFLOW_FIELDS = {  # but for its strings
    5: FLOATS,
    6: DOUBLES,
    7: VARINTS,
    9: FLOATS,
    10: VARINTS,
    11: VARINTS,
    12: DOUBLES,
    13: VARINTS,
    16: VARINTS,
    17: VARINTS,
    18: BYTES,
}
MINDSPORE_FIELDS = {3: FLOATS, 4: VARINTS, 5: VARINTS, 6: DOUBLES, 7: VARINTS, 8: BYTES}
MINDSPORE_INTEGERS = {4: "<i4", 5: "<i8", 7: "<u8"}  # what the varints of a field are

STRING = 7  # the number of TensorFlow's type
REFERENCE = 100  # by which DT_FLOAT_REF is more than DT_FLOAT
WITHOUT_VALUES = {
    0: "no type",
    20: "resource",
    21: "variant",
}  # TensorFlow types that cannot be shown


def widen_bfloat16(values: NDArray[Any]) -> NDArray[Any]:
    """Converts bfloat16 bit patterns (uint16) to float32."""
    return (values.astype("<u4") << np.uint32(16)).view("<f4")


def _small_float(exponent: int, mantissa: int, bias: int, special: str) -> Widening:
    """``special``: what ``ieee`` has of infinities and NaN, ``fn`` and ``fnuz`` of one NaN, or ``none``."""

    def widen(values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(_float_table(exponent, mantissa, bias, special)[values])

    return widen


@functools.cache
def _float_table(exponent: int, mantissa: int, bias: int, special: str) -> NDArray[np.float32]:
    """The float32 value of each bit pattern, with the sign bit above exponent and mantissa."""
    codes = np.arange(256) & ((2 << exponent + mantissa) - 1)
    sign = np.where(codes >> (exponent + mantissa), -1.0, 1.0)
    power = (codes >> mantissa) & ((1 << exponent) - 1)
    part = codes & ((1 << mantissa) - 1)
    numbers = np.where(
        power == 0,
        np.ldexp(part.astype(float), 1 - bias - mantissa),
        np.ldexp(1.0 + part / (1 << mantissa), power - bias),
    )
    top = power == (1 << exponent) - 1
    if special == "ieee":
        numbers = np.where(top, np.where(part == 0, math.inf, math.nan), numbers)
    elif special == "fn":
        numbers = np.where(top & (part == (1 << mantissa) - 1), math.nan, numbers)
    elif special == "fnuz":
        numbers = np.where(codes == 1 << exponent + mantissa, math.nan, numbers)
    return np.asarray(sign * numbers, np.float32)


def _small_integer(bits: int, *, signed: bool) -> Widening:
    """The low bits of each byte."""

    def widen(values: NDArray[Any]) -> NDArray[Any]:
        raised = values.view("u1") << np.uint8(8 - bits)
        return np.asarray((raised.view("i1") if signed else raised) >> (8 - bits))

    return widen


TENSORFLOW_TYPES = {
    1: ElementType("float32", "<f4", 5),
    2: ElementType("float64", "<f8", 6),
    3: ElementType("int32", "<i4", 7),
    4: ElementType("uint8", "|u1", 7),
    5: ElementType("int16", "<i2", 7),
    6: ElementType("int8", "|i1", 7),
    STRING: ElementType("string", "|O", 8),
    8: ElementType("complex64", "<c8", 9),
    9: ElementType("int64", "<i8", 10),
    10: ElementType("bool", "|b1", 11),
    11: ElementType("qint8", "|i1", 7),
    12: ElementType("quint8", "|u1", 7),
    13: ElementType("qint32", "<i4", 7),
    14: ElementType("bfloat16", "<u2", 13, widen_bfloat16),
    15: ElementType("qint16", "<i2", 7),
    16: ElementType("quint16", "<u2", 7),
    17: ElementType("uint16", "<u2", 7),
    18: ElementType("complex128", "<c16", 12),
    19: ElementType("float16", "<f2", 13),
    22: ElementType("uint32", "<u4", 16),
    23: ElementType("uint64", "<u8", 17),
    24: ElementType("float8_e5m2", "|u1", 18, _small_float(5, 2, 15, "ieee")),
    25: ElementType("float8_e4m3fn", "|u1", 18, _small_float(4, 3, 7, "fn")),
    26: ElementType("float8_e4m3fnuz", "|u1", 18, _small_float(4, 3, 8, "fnuz")),
    27: ElementType("float8_e4m3b11fnuz", "|u1", 18, _small_float(4, 3, 11, "fnuz")),
    28: ElementType("float8_e5m2fnuz", "|u1", 18, _small_float(5, 2, 16, "fnuz")),
    29: ElementType("int4", "|i1", 7, _small_integer(4, signed=True)),
    30: ElementType("uint4", "|u1", 7, _small_integer(4, signed=False)),
    31: ElementType("int2", "|i1", 7, _small_integer(2, signed=True)),
    32: ElementType("uint2", "|u1", 7, _small_integer(2, signed=False)),
    33: ElementType("float4_e2m1fn", "|u1", 18, _small_float(2, 1, 1, "none")),
}
MINDSPORE_TYPES = {
    1: "bool",
    2: "int8",
    3: "int16",
    4: "int32",
    5: "int64",
    6: "uint8",
    7: "uint16",
    8: "uint32",
    9: "uint64",
    10: "float16",
    11: "float32",
    12: "float64",
    13: "string",
    47: "bfloat16",
}
# For writers: types by name. TensorFlow's from 24 on are newer than most readers.
TENSORFLOW_NUMBERS = {element.name: number for number, element in TENSORFLOW_TYPES.items() if number < 24}
MINDSPORE_NUMBERS = {name: number for number, name in MINDSPORE_TYPES.items()}


def tensorflow_type_name(number: int) -> str:
    """The name of a ``DataType``; DT_FLOAT_REF has the name of DT_FLOAT."""
    number = number - REFERENCE if number > REFERENCE else number
    element = TENSORFLOW_TYPES.get(number)
    return element.name if element is not None else WITHOUT_VALUES.get(number, f"type {number}")
