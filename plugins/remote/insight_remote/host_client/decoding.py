"""Answers of a host as the values of ``DataProvider``: runs, tables of series, points, records, claims."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from insight_core.plugin import Claim, Dialect, InsightError, Reason, lab
from insight_core.plugin.data import (
    Changes,
    Damage,
    RecordTable,
    Run,
    ScalarColumns,
    SeriesField,
    SeriesKey,
    SeriesTable,
    XAxis,
)

_TYPES: Mapping[str, np.dtype[Any]] = {"I64": np.dtype("<i8"), "F64": np.dtype("<f8"), "F32": np.dtype("<f4")}
_DIALECTS = {str(dialect): dialect for dialect in Dialect}
_ENCODED_TEXTS = ("claims", "display_name", "description", "content")  # columns of texts in a catalogue


def number_of(value: object) -> float:
    """A number of JSON, which spells NaN and infinities as texts."""
    return float(value)  # type: ignore[arg-type]


def claim_of(text: str) -> Claim:
    """The claim that ``str`` of a claim names; a dialect that this version does not know is TensorBoard's."""
    kind, _, name = text.partition(":")
    known = kind in _DIALECTS or kind in ("plugin", "file")
    return lab.claim_of(text if known else f"{Dialect.TENSORBOARD}:{name}")


def run_of(row: Mapping[str, Any]) -> Run:
    """A row of ``/data/run_table``; dialects that this version does not know are omitted."""
    start = row["start_time"]
    return Run(
        row["name"],
        tuple(_DIALECTS[name] for name in row["dialects"] if name in _DIALECTS),
        None if start is None else number_of(start),
        row["loading"],
        row["damage"],
    )


def damage_of(row: Mapping[str, Any]) -> Damage:
    """An entry of ``/data/damage``."""
    return Damage(row["run"], row["file"], row["offset"], reason_of(row, "reason"), row["skipped"])


def reason_of(row: Mapping[str, Any], name: str) -> Reason:
    """A reason in an answer, whose text is ``name``; see ``Reason.fields``."""
    return Reason(row[name], row.get("code", ""), **row.get("details", {}))


def changes_of(answer: Mapping[str, Any]) -> Changes:
    """The answer of ``/data/changes``."""
    listed = answer["series"]
    series = None
    if listed is not None:
        series = {
            plugin: [SeriesKey(run, tag) for run, tags in runs.items() for tag in tags]
            for plugin, runs in listed.items()
        }
    return Changes(answer["generation"], series, answer["runs"], answer["gone"])


def tables_of_catalog(answer: Mapping[str, Any], fields: Sequence[SeriesField]) -> list[SeriesTable]:
    """The tables of ``/data/catalog``, one for each run."""
    tags = answer["tags"]
    sets = [tuple([tags[place] for place in places]) for places in answer["sets"]]
    columns: dict[str, Any] = {name: _column(name, answer["columns"][name]) for name in fields}
    tables, at = [], 0
    for run, number in zip(answer["runs"], answer["set_of"], strict=True):
        names = sets[number]
        end = at + len(names)
        common = {name: column for name, column in columns.items() if not isinstance(column, list)}
        own = {name: column[at:end] for name, column in columns.items() if isinstance(column, list)}
        tables.append(SeriesTable(run, names, common, own))
        at = end
    return tables


def _column(name: str, column: Any) -> object:  # noqa: ANN401
    """A value for each series as a list, or the one value of all."""
    if name in _ENCODED_TEXTS:
        made: Callable[[Any], object] = _TEXTS.get(name, lambda value: value)
        values = [made(value) for value in column["values"]]
        places = column["of"]
        return [values[place] for place in places] if isinstance(places, list) else _at(values, places)
    if name in ("last_value", "last_wall_time"):
        return [_maybe(value) for value in column] if isinstance(column, list) else _maybe(column)
    return column


def _at(values: Sequence[object], place: int) -> object:
    return values[place] if values else ()


def _maybe(value: object) -> float | None:
    return None if value is None else number_of(value)


_TEXTS: Mapping[str, Callable[[Any], object]] = {
    "claims": lambda values: tuple(map(claim_of, values)),
    "content": base64.b64decode,
}


def tensors_of(body: bytes) -> tuple[dict[str, NDArray[Any]], Mapping[str, str]]:
    """The columns of a safetensors answer without a copy, and its metadata.

    Format: https://github.com/huggingface/safetensors#format. Raises InsightError for an incomplete answer.
    """
    try:
        start = 8 + int.from_bytes(body[:8], "little")
        header = json.loads(body[8:start])
        metadata = header.pop("__metadata__", {})
        columns: dict[str, NDArray[Any]] = {}
        for name, one in header.items():
            dtype, (begin, end) = _TYPES[one["dtype"]], one["data_offsets"]
            columns[name] = np.frombuffer(body, dtype, (end - begin) // dtype.itemsize, start + begin)
    except (ValueError, KeyError, TypeError) as error:
        raise InsightError(f"the answer of the host is not safetensors, or incomplete: {error}") from error
    return columns, metadata


def scalars_of(body: bytes) -> dict[SeriesKey, ScalarColumns]:
    """The series of ``series?format=safetensors`` of the scalar plugin."""
    columns, metadata = tensors_of(body)
    found = {}
    for index, one in enumerate(json.loads(metadata["series"])):
        low, high = one["extent"]
        odd = one["nonfinite"]
        found[SeriesKey(one["run"], one["tag"])] = ScalarColumns(
            columns[f"{index}.steps"],
            columns[f"{index}.wall_times"],
            columns[f"{index}.values"],
            points=one["points"],
            total=one["total"],
            hidden=one["hidden"],
            purged=one.get("purged", 0),
            kept=one["kept"],
            origin=number_of(one["origin"]),
            extent=(number_of(low), number_of(high)),
            restarts=np.array(one["restarts"], np.int64),
            breaks=np.array(one["breaks"], np.int64),
            nonfinite=(odd["nan"], odd["inf"], odd["neg_inf"]),
        )
    return found


def nearest_point(columns: ScalarColumns, axis: XAxis, wanted: float) -> ScalarColumns:
    """The point whose x is nearest, as a query with ``nearest`` gives it; none if no x is finite."""
    x = columns.steps.astype(np.float64) if axis == "step" else columns.wall_times
    if axis == "relative":
        x = x - columns.origin
    distance = np.abs(x - wanted)
    distance[~np.isfinite(distance)] = math.inf
    at = int(np.argmin(distance)) if len(distance) else 0
    stop = at + 1 if len(distance) and math.isfinite(distance[at]) else at
    return evolve(
        columns,
        steps=columns.steps[at:stop],
        wall_times=columns.wall_times[at:stop],
        values=columns.values[at:stop],
        breaks=np.clip(columns.breaks, at, stop) - at,
    )


def records_of(body: bytes) -> RecordTable:
    """The answer of ``records?format=safetensors``."""
    columns, metadata = tensors_of(body)
    described = json.loads(metadata["records"])
    return RecordTable(
        columns["steps"],
        columns["wall_times"],
        columns["sizes"],
        total=described["points"],
        kept=described["kept"],
        hidden=described["hidden"],
        purged=described.get("purged", 0),
    )
