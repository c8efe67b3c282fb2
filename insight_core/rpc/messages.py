"""Converts between values of ``insight_core.plugin`` and messages of ``insight.data.v1``, both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import Any

import numpy as np

from insight_core.plugin import (
    Claim,
    Dialect,
    EventField,
    FileName,
    InvalidArgument,
    Reason,
    SummaryPlugin,
    encode_json,
)
from insight_core.plugin.data import (
    Changes,
    Damage,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesKey,
    ShownAttempts,
    XAxis,
)
from insight_core.rpc.errors import printable
from insight_core.rpc.schema import insight_data_pb2 as messages
from insight_core.rpc.schema.services import PIECE
from insight_record.formats.reason import json_details

# bytes of a column that go into one message; five such columns are less than a PIECE
COLUMN_PIECE = 584 << 10
DIALECTS = {
    Dialect.TENSORBOARD: messages.DIALECT_TENSORBOARD,
    Dialect.MINDSPORE: messages.DIALECT_MINDSPORE,
}
_DIALECTS_BY_NUMBER: dict[int, Dialect] = {number: dialect for dialect, number in DIALECTS.items()}
_X: dict[XAxis, messages.X] = {
    "step": messages.X_STEP,
    "relative": messages.X_RELATIVE,
    "wall": messages.X_WALL,
}
_X_BY_NUMBER: dict[int, XAxis] = {number: x for x, number in _X.items()}


def _copier(*names: str) -> Callable[[object], dict[str, Any]]:
    """Reads fields that a value and its message have in common, under the same names."""
    read = attrgetter(*names)
    return lambda source: dict(zip(names, read(source), strict=True))


_run_fields = _copier("name", "loading", "damage")
_damage_fields = _copier("run", "file", "offset", "skipped")
_scalar_totals = _copier("points", "total", "hidden", "purged", "kept", "origin")
_record_totals = _copier("total", "kept", "hidden", "purged")
_query_fields = _copier("log_x", "smoothing")


def claim_message(claim: Claim) -> messages.Claim:
    """The message of a claim."""
    if isinstance(claim, SummaryPlugin):
        return messages.Claim(summary_plugin=claim.name)
    if isinstance(claim, FileName):
        return messages.Claim(file_name=claim.pattern, step=claim.step, tag=claim.tag)
    assert isinstance(claim, EventField)
    field = messages.Claim.EventField(dialect=DIALECTS[claim.dialect], name=claim.name, tags=claim.tags)
    return messages.Claim(event_field=field)


def claim_of(message: messages.Claim) -> Claim:
    """The claim of a message."""
    kind = message.WhichOneof("kind")
    if kind == "file_name":
        return FileName(message.file_name, step=message.step, tag=message.tag)
    if kind == "event_field":
        dialect = _DIALECTS_BY_NUMBER.get(message.event_field.dialect, Dialect.TENSORBOARD)
        return EventField(dialect, message.event_field.name, message.event_field.tags)
    return SummaryPlugin(message.summary_plugin)


def run_message(run: Run) -> messages.Run:
    """The message of a run."""
    dialects = [DIALECTS[dialect] for dialect in run.dialects]
    return messages.Run(dialects=dialects, start_time=run.start_time, **_run_fields(run))


def run_of(message: messages.Run) -> Run:
    """The run of a message; dialects that this version does not know are omitted."""
    known = (_DIALECTS_BY_NUMBER.get(number) for number in message.dialects)
    return Run(
        dialects=tuple(dialect for dialect in known if dialect is not None),
        start_time=message.start_time if message.HasField("start_time") else None,
        **_run_fields(message),
    )


def key_message(key: SeriesKey) -> messages.SeriesKey:
    """The message of a series key."""
    return messages.SeriesKey(run=key.run, tag=key.tag)


def key_of(message: messages.SeriesKey) -> SeriesKey:
    """The series key of a message."""
    return SeriesKey(message.run, message.tag)


def damage_message(damage: Damage) -> messages.Damage:
    """The message of a damage entry."""
    fields = _damage_fields(damage) | {"file": printable(damage.file), "reason": printable(damage.reason)}
    reason = Reason.of(damage.reason)
    return messages.Damage(**fields, code=reason.code, details=_details_text(reason))


def damage_of(message: messages.Damage) -> Damage:
    """The damage entry of a message."""
    reason = Reason(message.reason, message.code, **_details(message.details))
    return Damage(**_damage_fields(message), reason=reason)


def notice_message(notice: Reason) -> messages.Notice:
    """The message of a notice."""
    return messages.Notice(text=printable(notice), code=notice.code, details=_details_text(notice))


def notice_of(message: messages.Notice) -> Reason:
    """The notice of a message."""
    return Reason(message.text, message.code, **_details(message.details))


def _details_text(reason: Reason) -> str:
    return encode_json(json_details(reason.details)).decode() if reason.details else ""


def _details(text: str) -> dict[str, Any]:
    return json.loads(text) if text else {}


def changes_message(changes: Changes) -> messages.ChangesResponse:
    """The message of changes."""
    message = messages.ChangesResponse(
        generation=changes.generation,
        runs=changes.runs,
        gone=changes.gone,
        everything=changes.series is None,
    )
    for plugin, keys in (changes.series or {}).items():
        message.plugins.add(name=plugin, keys=map(key_message, keys))
    if message.ByteSize() > PIECE:
        del message.plugins[:]
        message.everything = True
    return message


def changes_of(message: messages.ChangesResponse) -> Changes:
    """The changes of a message."""
    series = {plugin.name: list(map(key_of, plugin.keys)) for plugin in message.plugins}
    return Changes(message.generation, None if message.everything else series, message.runs, message.gone)


def attempts_of(all_attempts: bool) -> ShownAttempts:
    """The attempts policy of a request."""
    return "all" if all_attempts else "last"


def query_message(query: ScalarQuery) -> messages.ScalarQuery:
    """The message of a query."""
    low, high = query.window
    return messages.ScalarQuery(
        x=_X[query.x],
        window_low=low,
        window_high=high,
        width=query.width,
        all_attempts=query.attempts == "all",
        nearest=query.nearest,
        **_query_fields(query),
    )


def query_of(message: messages.ScalarQuery) -> ScalarQuery:
    """The query of a message. Raises InvalidArgument for an invalid query."""

    def given(name: str) -> float | None:
        return getattr(message, name) if message.HasField(name) else None

    if message.x not in _X_BY_NUMBER:
        raise InvalidArgument(f"unknown x {message.x}")
    if not 0 <= message.smoothing < 1:
        raise InvalidArgument(f"the smoothing {message.smoothing} is not from 0 to below 1")
    if message.HasField("width") and message.width < 1:
        raise InvalidArgument(f"the width {message.width} is not 1 or more")
    return ScalarQuery(
        x=_X_BY_NUMBER[message.x],
        window=(given("window_low"), given("window_high")),
        width=message.width if message.HasField("width") else None,
        attempts=attempts_of(message.all_attempts),
        nearest=given("nearest"),
        **_query_fields(message),
    )


def scalar_parts(index: int, columns: ScalarColumns) -> Iterator[messages.ScalarPart]:
    """The answer for key number ``index`` of a request, in parts of bounded size."""
    single = columns.values.dtype == np.float32
    low, high = columns.extent
    nans, positive, negative = columns.nonfinite
    summary = messages.ScalarSummary(
        value_type=messages.VALUE_TYPE_FLOAT32 if single else messages.VALUE_TYPE_FLOAT64,
        extent_low=low,
        extent_high=high,
        nans=nans,
        positive_infinities=positive,
        negative_infinities=negative,
        **_scalar_totals(columns),
    )
    forms = {**_SCALAR_FORMS, "values": "<f4" if single else "<f8"}
    for start, pieces in _pieces(columns, forms):
        yield messages.ScalarPart(key=index, summary=None if start else summary, **pieces)


def scalars_of(responses: Iterable[messages.ScalarsResponse]) -> dict[int, ScalarColumns]:
    """The columns of all responses, by the index of their key in the request."""
    summaries: dict[int, messages.ScalarSummary] = {}
    received: dict[int, _Received] = {}
    for response in responses:
        for part in response.parts:
            if part.key not in received:  # the first part of a series has its summary
                summaries[part.key] = messages.ScalarSummary()
                summaries[part.key].CopyFrom(part.summary)
                received[part.key] = _Received((*_SCALAR_FORMS, "values"))
            received[part.key].add(part)
    return {key: _scalars_of(summary, received.pop(key)) for key, summary in summaries.items()}


def _scalars_of(summary: messages.ScalarSummary, received: _Received) -> ScalarColumns:
    single = summary.value_type == messages.VALUE_TYPE_FLOAT32
    return ScalarColumns(
        extent=(summary.extent_low, summary.extent_high),
        nonfinite=(summary.nans, summary.positive_infinities, summary.negative_infinities),
        **_scalar_totals(summary),
        **received.columns({**_SCALAR_FORMS, "values": "<f4" if single else "<f8"}),
    )


def record_parts(table: RecordTable) -> Iterator[messages.RecordsResponse]:
    """A record table in parts of bounded size; the first has the totals."""
    summary = messages.RecordSummary(**_record_totals(table))
    for start, pieces in _pieces(table, _RECORD_FORMS):
        yield messages.RecordsResponse(summary=None if start else summary, **pieces)


def records_of(responses: Iterable[messages.RecordsResponse]) -> RecordTable:
    """The record table of all responses."""
    summary = messages.RecordSummary()
    received = _Received(_RECORD_FORMS)
    for response in responses:
        summary.MergeFrom(response.summary)  # only the first has one
        received.add(response)
    return RecordTable(**received.columns(_RECORD_FORMS), **_record_totals(summary))


# numpy's types of columns, which are little-endian in messages
_SCALAR_FORMS = {"steps": "<i8", "wall_times": "<f8", "restarts": "<i8", "breaks": "<i8"}
_RECORD_FORMS = {"steps": "<i8", "wall_times": "<f8", "sizes": "<i8"}


def _pieces(columns: object, forms: dict[str, str]) -> Iterator[tuple[int, dict[str, bytes]]]:
    """Columns as bytes, in pieces of bounded size; at least one. The number is 0 for the first."""
    whole = {
        name: np.ascontiguousarray(getattr(columns, name), form).view(np.uint8)
        for name, form in forms.items()
    }
    for start in range(0, max(1, *map(len, whole.values())), COLUMN_PIECE):
        yield start, {name: column[start : start + COLUMN_PIECE].tobytes() for name, column in whole.items()}


class _Received:
    """Columns that grow with each message, so that a message can be dropped when the next one arrives."""

    def __init__(self, names: Iterable[str]) -> None:
        self._bytes = {name: bytearray() for name in names}

    def add(self, message: object) -> None:
        for name, column in self._bytes.items():
            column += getattr(message, name)

    def columns(self, forms: dict[str, str]) -> dict[str, Any]:
        return {name: np.frombuffer(self._bytes[name], form) for name, form in forms.items()}
