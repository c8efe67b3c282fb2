"""Element types of TensorProto messages: how each type of both dialects is stored.

Sources: TensorFlow's types.proto and tensor.proto, MindSpore's mindinsight_anf_ir.proto.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

FLOATS, DOUBLES, BYTES, VARINTS = "<f4", "<f8", "|u1", ""


class ElementType(NamedTuple):
    """A type of TensorFlow's: ``stored`` in tensor_content, or in the typed field ``number``.

    ``widened`` is numpy's type for the values of a type that numpy does not have.
    """

    name: str
    stored: str
    number: int
    widened: str = ""


# Encoding of the values of a typed field when packed.
TENSORFLOW_FIELDS = {  # without strings
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
MINDSPORE_INTEGERS = {4: "<i4", 5: "<i8", 7: "<u8"}  # types of varints, by field

STRING = 7  # the number of TensorFlow's type
REFERENCE = 100  # DT_FLOAT_REF - DT_FLOAT
WITHOUT_VALUES = {
    0: "no type",
    20: "resource",
    21: "variant",
}  # TensorFlow types that cannot be shown


def widen(values: NDArray[Any], name: str, dtype: str = "<f4") -> NDArray[Any]:
    """Converts bit patterns of a type of ml_dtypes, which numpy does not have, to ``dtype``."""
    import ml_dtypes  # few logs need it

    native = values.astype(values.dtype.newbyteorder("="), copy=False)
    widened: NDArray[Any] = native.view(getattr(ml_dtypes, name)).astype(dtype)
    return widened


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
    14: ElementType("bfloat16", "<u2", 13, "<f4"),
    15: ElementType("qint16", "<i2", 7),
    16: ElementType("quint16", "<u2", 7),
    17: ElementType("uint16", "<u2", 7),
    18: ElementType("complex128", "<c16", 12),
    19: ElementType("float16", "<f2", 13),
    22: ElementType("uint32", "<u4", 16),
    23: ElementType("uint64", "<u8", 17),
    24: ElementType("float8_e5m2", "|u1", 18, "<f4"),
    25: ElementType("float8_e4m3fn", "|u1", 18, "<f4"),
    26: ElementType("float8_e4m3fnuz", "|u1", 18, "<f4"),
    27: ElementType("float8_e4m3b11fnuz", "|u1", 18, "<f4"),
    28: ElementType("float8_e5m2fnuz", "|u1", 18, "<f4"),
    29: ElementType("int4", "|i1", 7, "|i1"),
    30: ElementType("uint4", "|u1", 7, "|u1"),
    31: ElementType("int2", "|i1", 7, "|i1"),
    32: ElementType("uint2", "|u1", 7, "|u1"),
    33: ElementType("float4_e2m1fn", "|u1", 18, "<f4"),
}  # Element types of TensorFlow's DataType by number.
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
}  # Names of MindSpore's DataType by number, as numpy has them where it has.
# For writers: types by name. TensorFlow's from 24 on are newer than most readers.
TENSORFLOW_NUMBERS = {element.name: number for number, element in TENSORFLOW_TYPES.items() if number < 24}
MINDSPORE_NUMBERS = {name: number for number, name in MINDSPORE_TYPES.items()}


def tensorflow_type_name(number: int) -> str:
    """The name of a ``DataType``; DT_FLOAT_REF has the name of DT_FLOAT."""
    number = number - REFERENCE if number > REFERENCE else number
    element = TENSORFLOW_TYPES.get(number)
    return element.name if element is not None else WITHOUT_VALUES.get(number, f"type {number}")
