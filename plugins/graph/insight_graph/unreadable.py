"""Why a file cannot be read, in texts of ours: JSON, archives and tables; fields that a file ends within."""

from __future__ import annotations

import csv
import json
import zipfile
import zlib

from attrs import frozen

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.lab import Malformed, varint
from insight_core.plugin.payloads import LENGTH_DELIMITED

ARCHIVE_ERRORS = (zipfile.BadZipFile, OSError, EOFError, RuntimeError, zlib.error)
_JSON_ENDS = ReasonKind("graph_json_ends", "it ends early, in line {line}")
_JSON_NOT_TEXT = ReasonKind("graph_json_not_text", "byte {offset} is not UTF-8")
_NOT_JSON = ReasonKind("graph_not_json", "the model is not valid JSON: {cause}")
EMPTY = Reason("the file is empty", "graph_file_empty")
_FILE_ENDS = ReasonKind("graph_file_ends", "the file ends after {read:,} of at least {size:,} bytes")


def cause_in_json(error: Exception) -> Reason:
    """Of an error of ``json.loads``, or of taking what is read for something that it is not."""
    if isinstance(error, json.JSONDecodeError):
        where = {"line": error.lineno, "column": error.colno}
        if error.pos >= len(error.doc.rstrip()):
            return _JSON_ENDS(line=error.lineno)
        return Reason(f"line {error.lineno}, column {error.colno}: {error.msg}", "graph_json_wrong", **where)
    if isinstance(error, UnicodeDecodeError):
        return _JSON_NOT_TEXT(offset=error.start)
    if isinstance(error, RecursionError):
        return Reason("too many lists in each other", "graph_json_deep")
    if isinstance(error, KeyError):
        return Reason(f"{error.args[0]!r} is missing", "graph_json_missing", name=str(error.args[0]))
    return Reason(f"a value has another form: {error}", "graph_json_form")


def ends_in_line(line: int) -> Reason:
    """Why a text is shown in part: it ends early, in this line."""
    return _JSON_ENDS(line=line)


def not_json(error: Exception) -> ValueError:
    """The error of a model whose text is not JSON."""
    cause = cause_in_json(error)
    return ValueError(_NOT_JSON(cause=cause))


def cause_in_archive(error: Exception) -> Reason:
    """Of an error of ``zipfile``."""
    if isinstance(error, RuntimeError):  # a password, or a compression that is not implemented
        return Reason(f"it is encrypted or compressed in another way: {error}", "graph_zip_method")
    if isinstance(error, zipfile.BadZipFile) and (known := Reason.of(error)).code:
        return known
    return Reason(f"it is damaged: {error}", "graph_zip_damaged")


def cause_in_table(error: csv.Error, line: int) -> Reason:
    """Of an error of ``csv``."""
    return Reason(f"line {line}: {error}", "graph_table_line", line=line)


@frozen
class CutField:
    """A field with its content from ``start`` to ``end``, where the message states that it ends."""

    number: int
    start: int
    end: int


def cut_field(data: bytes, position: int) -> CutField | None:
    """The field that begins at ``position`` and ends beyond the bytes; None for anything else."""
    try:
        key, at = varint(data, position, len(data))
        size, start = varint(data, at, len(data))
    except Malformed:
        return None
    is_cut = key & 7 == LENGTH_DELIMITED and start + size > len(data)
    return CutField(key >> 3, start, start + size) if is_cut else None


def file_ends(read: int, size: int) -> Reason:
    """Why a file is shown in part: it should have ``size`` bytes at least and has ``read``."""
    return _FILE_ENDS(read=read, size=size)
