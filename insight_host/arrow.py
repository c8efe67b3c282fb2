"""Exports columns by Arrow's PyCapsule interface: numbers are shared, not copied.

Formats: Arrow's C data interface, C stream interface and PyCapsule interface, arrow.apache.org/docs/format.
"""

from __future__ import annotations

import ctypes
import errno
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

_NULLABLE = 2  # of the flags of a schema


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_ReleaseSchema = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_ReleaseArray = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))
_ReleaseStream = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))
_GetSchema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))
_GetNext = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))
_GetLastError = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Stream))
_Destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _ReleaseSchema),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", _ReleaseArray),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _GetSchema),
    ("get_next", _GetNext),
    ("get_last_error", _GetLastError),
    ("release", _ReleaseStream),
    ("private_data", ctypes.c_void_p),
]

_FORMATS = {"int64": b"l", "int32": b"i", "float64": b"g", "float32": b"f", "bool": b"b"}
_alive: dict[int, object] = {}  # what consumers still use, by private_data
_numbers = itertools.count(1)


@frozen(eq=False)
class LogColumn:
    """A column of a table: numbers or booleans, or with ``words`` texts by their number.

    ``values`` are int64, int32, float64, float32 or bool; those of texts are int32. ``valid`` is False where
    a row has no value, None if every row has one.
    """

    values: NDArray[Any]
    words: Sequence[str] | None = None
    valid: NDArray[np.bool_] | None = None


def schema_capsule(columns: Mapping[str, LogColumn]) -> object:
    """A PyCapsule ``arrow_schema`` of a struct of these columns."""
    return _capsule(_table_schema(columns), b"arrow_schema")


def stream_capsule(columns: Mapping[str, LogColumn]) -> object:
    """A PyCapsule ``arrow_array_stream`` with one batch of all rows; columns are of equal length."""
    stream = _Stream(_get_schema, _get_next, _get_last_error, _release_stream)
    stream.private_data = _keep([columns, False])
    return _capsule(stream, b"arrow_array_stream")


def _keep(kept: object) -> int:
    number = next(_numbers)
    _alive[number] = kept
    return number


def _table_schema(columns: Mapping[str, LogColumn]) -> _Schema:
    children = [_column_schema(name, column) for name, column in columns.items()]
    return _schema(b"+s", "", 0, children)


def _column_schema(name: str, column: LogColumn) -> _Schema:
    dictionary = None if column.words is None else _schema(b"u", "", 0)
    flags = 0 if column.valid is None else _NULLABLE
    return _schema(_FORMATS[column.values.dtype.name], name, flags, (), dictionary)


def _schema(
    form: bytes, name: str, flags: int, children: Sequence[_Schema] = (), dictionary: _Schema | None = None
) -> _Schema:
    pointers = (ctypes.POINTER(_Schema) * len(children))(*map(ctypes.pointer, children))
    schema = _Schema(form, _utf8(name), None, flags, len(children), pointers)
    if dictionary is not None:
        schema.dictionary = ctypes.pointer(dictionary)
    schema.release = _release_schema
    schema.private_data = _keep((schema.format, schema.name, children, pointers, dictionary))
    return schema


def _table_array(columns: Mapping[str, LogColumn]) -> _Array:
    children = [_column_array(column) for column in columns.values()]
    length = min((len(column.values) for column in columns.values()), default=0)
    return _array(length, [None], children)


def _column_array(column: LogColumn) -> _Array:
    values = np.ascontiguousarray(column.values)
    if values.dtype == np.bool_:
        values = np.packbits(values, bitorder="little")
    nulls, mask = 0, None
    if column.valid is not None:
        nulls, mask = int((~column.valid).sum()), np.packbits(column.valid, bitorder="little")
    dictionary = None if column.words is None else _words_array(column.words)
    return _array(len(column.values), [mask, values], (), dictionary, nulls)


def _words_array(words: Sequence[str]) -> _Array:
    encoded = list(map(_utf8, words))
    offsets = np.zeros(len(words) + 1, np.int32)
    np.cumsum(list(map(len, encoded)), out=offsets[1:])
    return _array(len(words), [None, offsets, np.frombuffer(b"".join(encoded) or b"\0", np.uint8)])


def _array(
    length: int,
    buffers: Sequence[NDArray[Any] | None],
    children: Sequence[_Array] = (),
    dictionary: _Array | None = None,
    nulls: int = 0,
) -> _Array:
    places = (ctypes.c_void_p * len(buffers))(
        *(None if each is None else each.ctypes.data for each in buffers)
    )
    pointers = (ctypes.POINTER(_Array) * len(children))(*map(ctypes.pointer, children))
    array = _Array(length, nulls, 0, len(buffers), len(children), places, pointers)
    if dictionary is not None:
        array.dictionary = ctypes.pointer(dictionary)
    array.release = _release_array
    array.private_data = _keep((buffers, places, children, pointers, dictionary))
    return array


def _utf8(text: str) -> bytes:
    """A name that is not UTF-8 on disk comes as lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "backslashreplace")


# --- what consumers call, from any thread ---------------------------------------------------------


def _release(pointer: Any) -> None:  # noqa: ANN401
    """Releases children that the consumer has not moved, then the schema or array."""
    node = pointer.contents
    dictionary = [node.dictionary] if node.dictionary else []
    for child in [*node.children[: node.n_children], *dictionary]:
        if child.contents.release:
            child.contents.release(child)
    number, node.release = node.private_data, type(node.release)()
    del _alive[number]


def _end(stream: Any) -> None:  # noqa: ANN401
    del _alive[stream.contents.private_data]
    stream.contents.release = _ReleaseStream()


def _schema_of_stream(stream: Any, into: Any) -> int:  # noqa: ANN401
    try:
        kept: Any = _alive[stream.contents.private_data]
        _move(_table_schema(kept[0]), into)
    except Exception:
        return errno.EIO
    return 0


def _next_of_stream(stream: Any, into: Any) -> int:  # noqa: ANN401
    try:
        kept: Any = _alive[stream.contents.private_data]
        if kept[1]:
            _move(_Array(), into)  # released: the end
        else:
            _move(_table_array(kept[0]), into)
            kept[1] = True
    except Exception:
        return errno.EIO
    return 0


def _no_error_text(stream: Any) -> None:  # noqa: ANN401
    """The number of the error says all."""


def _move(source: ctypes.Structure, into: Any) -> None:  # noqa: ANN401
    ctypes.memmove(into, ctypes.byref(source), ctypes.sizeof(source))


# --- capsules -------------------------------------------------------------------------------------

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, _Destroy]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype = ctypes.c_void_p
_pointer_of.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype = ctypes.c_char_p
_name_of.argtypes = [ctypes.c_void_p]

_capsules: dict[int, tuple[Any, bytes]] = {}  # by address: the structure and the name, which C does not copy


def _capsule(node: Any, name: bytes) -> object:  # noqa: ANN401
    address = ctypes.addressof(node)
    _capsules[address] = node, name
    return _new_capsule(address, name, _destroy)


def _destroyed(capsule: int) -> None:
    """Releases what no consumer has taken. ``capsule`` is an address: its object has no references left."""
    address = _pointer_of(capsule, _name_of(capsule))
    node, _ = _capsules.pop(address)
    if node.release:
        node.release(ctypes.pointer(node))


_release_schema, _release_array = _ReleaseSchema(_release), _ReleaseArray(_release)
_get_schema, _get_next = _GetSchema(_schema_of_stream), _GetNext(_next_of_stream)
_get_last_error, _release_stream = _GetLastError(_no_error_text), _ReleaseStream(_end)
_destroy = _Destroy(_destroyed)
# a library may release an array when the interpreter ends, after this module is gone
for _called in (
    _release_schema,
    _release_array,
    _release_stream,
    _get_schema,
    _get_next,
    _get_last_error,
    _destroy,
):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_called))
