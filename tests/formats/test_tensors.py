"""TensorProtos of both dialects, as the protobuf library writes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from insight_core.formats import tensors
from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import tensor_header, tensor_of
from insight_core.rpc.schema import mindspore_pb2, tensorboard_pb2

TENSORFLOW, MINDSPORE = (EventField(dialect, "tensor") for dialect in Dialect)
NAN, INF = math.nan, math.inf


def _tensorflow(dtype: int, shape: tuple[int, ...], **fields: Any) -> Payload:  # noqa: ANN401
    dims = [tensorboard_pb2.TensorShapeProto.Dim(size=size) for size in shape]
    message = tensorboard_pb2.TensorProto(
        dtype=dtype,  # type: ignore[arg-type]
        tensor_shape=tensorboard_pb2.TensorShapeProto(dim=dims),
        **fields,
    )
    return Payload(message.SerializeToString(), TENSORFLOW)


def _mindspore(data_type: int, dims: tuple[int, ...], tail: bytes) -> Payload:
    head = mindspore_pb2.TensorProto(dims=dims, data_type=data_type).SerializeToString()
    return Payload(head + tail, MINDSPORE)


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    groups = [number % 2**64 >> shift & 0x7F for shift in range(0, max(7, (number % 2**64).bit_length()), 7)]
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


def _is(payload: Payload, dtype: str, values: ArrayLike | NDArray[Any]) -> None:
    expected = np.asarray(values)
    tensor = tensor_of(payload)
    assert (tensor.dtype, tensor.shape) == (dtype, expected.shape)
    assert tensor.values.dtype == expected.dtype
    np.testing.assert_array_equal(tensor.values, expected)
    assert not tensor.values.flags.writeable
    header = tensor_header(payload)
    assert (header.dtype, header.shape, header.count) == (dtype, expected.shape, expected.size)


@pytest.mark.parametrize(
    ("number", "dtype"),
    [
        (1, "float32"),
        (2, "float64"),
        (3, "int32"),
        (4, "uint8"),
        (5, "int16"),
        (6, "int8"),
        (8, "complex64"),
        (9, "int64"),
        (10, "bool"),
        (17, "uint16"),
        (18, "complex128"),
        (19, "float16"),
        (22, "uint32"),
        (23, "uint64"),
        (101, "float32"),
    ],
)
def test_tensor_content(number: int, dtype: str) -> None:
    values = np.arange(-3, 9).reshape(2, 3, 2).astype(dtype)
    _is(_tensorflow(number, (2, 3, 2), tensor_content=values.tobytes()), dtype, values)


@pytest.mark.parametrize(
    ("number", "name", "field", "written", "values"),
    [
        (1, "float32", "float_val", [1.5, NAN, -INF], np.array([1.5, NAN, -INF], "f4")),
        (2, "float64", "double_val", [0.1, INF], np.array([0.1, INF])),
        (3, "int32", "int_val", [-1, 2**31 - 1, -(2**31)], np.array([-1, 2**31 - 1, -(2**31)], "i4")),
        (4, "uint8", "int_val", [0, 255], np.array([0, 255], "u1")),
        (6, "int8", "int_val", [-128, 127], np.array([-128, 127], "i1")),
        (11, "qint8", "int_val", [-128, 127], np.array([-128, 127], "i1")),
        (16, "quint16", "int_val", [65535], np.array([65535], "u2")),
        (8, "complex64", "scomplex_val", [1, 2, 3, -4], np.array([1 + 2j, 3 - 4j], "c8")),
        (18, "complex128", "dcomplex_val", [0.1, 2], np.array([0.1 + 2j])),
        (9, "int64", "int64_val", [-(2**63), 2**63 - 1, 0], np.array([-(2**63), 2**63 - 1, 0])),
        (23, "uint64", "uint64_val", [2**64 - 1, 1], np.array([2**64 - 1, 1], "u8")),
        (22, "uint32", "uint32_val", [2**32 - 1], np.array([2**32 - 1], "u4")),
        (10, "bool", "bool_val", [True, False], np.array([True, False])),
        (19, "float16", "half_val", [0x3C00, 0xFC00], np.array([1.0, -INF], "f2")),
        (14, "bfloat16", "half_val", [0x3F80, 0xC040, 0x7FC0], np.array([1.0, -3.0, NAN], "f4")),
        (29, "int4", "int_val", [-8, 7], np.array([-8, 7], "i1")),
        (32, "uint2", "int_val", [3, 0], np.array([3, 0], "u1")),
        (7, "string", "string_val", [b"a", b"\xff", b""], np.array([b"a", b"\xff", b""], object)),
    ],
)
def test_typed_fields(number: int, name: str, field: str, written: list[Any], values: NDArray[Any]) -> None:
    _is(_tensorflow(number, (len(values),), **{field: written}), name, values)


# of each float8 format: 1.0, its largest number, its smallest; then what is special
FLOAT8 = {
    24: ("float8_e5m2", [0x3C, 0x7B, 0x01, 0x7C, 0xFC, 0x7D], [1, 57344, 2**-16, INF, -INF, NAN]),
    25: ("float8_e4m3fn", [0x38, 0x7E, 0x01, 0x7F, 0xFF, 0x80], [1, 448, 2**-9, NAN, NAN, -0.0]),
    26: ("float8_e4m3fnuz", [0x40, 0x7F, 0x01, 0x80, 0xC0, 0x00], [1, 240, 2**-10, NAN, -1, 0]),
    27: ("float8_e4m3b11fnuz", [0x58, 0x7F, 0x01, 0x80, 0xD8, 0x00], [1, 30, 2**-13, NAN, -1, 0]),
    28: ("float8_e5m2fnuz", [0x40, 0x7F, 0x01, 0x80, 0xC0, 0x00], [1, 57344, 2**-17, NAN, -1, 0]),
    33: ("float4_e2m1fn", [0x2, 0x7, 0x1, 0x9, 0xA, 0x0], [1, 6, 0.5, -0.5, -1, 0]),
}


@pytest.mark.parametrize("number", FLOAT8)
def test_small_floats_are_widened(number: int) -> None:
    name, codes, values = FLOAT8[number]
    head = _tensorflow(number, (6,)).data
    for field in (4, 18):
        _is(Payload(head + _field(field, bytes(codes)), TENSORFLOW), name, np.array(values, "f4"))


def test_the_last_value_repeats() -> None:
    _is(_tensorflow(1, (2, 2), float_val=[1, 2]), "float32", np.array([[1, 2], [2, 2]], "f4"))
    _is(_tensorflow(9, (3,), int64_val=[7]), "int64", np.array([7, 7, 7]))
    _is(_tensorflow(7, (3,), string_val=[b"x"]), "string", np.array([b"x"] * 3, object))
    _is(_tensorflow(1, (2,)), "float32", np.zeros(2, "f4"))
    _is(_tensorflow(14, (2, 1), half_val=[0x3F80]), "bfloat16", np.ones((2, 1), "f4"))


def test_one_value_that_repeats_takes_no_memory() -> None:
    tensor = tensor_of(_tensorflow(1, (10_000, 10_000), float_val=[2.5]))
    assert tensor.values[9_999, 9_999] == 2.5
    assert tensor.nbytes < 1000


def test_scalars_and_empty_tensors() -> None:
    _is(_tensorflow(1, (), float_val=[3]), "float32", np.array(3, "f4"))
    _is(_tensorflow(7, (), string_val=[b"s"]), "string", np.array(b"s", object))
    _is(_tensorflow(1, (0, 3)), "float32", np.zeros((0, 3), "f4"))
    _is(_mindspore(11, (), _field(3, np.array([3], "<f4").tobytes())), "float32", np.array(3, "f4"))


def test_strings_in_the_content() -> None:
    content = bytes([1, 0, 2]) + b"abc"
    expected = np.array([b"a", b"", b"bc"], object)
    _is(_tensorflow(7, (3,), tensor_content=content), "string", expected)
    for wrong in (content + b"d", content[:2], bytes([1, 0]) + b"\xff" * 9 + b"\x01"):
        with pytest.raises(ValueError, match=r"do not add up|does not end"):
            tensor_of(_tensorflow(7, (3,), tensor_content=wrong))


def test_any_byte_but_zero_is_true() -> None:
    _is(_tensorflow(10, (3,), tensor_content=b"\x00\x02\xff"), "bool", np.array([False, True, True]))
    _is(_mindspore(1, (2,), _field(8, b"\x07\x00")), "bool", np.array([True, False]))


def test_numbers_that_are_not_packed() -> None:
    head = _tensorflow(9, (4,)).data
    single = b"".join(_varint(10 << 3) + _varint(number) for number in (1, -1, 300))
    _is(Payload(head + single + _field(10, b"\x05"), TENSORFLOW), "int64", np.array([1, -1, 300, 5]))
    head = _tensorflow(2, (2,)).data
    single = b"".join(_varint(6 << 3 | 1) + np.float64(number).tobytes() for number in (0.5, 2.0))
    _is(Payload(head + single, TENSORFLOW), "float64", np.array([0.5, 2.0]))


@pytest.mark.parametrize(
    ("number", "name", "field", "content", "values"),
    [
        (11, "float32", 3, np.array([1, NAN], "<f4").tobytes(), np.array([1, NAN], "f4")),
        (5, "int64", 3, np.array([1, 2**24], "<f4").tobytes(), np.array([1, 2**24], "f4")),
        (0, "type 0", 3, np.array([1, 2], "<f4").tobytes(), np.array([1, 2], "f4")),
        (12, "float64", 6, np.array([0.1, -INF]).tobytes(), np.array([0.1, -INF])),
        (4, "int32", 4, _varint(-1) + _varint(300), np.array([-1, 300], "i4")),
        (5, "int64", 5, _varint(-(2**63)) + _varint(2**62), np.array([-(2**63), 2**62])),
        (9, "uint64", 7, _varint(2**64 - 1) + _varint(0), np.array([2**64 - 1, 0], "u8")),
        (10, "float16", 8, np.array([1, INF], "<f2").tobytes(), np.array([1, INF], "f2")),
    ],
)
def test_mindspore(number: int, name: str, field: int, content: bytes, values: NDArray[Any]) -> None:
    _is(_mindspore(number, (1, 2), _field(field, content)), name, values.reshape(1, 2))


def test_packed_dims() -> None:
    data = _field(1, b"\x02\x02") + b"\x10\x0b" + _field(3, np.arange(4, dtype="<f4").tobytes())
    _is(Payload(data, MINDSPORE), "float32", np.arange(4, dtype="f4").reshape(2, 2))


@pytest.mark.parametrize("claim", [TENSORFLOW, MINDSPORE])
def test_the_head_of_a_payload_says_what_the_tensor_is(claim: Any) -> None:  # noqa: ANN401
    content = np.zeros(5000, "<f4").tobytes()
    whole = (
        _tensorflow(1, (50, 100), tensor_content=content)
        if claim == TENSORFLOW
        else _mindspore(11, (50, 100), _field(3, content))
    )
    header = tensor_header(Payload(whole.data[:64], claim))
    assert (header.dtype, header.shape, header.count) == ("float32", (50, 100), 5000)
    with pytest.raises(ValueError, match="end"):
        tensor_header(Payload(whole.data[:1], claim))
    with pytest.raises(ValueError, match="end"):
        tensor_of(Payload(whole.data[:64], claim))


def test_a_head_without_the_shape_says_nothing() -> None:
    dims = _varint(1 << 3) + _varint(5000)
    payload = Payload(b"\x10\x0b" + _field(3, bytes(20_000)) + dims, MINDSPORE)
    assert tensor_header(payload).shape == (5000,)
    with pytest.raises(ValueError, match="end"):
        tensor_header(Payload(payload.data[:1024], MINDSPORE))


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (_tensorflow(1, (3,), tensor_content=b"\0" * 8), r"2 values for the shape \[3\]"),
        (_tensorflow(1, (1,), float_val=[1, 2]), r"2 values for the shape \[1\]"),
        (_tensorflow(1, (2,), tensor_content=b"\0" * 7), "7 bytes are not a multiple of the value size"),
        (_tensorflow(1, (2,), double_val=[1, 2]), "in a field that is not that of float32"),
        (_tensorflow(8, (1,), scomplex_val=[1]), "no imaginary part"),
        (_tensorflow(1, (-1,)), "negative size"),
        (_tensorflow(1, (1,) * 33), "33 dimensions"),
        (_tensorflow(1, (1 << 20, 1 << 20)), r"at most 100,000,000"),
        (_tensorflow(1, (20_000_000,), float_val=[1, 2]), "repeats its last value"),
        (_tensorflow(7, (20_000_000,), string_val=[b"1"]), "repeats its last value"),
        (_tensorflow(20, ()), "resource, which cannot be shown"),
        (_tensorflow(99, ()), "type 99, which cannot be shown"),
        (_mindspore(11, (2,), _field(3, b"\0" * 12)), r"3 values for the shape \[2\]"),
        (_mindspore(11, (2,), b""), r"0 values for the shape \[2\]"),
        (_mindspore(13, (1,), _field(8, b"\0")), "string, which is not known"),
        (_mindspore(11, (1,), _field(3, b"\0" * 4) + _field(5, b"\0")), "in several fields"),
        (Payload(b"", TENSORFLOW), "only metadata"),
        (Payload(b"\x08\x01\x12\x02\x18\x01", TENSORFLOW), "shape is unknown"),
        (Payload(b"\xff\xff", TENSORFLOW), "end"),
        (Payload(b"\x0b", MINDSPORE), "wire type 3"),
    ],
)
def test_what_is_no_tensor_says_why(payload: Payload, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        tensor_of(payload)


def test_values_written_one_by_one_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "MAX_SINGLE", 2)
    with pytest.raises(ValueError, match="more than 2 values that are written one by one"):
        tensor_of(_tensorflow(7, (3,), string_val=[b"a", b"b", b"c"]))
