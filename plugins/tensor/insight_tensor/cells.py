"""Encodes the values of a slice for answers: columns of numbers, and texts."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from attrs import field, frozen
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from insight_core.plugin.lab import check_elements
from insight_core.plugin.payloads import Tensor

MOST_CHARACTERS = 4_000_000  # of all texts of an answer
_FEWEST = 40  # that a text may have, however many there are
_LONGEST = 65_536
_WHOLE = (1 << 53) - 1  # the largest integer that a page holds exactly
KINDS = {"f": "float", "i": "integer", "u": "integer", "b": "bool", "c": "complex", "O": "string"}
_PORTION = 1 << 17  # values


@frozen(eq=False)
class TensorCells:
    """``columns`` as safetensors has them, ``json`` as JSON, ``described`` what both say next to them.

    ``texts``: what is in ``json``, where no column can hold it.
    """

    columns: Mapping[str, NDArray[Any]]
    json: object
    described: Mapping[str, object] = field(factory=dict)
    texts: Mapping[str, object] = field(factory=dict)


def kind_of(dtype: str, values: NDArray[Any]) -> str:
    """float, integer, bool, complex or string: as MindSpore's type says it, whose values are all float32."""
    if dtype == "bool":
        return "bool"
    if dtype.startswith(("int", "uint")):
        return "integer"
    return KINDS[values.dtype.kind]


def cells_of(values: NDArray[Any]) -> TensorCells:
    """Integers beyond 2**53 are texts in JSON, and complex numbers pairs."""
    kind = values.dtype.kind
    if kind == "O":
        texts, cut = _texts(values)
        return TensorCells({}, texts, {"cut": cut}, {"texts": texts})
    if kind == "c":
        parts = values.real, values.imag
        return TensorCells(dict(zip(("real", "imaginary"), parts, strict=True)), np.stack(parts, axis=-1))
    if kind == "b":
        return TensorCells({"values": values.astype(np.uint8)}, values)
    if kind == "f":
        wide = values.astype(np.float32) if values.dtype.itemsize < 4 else values
        return TensorCells({"values": wide}, wide)
    if values.dtype.itemsize > 4 or values.dtype == np.uint32:
        # of uint64 the bits: safetensors in a page have no other integers of 64 bits than signed ones
        whole = values.astype(np.int64) if values.dtype.itemsize <= 4 else values.view(np.int64)
        return TensorCells({"values": whole}, _whole(values))
    return TensorCells({"values": values.astype(np.int32)}, values)


def encoded(tensor: Tensor) -> object:
    """A whole tensor for JSON. Raises TooLarge."""
    check_elements(tensor.values.shape)
    found = cells_of(tensor.values)
    kind = kind_of(tensor.dtype, tensor.values)
    return {
        "dtype": tensor.dtype,
        "shape": tensor.shape,
        "kind": kind,
        **found.described,
        "values": found.json,
    }


def exact(number: float | int | None) -> float | int | str | None:
    """An integer that a page cannot hold as its text."""
    return str(number) if isinstance(number, int) and abs(number) > _WHOLE else number


def _whole(values: NDArray[Any]) -> object:
    large = values > _WHOLE if values.dtype.kind == "u" else (values > _WHOLE) | (values < -_WHOLE)
    if not large.any():
        return values
    named = values.astype(object)
    named[large] = values[large].astype(str).astype(object)
    return named.tolist()


def _texts(values: NDArray[Any]) -> tuple[Any, int]:
    """The strings as (nested) lists of texts, and how many of them are cut."""
    longest = min(_LONGEST, max(_FEWEST, MOST_CHARACTERS // max(1, values.size)))
    most = 4 * (longest + 1)  # bytes of one character more than are shown
    flat = [text[:most].decode("utf-8", "backslashreplace") for text in values.flat]
    cut = sum(len(text) > longest for text in flat)
    nested = np.empty(len(flat), object)
    nested[:] = [text[:longest] for text in flat]
    return nested.reshape(values.shape).tolist(), cut


def npy_size(values: NDArray[Any]) -> int:
    """Bytes of the file."""
    return len(_header(values)) + values.nbytes


def npy_parts(values: NDArray[Any]) -> Iterator[bytes]:
    """The file, in portions."""
    yield _header(values)
    if values.size:
        flags: Any = ["external_loop", "buffered"]
        for portion in np.nditer(values, flags, order="C", buffersize=_PORTION):
            yield np.asarray(portion).tobytes()


def _header(values: NDArray[Any]) -> bytes:
    head = io.BytesIO()
    described = {
        "descr": npy_format.dtype_to_descr(values.dtype),
        "fortran_order": False,
        "shape": values.shape,
    }
    npy_format.write_array_header_1_0(head, described)
    return head.getvalue()
