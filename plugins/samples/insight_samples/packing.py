"""Packs the index of a part for a pipe and the cache, each column as narrow as its values allow."""

from __future__ import annotations

import json
import struct
from collections.abc import Collection, Mapping
from typing import Any, BinaryIO

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

VERSION = 4
_MAGIC = b"insight samples\0"
_HEAD = struct.Struct("<16sII")  # magic, version, bytes of the description
_LONGEST = 64 << 20  # bytes of a description
_WHOLE = (np.uint8, np.uint16, np.uint32)

Columns = dict[str, NDArray[Any]]


@frozen
class IndexPart:
    """The index of a part: ``rows`` rows from ``start`` to ``end``, in bytes or by number.

    ``columns`` have a value for each row, NaN where there is none; without them, what is known of all.
    ``bad`` rows are no objects or of no known format, the first of them at ``first_bad``.
    ``steps`` are those of its rows, int64, sorted. ``summaries`` are those of the steps, if they are few;
    they have the rows that earlier parts of the file have of these steps, too.
    """

    start: int
    end: int
    columns: Columns
    bad: int
    first_bad: int
    steps: NDArray[np.int64]
    summaries: Mapping[int, Any]
    rows: int

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return sum(column.nbytes for column in self.columns.values())

    def has(self, step: int) -> bool:
        """Whether rows are of this step."""
        at = int(np.searchsorted(self.steps, step))
        return at < len(self.steps) and int(self.steps[at]) == step


def packed(part: IndexPart, stamp: str = "") -> bytes:
    """The part as bytes. ``stamp`` says which file it is of."""
    said: list[dict[str, Any]] = []
    places: dict[bytes, int] = {}  # of each block; equal columns share one
    end = 0
    for name, column in part.columns.items():
        narrow, base = _narrow(column)
        block = narrow.tobytes()
        at = places.setdefault(block, end)
        end = max(end, at + len(block))
        said.append({"name": name, "as": column.dtype.str, "is": narrow.dtype.str, "base": base})
        said[-1] |= {"at": at, "size": len(block)}
    told = {
        "stamp": stamp,
        "start": part.start,
        "end": part.end,
        "bad": part.bad,
        "first_bad": part.first_bad,
        "steps": part.steps.tolist(),
        "summaries": {str(step): one for step, one in part.summaries.items()},
        "rows": part.rows,
        "columns": said,
    }
    text = json.dumps(told).encode()
    return b"".join([_HEAD.pack(_MAGIC, VERSION, len(text)), text, *places])


def unpacked(file: BinaryIO, names: Collection[str] | None = None) -> tuple[IndexPart, str]:
    """A part from its bytes, and its stamp; with ``names`` only these columns are read.

    Raises ValueError, KeyError, TypeError and OSError for anything else.
    """
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        raise ValueError("cut")
    magic, version, size = _HEAD.unpack(head)
    if magic != _MAGIC or version != VERSION or size > _LONGEST:
        raise ValueError("of another version")
    told = json.loads(file.read(size))
    begin, rows = _HEAD.size + size, told["rows"]
    columns: Columns = {}
    for one in told["columns"]:
        if names is None or one["name"] in names:
            file.seek(begin + one["at"])
            narrow = np.frombuffer(file.read(one["size"]), one["is"])
            columns[one["name"]] = _wide(narrow, np.dtype(one["as"]), one["base"], rows)
    summaries = {int(step): one for step, one in told["summaries"].items()}
    place = told["start"], told["end"], columns, told["bad"], told["first_bad"]
    return IndexPart(*place, np.array(told["steps"], np.int64), summaries, rows), told["stamp"]


def _narrow(column: NDArray[Any]) -> tuple[NDArray[Any], int | None]:
    """The same values in fewer bytes: one if all are equal, whole numbers from a base on, float32 where
    that loses nothing; hashes as they are."""
    if len(column) > 1 and _is_constant(column):
        return column[:1], None
    if column.dtype == np.int64 and len(column):
        low, high = int(column.min()), int(column.max())
        for kind in _WHOLE:
            if high - low <= np.iinfo(kind).max:
                return (column - low).astype(kind), low
    if column.dtype == np.float64:
        with np.errstate(over="ignore"):
            short = column.astype(np.float32)
        if np.array_equal(short.astype(np.float64), column, equal_nan=True):
            return short, None
    return column, None


def _is_constant(column: NDArray[Any]) -> bool:
    first = column[:1]
    return bool((column == first).all() or (column.dtype.kind == "f" and np.isnan(column).all()))


def _wide(narrow: NDArray[Any], kind: np.dtype[Any], base: int | None, rows: int) -> NDArray[Any]:
    if len(narrow) == 1 and rows != 1:
        return np.full(rows, narrow[0], kind)
    if len(narrow) != rows:
        raise ValueError("cut")
    wide = narrow.astype(kind)
    return wide if base is None else wide + kind.type(base)
