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
_TEXT, _INTEGER, _SMALL, _NUMBER, _TRUTH = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_()


def _columns(kind: Any, names: str) -> list[tuple[str, Any]]:  # noqa: ANN401
    return [(name, kind) for name in names.split()]


_OF_SERIES = _columns(_LABEL, "run tag plugin")
_ODD = "nan positive_infinite negative_infinite"  # counts of values
_POINT = [("step", _INTEGER), ("wall_time", _NUMBER), ("value", _NUMBER)]
_ATTEMPT = [("attempt", _SMALL), ("shown", _TRUTH)]
_DAMAGE = [("file", _TEXT), ("offset", _INTEGER), ("reason", _TEXT), ("skipped", _INTEGER)]
_FILE = [("key", _TEXT), ("size", _INTEGER), ("sha256", _TEXT), ("footer", _INTEGER), ("rows", _INTEGER)]
SCHEMAS: Mapping[str, Any] = {
    "runs": pa.schema(
        [
            ("run", _TEXT),
            *_columns(_NUMBER, "start_time last_wall_time"),
            ("dialects", pa.list_(_TEXT)),
            *_columns(_TEXT, "source fingerprint content"),
            ("read", _NUMBER),
            ("damage", pa.list_(pa.struct(_DAMAGE))),
            ("segment", _TEXT),
            ("plugins", pa.list_(_TEXT)),  # of the segment, in its first row
            ("files", pa.list_(pa.struct(_FILE))),  # the same
        ]
    ),
    "series": pa.schema(
        [
            *_OF_SERIES,
            *_columns(_INTEGER, "points kept hidden purged first_step last_step"),
            *_columns(_NUMBER, "last_value last_wall_time first_wall_time"),
            ("wall_times_ascend", _TRUTH),
            *_columns(_NUMBER, "least greatest"),
            *_columns(_INTEGER, _ODD),
            ("attempts", _INTEGER),
            ("restarts", pa.list_(_INTEGER)),
            *_columns(_LABEL, "display_name description claims"),
            ("content", pa.dictionary(_SMALL, pa.binary())),
            ("data_class", _INTEGER),
            ("type", _LABEL),
            *_columns(_INTEGER, "scalars_row levels_row levels_rows coarse_rows records_row"),
        ]
    ),
    "scalars": pa.schema([*_OF_SERIES, *_ATTEMPT, *_POINT]),
    "levels": pa.schema(
        [*_OF_SERIES, ("block", _SMALL), ("row", _INTEGER), *_POINT, *_columns(_SMALL, _ODD)]
    ),
    "records": pa.schema(
        [
            *_OF_SERIES,
            *_ATTEMPT,
            *_POINT[:2],
            ("size", _INTEGER),
            *_columns(_LABEL, "claim object"),
            ("copied", _TRUTH),
            *_columns(_INTEGER, "record start"),
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


class TableFile:
    """Writes a table of ``SCHEMAS`` in row groups of GROUP rows; the last may be smaller."""

    def __init__(self, path: Path, name: str) -> None:
        self._schema = SCHEMAS[name]
        self._path = path
        self._texts = pa.schema([one.with_type(plain_type(one.type)) for one in self._schema])
        self._writer = pq.ParquetWriter(path, self._texts, **_options(self._texts))
        self._left = self._schema.empty_table()  # of the last row group
        self._waiting: list[tuple[Mapping[str, str], Mapping[str, Any], int]] = []
        self.rows = self._written = 0

    def add(self, labels: Mapping[str, str], columns: Mapping[str, Column | Sequence[Any]]) -> int:
        """Appends rows, in which each of the labels has one value; returns the number of the first."""
        first, count = self.rows, len(next(iter(columns.values())))
        self._waiting.append((labels, columns, count))
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
        new = pa.table([self._joined(field) for field in self._schema], schema=self._schema)
        self._waiting = []
        joined = pa.concat_tables([self._left, new]).unify_dictionaries().combine_chunks()
        for first in range(0, rows, GROUP):
            # as texts: of a dictionary of Arrow all words would be written, also those of other groups
            group = joined.slice(first, min(GROUP, rows - first)).cast(self._texts)
            self._writer.write_table(group, row_group_size=GROUP)
        self._left = joined.slice(rows)
        self._written += rows

    def _joined(self, field: Any) -> Any:  # noqa: ANN401
        """A column of all rows that wait."""
        name, waiting = field.name, self._waiting
        if waiting and name in waiting[0][0]:
            words = list(dict.fromkeys(labels[name] for labels, _, _ in waiting))
            number = {word: place for place, word in enumerate(words)}
            numbers = np.array([number[labels[name]] for labels, _, _ in waiting], np.int32)
            codes = np.repeat(numbers, [count for _, _, count in waiting])
            return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string()))
        parts = [columns[name] for _, columns, _ in waiting]
        is_array = bool(parts) and all(isinstance(part, np.ndarray) for part in parts)
        values = np.concatenate(parts) if is_array else [value for part in parts for value in part]
        return pa.array(values, field.type, from_pandas=False)


def write_runs(path: Path, runs: Any) -> WrittenTable:  # noqa: ANN401
    """Writes rows of the table ``runs``."""
    schema = SCHEMAS["runs"]
    with pq.ParquetWriter(path, schema, **_options(schema)) as writer:
        writer.write_table(runs.cast(schema), row_group_size=GROUP)
    return WrittenTable(path, len(runs))


def plain_type(kind: Any) -> Any:  # noqa: ANN401
    """The type of the values of a dictionary, or the type itself."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


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
