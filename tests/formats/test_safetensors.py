"""What is written is what the library of the format reads."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load, save

from insight_record.formats.safetensors import safetensors_parts

_SIGNED = ["float64", "float32", "float16", "int64", "int32", "int16", "int8"]
_TYPES = [*_SIGNED, "uint64", "uint32", "uint16", "uint8", "bool"]


@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (3, 0), (5, 3)])
def test_columns_of_every_type_come_back(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    columns = {f"列 {name}": random.integers(0, 2, shape).astype(name) for name in _TYPES}
    read = load(b"".join(safetensors_parts(columns, {})))
    assert set(read) == set(columns)
    for name, column in columns.items():
        assert (read[name].dtype, read[name].shape) == (column.dtype, shape)
        assert np.array_equal(read[name], column)


def test_columns_that_are_not_contiguous_or_of_another_byte_order() -> None:
    columns = {"every": np.arange(10)[::2], "big": np.arange(3.0).astype(">f4"), "plane": np.eye(3)[:, 1:].T}
    read = load(b"".join(safetensors_parts(columns, {})))
    assert {name: column.tolist() for name, column in read.items()} == {
        name: column.tolist() for name, column in columns.items()
    }


def test_a_long_column_is_not_copied() -> None:
    values = np.arange(1000.0)
    last = safetensors_parts({"values": values}, {})[-1]
    assert isinstance(last, memoryview)
    assert np.shares_memory(np.frombuffer(last), values)


def test_the_file_is_laid_out_as_the_library_does() -> None:
    columns: dict[str, NDArray[Any]] = {"b": np.arange(3, dtype=np.int8), "a": np.arange(3), "c": np.eye(3)}
    text = "图"
    ours = b"".join(safetensors_parts(columns, {"note": text}))
    theirs = save(columns, metadata={"note": text})
    assert _header(ours)["__metadata__"] == _header(theirs)["__metadata__"]
    assert len(ours) - int.from_bytes(ours[:8], "little") == len(theirs) - int.from_bytes(
        theirs[:8], "little"
    )
    for header in (_header(ours), _header(theirs)):
        assert int.from_bytes(ours[:8], "little") % 8 == 0
        for name, column in columns.items():
            assert header[name]["data_offsets"][0] % column.itemsize == 0


def _header(data: bytes) -> dict[str, dict[str, list[int]]]:
    found: dict[str, dict[str, list[int]]] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    return found
