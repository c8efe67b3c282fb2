"""Tensors as MindSpore and TensorFlow write them, as numpy arrays.

Formats: MindSpore's mindinsight_anf_ir.proto; TensorFlow's tensor.proto, tensor_shape.proto, types.proto.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_core.formats.dialects import Dialect
from insight_core.formats.packed import fixed, varints
from insight_record.formats import dtypes as types
from insight_record.formats import protobuf as wire
from insight_record.formats.reason import Reason, ReasonKind

MAX_RANK = 32
MAX_COUNT = 100_000_000  # values of a tensor
MAX_REPEATED = 10_000_000  # numbers that a shorter list of written numbers is padded to
MAX_SINGLE = 1_000_000  # strings, and numbers that are not packed

_DIMS, _DATA_TYPE = 1, 2  # of MindSpore's TensorProto
_DTYPE, _SHAPE, _CONTENT, _STRINGS = 1, 2, 4, 8  # of TensorFlow's
_DIM, _UNKNOWN_RANK, _SIZE = 2, 3, 1  # of its TensorShapeProto, and of that one's Dim
_KINDS = {types.FLOATS: wire.FOUR_BYTES, types.DOUBLES: wire.EIGHT_BYTES, types.VARINTS: wire.VARINT}
_TENSOR_SINGLE_VALUES = ReasonKind(
    "tensor_single_values", "the tensor has more than {most:,} values that are written one by one"
)
_TENSOR_RANK = ReasonKind("tensor_rank", "the tensor has {rank} dimensions: at most {most} are read")
_TENSOR_SHAPE = ReasonKind("tensor_shape", "the shape {shape} of the tensor has a negative size")
_TENSOR_TYPE_UNKNOWN = ReasonKind("tensor_type_unknown", "the values are of {type}, which is not known")
_TENSOR_TYPE = ReasonKind("tensor_type", "the values are of {type}, which cannot be shown")
_TENSOR_FIELD_OF_TYPE = ReasonKind(
    "tensor_field_of_type", "the values are in a field that is not that of {type}"
)
_TENSOR_STRINGS = ReasonKind("tensor_strings", "the tensor has more than {most:,} strings")
_TENSOR_REPEATS = ReasonKind("tensor_repeats", "the tensor repeats its last value for {count:,} others")


@frozen
class TensorHeader:
    """Type and shape of a tensor. ``dtype`` is the writer's name of the type: float32, string."""

    dtype: str
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of values in the shape."""
        return math.prod(self.shape)


@frozen(eq=False)
class Tensor:
    """A tensor. ``values`` have its shape, are read-only, and may be a view of the payload.

    ``dtype`` is the writer's name. MindSpore stores every type as float32, so its values are float32; types
    that numpy lacks (bfloat16, float8) become float32 too. Strings are an object array of bytes.
    """

    dtype: str
    shape: tuple[int, ...]
    values: NDArray[Any]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        if self.values.dtype == object:
            return sum(len(text) + 64 for text in self.values.flat)
        held: Any = self.values
        while isinstance(held, np.ndarray) and held.base is not None:
            held = held.base
        return held.nbytes if isinstance(held, np.ndarray) else len(held)


def read_tensor_header(data: bytes, dialect: Dialect) -> TensorHeader:
    """Type and shape of a tensor message, or of its first bytes. Raises ValueError if they are incomplete."""
    return _message(data, dialect, head=True).header()


def read_tensor(data: bytes, dialect: Dialect) -> Tensor:
    """Reads a tensor message of the dialect.

    Raises ValueError for bytes that are not a tensor, values that do not fit its shape, and absurd sizes.
    """
    message = _message(data, dialect)
    header = message.header()
    if header.count > MAX_COUNT:
        shape = list(header.shape)
        text = f"the tensor has {header.count:,} values, in the shape {shape}: at most {MAX_COUNT:,} are read"
        details = {"values": header.count, "shape": str(shape), "most": MAX_COUNT}
        raise ValueError(Reason(text, "tensor_too_large", **details))
    values = message.values(header).reshape(header.shape)
    values.flags.writeable = False
    return Tensor(header.dtype, header.shape, values)


def _message(data: bytes, dialect: Dialect, *, head: bool = False) -> _Mindspore | _Tensorflow:
    if not data:
        raise ValueError(Reason("the tensor is empty: only metadata was written", "tensor_empty"))
    message = _Mindspore(data) if dialect is Dialect.MINDSPORE else _Tensorflow(data)
    try:
        for number, kind, start, end, value in wire.fields(data):
            message.take(number, kind, start, end, value)
    except ValueError:
        # the first bytes of a payload end within the values, possibly before the shape
        if not head or message.data_type is None or not message.sizes:
            raise
    return message


@define
class _Fields:
    """Where the parts of a message are, by field."""

    data: bytes
    data_type: int | None = None
    sizes: list[int] = field(factory=list)
    parts: dict[int, list[tuple[int, int]]] = field(factory=dict)

    def add(self, number: int, start: int, end: int) -> None:
        parts = self.parts.setdefault(number, [])
        if len(parts) == MAX_SINGLE:
            raise ValueError(_TENSOR_SINGLE_VALUES(most=MAX_SINGLE))
        parts.append((start, end))

    def shape(self) -> tuple[int, ...]:
        if len(self.sizes) > MAX_RANK:
            raise ValueError(_TENSOR_RANK(rank=len(self.sizes), most=MAX_RANK))
        if any(size < 0 for size in self.sizes):
            raise ValueError(_TENSOR_SHAPE(shape=str(self.sizes)))
        return tuple(self.sizes)

    def written(self, forms: Mapping[int, str]) -> list[int]:
        """The typed fields that have values."""
        return [number for number in forms if any(end > start for start, end in self.parts.get(number, ()))]

    def numbers(self, number: int, form: str) -> NDArray[Any]:
        """All numbers of a typed field; varints as uint64."""
        parts = self.parts[number]
        data, (start, end) = self.data, parts[0]
        if len(parts) > 1:
            data = b"".join([data[start:end] for start, end in parts])
            start, end = 0, len(data)
        return varints(data, start, end) if form == types.VARINTS else fixed(data, form, start, end)


@define
class _Mindspore(_Fields):
    def take(self, number: int, kind: int, start: int, end: int, value: int) -> None:
        if number == _DIMS and kind == wire.VARINT:
            self.sizes.append(wire.signed(value))
        elif number == _DIMS and kind == wire.LENGTH_DELIMITED:
            self.sizes += varints(self.data, start, end).astype(np.int64).tolist()
        elif number == _DATA_TYPE and kind == wire.VARINT:
            self.data_type = value
        elif _is_typed(number, kind, types.MINDSPORE_FIELDS):
            self.add(number, start, end)

    def header(self) -> TensorHeader:
        name = types.MINDSPORE_TYPES.get(self.data_type or 0, f"type {self.data_type or 0}")
        return TensorHeader(name, self.shape())

    def values(self, header: TensorHeader) -> NDArray[Any]:
        written = self.written(types.MINDSPORE_FIELDS)
        if len(written) > 1:
            raise ValueError(Reason("the tensor has values in several fields", "tensor_fields"))
        found: NDArray[Any] = np.empty(0, np.float32)
        for number in written:
            form = types.MINDSPORE_FIELDS[number]
            found = self.numbers(number, form)
            if form == types.VARINTS:
                found = found.astype(types.MINDSPORE_INTEGERS[number])
            elif form == types.BYTES:
                found = self._raw(found, header.dtype)
        if len(found) != header.count:
            raise _mismatch(len(found), header)
        return found

    def _raw(self, found: NDArray[np.uint8], name: str) -> NDArray[Any]:
        if self.data_type not in types.MINDSPORE_TYPES or name == "string":
            raise ValueError(_TENSOR_TYPE_UNKNOWN(type=name))
        if name == "bool":
            return found.astype(bool)
        if name == "bfloat16":
            return types.widen(fixed(found.tobytes(), "<u2", 0, len(found)), name)
        dtype = np.dtype(name).newbyteorder("<")
        return fixed(found.tobytes(), dtype, 0, len(found))


@define
class _Tensorflow(_Fields):
    def take(self, number: int, kind: int, start: int, end: int, value: int) -> None:
        if number == _DTYPE and kind == wire.VARINT:
            self.data_type = value - types.REFERENCE if value > types.REFERENCE else value
        elif number == _SHAPE and kind == wire.LENGTH_DELIMITED:
            self._take_shape(start, end)
        elif (number in (_CONTENT, _STRINGS) and kind == wire.LENGTH_DELIMITED) or _is_typed(
            number, kind, types.TENSORFLOW_FIELDS
        ):
            self.add(number, start, end)

    def _take_shape(self, start: int, end: int) -> None:
        for number, kind, first, last, value in wire.fields(self.data, start, end):
            if number == _DIM and kind == wire.LENGTH_DELIMITED:
                inner = wire.fields(self.data, first, last)
                size = [content for one, form, _, _, content in inner if (one, form) == (_SIZE, wire.VARINT)]
                self.sizes.append(wire.signed(size[-1]) if size else 0)
            elif number == _UNKNOWN_RANK and value:
                raise ValueError(Reason("the tensor says that its shape is unknown", "tensor_shape_unknown"))

    def header(self) -> TensorHeader:
        return TensorHeader(types.tensorflow_type_name(self.data_type or 0), self.shape())

    def values(self, header: TensorHeader) -> NDArray[Any]:
        element = types.TENSORFLOW_TYPES.get(self.data_type or 0)
        if element is None:
            raise ValueError(_TENSOR_TYPE(type=header.dtype))
        whole = self.written({_CONTENT: types.BYTES})
        if element.number == _STRINGS:
            return _filled(self._strings(header, from_content=bool(whole)), header)
        found = self._content(element) if whole else self._typed(element)
        if whole and len(found) != header.count:
            raise _mismatch(len(found), header)
        if element.widened:
            found = types.widen(found, element.name, element.widened)
        return _filled(found, header)

    def _content(self, element: types.ElementType) -> NDArray[Any]:
        start, end = self.parts[_CONTENT][-1]
        if element.name == "bool":  # any byte but 0 is true, and numpy trusts that it is 1
            return fixed(self.data, types.BYTES, start, end).astype(bool)
        return fixed(self.data, element.stored, start, end)

    def _typed(self, element: types.ElementType) -> NDArray[Any]:
        written = self.written(types.TENSORFLOW_FIELDS)
        if not written:
            return np.empty(0, element.stored)
        if element.number not in written:
            raise ValueError(_TENSOR_FIELD_OF_TYPE(type=element.name))
        form = types.TENSORFLOW_FIELDS[element.number]
        found = self.numbers(element.number, form)
        if element.name == "bool":
            return found.astype(bool)
        if form == types.VARINTS:
            return found.astype(f"<u{np.dtype(element.stored).itemsize}").view(element.stored)
        if len(found) % 2 and element.name.startswith("complex"):
            raise ValueError(Reason("a complex number has no imaginary part", "tensor_half_complex"))
        return found.view(element.stored)

    def _strings(self, header: TensorHeader, *, from_content: bool) -> NDArray[Any]:
        places: Sequence[tuple[int, int]] = self.parts.get(_STRINGS, [])
        if from_content:  # the lengths of all, and then the strings
            position, end = self.parts[_CONTENT][-1]
            sizes = []
            if header.count > MAX_SINGLE:
                raise ValueError(_TENSOR_STRINGS(most=MAX_SINGLE))
            for _ in range(header.count):
                size, position = wire.varint(self.data, position, end)
                sizes.append(min(size, end))
            edges = position + np.cumsum([0, *sizes])
            if edges[-1] != end:
                text = "the lengths of the strings do not add up to their bytes"
                raise ValueError(Reason(text, "tensor_string_lengths"))
            places = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        found = np.empty(len(places), object)
        found[:] = [self.data[start:end] for start, end in places]
        return found


def _is_typed(number: int, kind: int, forms: Mapping[int, str]) -> bool:
    """Whether a field holds values: packed, or one."""
    return number in forms and kind in (wire.LENGTH_DELIMITED, _KINDS.get(forms[number]))


def _filled(found: NDArray[Any], header: TensorHeader) -> NDArray[Any]:
    """Repeats the last written value up to the shape, as TensorFlow does; zeros if no value was written."""
    missing = header.count - len(found)
    if missing < 0:
        raise _mismatch(len(found), header)
    if not missing:
        return found
    if len(found) > 1 or found.dtype == object:
        if header.count > (MAX_SINGLE if found.dtype == object else MAX_REPEATED):
            raise ValueError(_TENSOR_REPEATS(count=missing))
        last = found[-1:] if len(found) else np.array([b""], object)
        return np.concatenate([found, np.broadcast_to(last, missing)])
    return np.broadcast_to(found[0] if len(found) else found.dtype.type(0), header.count)


def _mismatch(count: int, header: TensorHeader) -> ValueError:
    return ValueError(f"the tensor has {count:,} values for the shape {list(header.shape)}")
