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

from insight_core.plugin import Claim
from insight_core.plugin.lab import claim_of

GROUP = 131_072  # rows of a row group: what is read for a series that is shorter
_TEXT, _INTEGER, _SMALL, _NUMBER, _TRUTH = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_()


def _columns(kind: pa.DataType, names: str) -> list[tuple[str, pa.DataType]]:
    return [(name, kind) for name in names.split()]


_OF_SERIES = _columns(_TEXT, "run tag plugin")
_ODD = "nan positive_infinite negative_infinite"  # counts of values
_POINT = [("step", _INTEGER), ("wall_time", _NUMBER), ("value", _NUMBER)]
_ATTEMPT = [("attempt", _SMALL), ("shown", _TRUTH)]
_DAMAGE = [("file", _TEXT), ("offset", _INTEGER), ("reason", _TEXT), ("skipped", _INTEGER)]
_FILE = [("key", _TEXT), ("size", _INTEGER), ("sha256", _TEXT), ("footer", _INTEGER), ("rows", _INTEGER)]
SCHEMAS: Mapping[str, pa.Schema] = {
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
            *_columns(_NUMBER, "last_value last_wall_time"),
            ("wall_times_ascend", _TRUTH),
            *_columns(_NUMBER, "least greatest"),
            *_columns(_INTEGER, _ODD),
            ("attempts", _INTEGER),
            ("restarts", pa.list_(_INTEGER)),
            *_columns(_TEXT, "display_name description claims"),
            ("content", pa.binary()),
            ("data_class", _INTEGER),
            ("type", _TEXT),
            *_columns(_INTEGER, "scalars_row levels_row levels_rows records_row"),
        ]
    ),
    "scalars": pa.schema([*_OF_SERIES, *_ATTEMPT, *_POINT]),
    "levels": pa.schema([*_OF_SERIES, ("row", _INTEGER), *_POINT, *_columns(_SMALL, _ODD)]),
    "records": pa.schema(
        [
            *_OF_SERIES,
            *_ATTEMPT,
            *_POINT[:2],
            ("size", _INTEGER),
            *_columns(_TEXT, "claim object"),
            ("copied", _TRUTH),
            *_columns(_INTEGER, "record start"),
        ]
    ),
}
MEASURED = ("run", "tag", "step")  # columns whose least and greatest values are written
DICTIONARIES = {  # columns that are read as dictionaries
    name: [one.name for one in schema if name != "runs" and one.type in (_TEXT, pa.binary())]
    for name, schema in SCHEMAS.items()
}
_BETWEEN = "\n"


@frozen
class LakeObject:
    """An object of a segment: its key, and what is needed to read and to check it."""

    key: str
    size: int  # bytes
    sha256: str
    footer: int = 0  # bytes of the footer of a Parquet file, with its length and magic
    rows: int = 0

    @classmethod
    def of(cls, path: Path, key: str, rows: int = 0) -> LakeObject:
        """The entry of a file that is to be stored under a key."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            file.seek(max(0, size - 8))
            footer = int.from_bytes(file.read(4), "little") + 8 if key.endswith(".parquet") else 0
        return cls(key, size, digest, footer, rows)

    @property
    def table(self) -> str:
        """Its table, or ``payloads``."""
        return self.key.partition("/")[0]


class TableFile:
    """Writes a table of ``SCHEMAS`` in row groups of GROUP rows; the last may be smaller."""

    def __init__(self, path: Path, name: str) -> None:
        self._schema = SCHEMAS[name]
        self._writer = pq.ParquetWriter(path, self._schema, **_options(self._schema))
        self._waiting: list[tuple[Mapping[str, str], Mapping[str, Any], int]] = []  # of the last row group
        self.rows = 0

    def add(self, labels: Mapping[str, str], columns: Mapping[str, Any]) -> int:
        """Appends rows: columns of numpy, or of pyarrow with texts; labels are one for all of the rows.

        Returns the number of the first row.
        """
        first, count, start = self.rows, len(next(iter(columns.values()))), 0
        while start < count:
            stop = min(count, start + GROUP - self.rows % GROUP)
            part = {name: column[start:stop] for name, column in columns.items()}
            self._waiting.append((labels, part, stop - start))
            self.rows += stop - start
            start = stop
            if self.rows % GROUP == 0:
                self._write()
        return first

    def close(self) -> None:
        """Writes the rest."""
        if self._waiting:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        group = pa.table([self._joined(field) for field in self._schema], schema=self._schema)
        self._writer.write_table(group, row_group_size=GROUP)
        self._waiting = []

    def _joined(self, field: pa.Field) -> pa.Array:
        """A column of all rows that wait."""
        labels, columns, counts = zip(*self._waiting, strict=True)
        if field.name in labels[0]:
            words = pa.array([one[field.name] for one in labels], field.type)
            return words.take(np.repeat(np.arange(len(counts)), counts))
        parts = [one[field.name] for one in columns]
        if isinstance(parts[0], np.ndarray):
            return pa.array(np.concatenate(parts), field.type, from_pandas=False)
        return pa.concat_arrays([part.cast(field.type) for part in parts])


def write_table(path: Path, name: str, rows: pa.Table) -> None:
    """Writes a table of ``SCHEMAS`` that is in memory."""
    with pq.ParquetWriter(path, SCHEMAS[name], **_options(SCHEMAS[name])) as writer:
        writer.write_table(rows.cast(SCHEMAS[name]), row_group_size=GROUP)


def _options(schema: pa.Schema) -> dict[str, Any]:
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
