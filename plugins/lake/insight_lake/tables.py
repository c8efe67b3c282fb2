"""The tables of a segment as Parquet: their columns, and how they are written."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Claim
from insight_core.plugin.lab import claim_of

GROUP = 131_072  # rows of a row group: what is read for a series that is shorter
_LABEL = pa.dictionary(pa.int32(), pa.string())
_OF_SERIES = [("run", _LABEL), ("tag", _LABEL), ("plugin", _LABEL)]
_OF_POINTS = [("attempt", pa.int32()), ("shown", pa.bool_())]
_DAMAGE = [("file", pa.string()), ("offset", pa.int64()), ("reason", pa.string()), ("skipped", pa.int64())]
_FILE = [
    ("key", pa.string()),
    ("size", pa.int64()),
    ("sha256", pa.string()),
    ("footer", pa.int64()),
    ("rows", pa.int64()),
]
SCHEMAS: Mapping[str, Any] = {
    "runs": pa.schema(
        [
            ("run", pa.string()),
            ("start_time", pa.float64()),
            ("last_wall_time", pa.float64()),
            ("dialects", pa.list_(pa.string())),
            ("source", pa.string()),
            ("fingerprint", pa.string()),
            ("content", pa.string()),
            ("read", pa.float64()),
            ("damage", pa.list_(pa.struct(_DAMAGE))),
            ("segment", pa.string()),
            ("plugins", pa.list_(pa.string())),  # of the segment, in its first row
            ("files", pa.list_(pa.struct(_FILE))),  # the same
        ]
    ),
    "series": pa.schema(
        [
            *_OF_SERIES,
            ("points", pa.int64()),
            ("kept", pa.int64()),
            ("hidden", pa.int64()),
            ("purged", pa.int64()),
            ("first_step", pa.int64()),
            ("last_step", pa.int64()),
            ("last_value", pa.float64()),
            ("last_wall_time", pa.float64()),
            ("first_wall_time", pa.float64()),
            ("wall_times_ascend", pa.bool_()),
            ("least", pa.float64()),
            ("greatest", pa.float64()),
            ("nan", pa.int64()),
            ("positive_infinite", pa.int64()),
            ("negative_infinite", pa.int64()),
            ("attempts", pa.int64()),
            ("restarts", pa.list_(pa.int64())),
            ("display_name", _LABEL),
            ("description", _LABEL),
            ("claims", _LABEL),
            ("content", pa.dictionary(pa.int32(), pa.binary())),
            ("data_class", pa.int64()),
            ("type", _LABEL),
            ("scalars_row", pa.int64()),
            ("levels_row", pa.int64()),
            ("levels_rows", pa.int64()),
            ("coarse_rows", pa.int64()),
            ("records_row", pa.int64()),
        ]
    ),
    "scalars": pa.schema(
        [*_OF_SERIES, *_OF_POINTS, ("step", pa.int64()), ("wall_time", pa.float64()), ("value", pa.float64())]
    ),
    "levels": pa.schema(
        [
            *_OF_SERIES,
            ("block", pa.int32()),
            ("row", pa.int64()),
            ("step", pa.int64()),
            ("wall_time", pa.float64()),
            ("value", pa.float64()),
            ("nan", pa.int32()),
            ("positive_infinite", pa.int32()),
            ("negative_infinite", pa.int32()),
        ]
    ),
    "records": pa.schema(
        [
            *_OF_SERIES,
            *_OF_POINTS,
            ("step", pa.int64()),
            ("wall_time", pa.float64()),
            ("size", pa.int64()),
            ("claim", _LABEL),
            ("object", _LABEL),
            ("copied", pa.bool_()),
            ("record", pa.int64()),
            ("start", pa.int64()),
        ]
    ),
}
MEASURED = ("run", "tag", "step")  # columns whose least and greatest values are written
DICTIONARIES = sorted(
    {one.name for schema in SCHEMAS.values() for one in schema if pa.types.is_dictionary(one.type)}
)
Column = NDArray[Any]
_BETWEEN = "\n"


@frozen
class LakeObject:
    """An object of a segment: its key, and what is needed to read and to check it."""

    key: str
    size: int  # bytes
    sha256: str
    footer: int = 0  # bytes of the footer of a Parquet file, with its length and magic
    rows: int = 0

    @property
    def table(self) -> str:
        """Its table, or ``payloads``."""
        return self.key.partition("/")[0]


@frozen
class WrittenTable:
    """A file that was written for an object, and how many rows it has."""

    path: Path
    rows: int

    def stored_as(self, key: str) -> LakeObject:
        """The entry of this file under a key."""
        with self.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            file.seek(size - 8)
            footer = int.from_bytes(file.read(4), "little") + 8
        return LakeObject(key, size, digest, footer, self.rows)


@frozen(eq=False)
class _Rows:
    """Rows that wait to be written: labels have one value in all of them."""

    labels: Mapping[str, str]
    columns: Mapping[str, Column | Sequence[Any]]
    count: int


class TableFile:
    """Writes a table of ``SCHEMAS`` in row groups of GROUP rows; the last may be smaller."""

    def __init__(self, path: Path, name: str) -> None:
        self._schema = SCHEMAS[name]
        self._path = path
        self._writer = pq.ParquetWriter(path, self._schema, **_options(self._schema))
        self._left = self._schema.empty_table()  # of the last row group
        self._waiting: list[_Rows] = []
        self.rows = 0
        self._written = 0

    def add(self, labels: Mapping[str, str], columns: Mapping[str, Column | Sequence[Any]]) -> int:
        """Appends rows, in which each of the labels has one value; returns the number of the first."""
        first, count = self.rows, len(next(iter(columns.values())))
        self._waiting.append(_Rows(labels, columns, count))
        self.rows += count
        if self.rows - self._written >= GROUP:
            self._write((self.rows - self._written) // GROUP * GROUP)
        return first

    def close(self) -> WrittenTable:
        """Writes the rest."""
        if self.rows > self._written:
            self._write(self.rows - self._written)
        self._writer.close()
        return WrittenTable(self._path, self.rows)

    def _write(self, rows: int) -> None:
        new = pa.table([_joined(self._waiting, field) for field in self._schema], schema=self._schema)
        self._waiting = []
        joined = pa.concat_tables([self._left, new]).unify_dictionaries().combine_chunks()
        for first in range(0, rows, GROUP):
            group = joined.slice(first, min(GROUP, rows - first))
            self._writer.write_table(_with_own_words(group), row_group_size=GROUP)
        self._left = joined.slice(rows)
        self._written += rows


def write_runs(path: Path, runs: Any) -> WrittenTable:  # noqa: ANN401
    """Writes rows of the table ``runs``."""
    schema = SCHEMAS["runs"]
    with pq.ParquetWriter(path, schema, **_options(schema)) as writer:
        writer.write_table(runs.cast(schema), row_group_size=GROUP)
    return WrittenTable(path, len(runs))


def _joined(waiting: Sequence[_Rows], field: Any) -> Any:  # noqa: ANN401
    """A column of all rows."""
    name = field.name
    if waiting and name in waiting[0].labels:
        words = list(dict.fromkeys(rows.labels[name] for rows in waiting))
        number = {word: place for place, word in enumerate(words)}
        numbers = np.array([number[rows.labels[name]] for rows in waiting], np.int32)
        codes = np.repeat(numbers, [rows.count for rows in waiting])
        return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string()))
    parts = [rows.columns[name] for rows in waiting]
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return _array(np.concatenate(parts), field.type)
    return _array([value for part in parts for value in part], field.type)


def _array(values: Column | Sequence[Any], kind: Any) -> Any:  # noqa: ANN401
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode()
    return pa.array(values, kind, from_pandas=False)


def _with_own_words(table: Any) -> Any:  # noqa: ANN401
    """The table with dictionaries of the words that occur in it: a row group is written with all of them."""
    columns = [
        column.cast(field.type.value_type).combine_chunks().dictionary_encode()
        if pa.types.is_dictionary(field.type)
        else column
        for field, column in zip(table.schema, table.columns, strict=True)
    ]
    return pa.table(columns, schema=table.schema)


def _options(schema: Any) -> dict[str, Any]:  # noqa: ANN401
    """Texts by dictionary, integers as differences, and the bytes of floats apart, which compresses them."""
    encodings, dictionaries = {}, []
    for field in schema:
        if field.type == pa.float64():
            encodings[field.name] = "BYTE_STREAM_SPLIT"
        elif field.type in (pa.int32(), pa.int64()):
            encodings[field.name] = "DELTA_BINARY_PACKED"
        elif not pa.types.is_boolean(field.type):
            dictionaries.append(field.name)
    return {
        "compression": "zstd",
        "compression_level": 3,
        "use_dictionary": dictionaries,
        "column_encoding": encodings,
        "write_statistics": [name for name in MEASURED if name in schema.names],
        "store_schema": False,  # of Arrow: other engines would see dictionaries instead of texts
    }


def utf8(text: str) -> str:
    """The text with what UTF-8 cannot hold written as an escape, as the names of runs have it."""
    return text.encode("utf-8", "backslashreplace").decode() if not text.isascii() else text


def text_of_claims(claims: Sequence[Claim]) -> str:
    """Several claims as one text."""
    return _BETWEEN.join(utf8(str(claim)) for claim in claims)


def claims_of_text(text: str) -> tuple[Claim, ...]:
    """Reads a text that ``text_of_claims`` wrote. Raises ValueError for any other text."""
    return tuple(claim_of(one) for one in text.split(_BETWEEN)) if text else ()
