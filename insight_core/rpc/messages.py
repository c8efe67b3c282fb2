"""Converts values of ``insight_core.plugin`` to messages of ``insight.data.v1``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import (
    Changes,
    Claim,
    Damage,
    Dialect,
    EventField,
    FileName,
    InvalidArgument,
    RecordTable,
    Run,
    ScalarColumns,
    ScalarQuery,
    SeriesInfo,
    SeriesKey,
    ShownAttempts,
    SummaryPlugin,
    X,
)
from insight_core.rpc.errors import printable
from insight_core.rpc.schema import insight_data_pb2 as messages
from insight_core.rpc.schema.services import PIECE

COLUMN_PIECE = (
    768 << 10
)  # bytes of a column that go into one message; five such columns are less than a PIECE
DIALECTS = {
    Dialect.TENSORBOARD: messages.DIALECT_TENSORBOARD,
    Dialect.MINDSPORE: messages.DIALECT_MINDSPORE,
}
_X: dict[int, X] = {messages.X_STEP: "step", messages.X_RELATIVE: "relative", messages.X_WALL: "wall"}


def claim_message(claim: Claim) -> messages.Claim:
    """The message of a claim."""
    if isinstance(claim, SummaryPlugin):
        return messages.Claim(summary_plugin=claim.name)
    if isinstance(claim, FileName):
        return messages.Claim(file_name=claim.pattern)
    assert isinstance(claim, EventField)
    field = messages.Claim.EventField(dialect=DIALECTS[claim.dialect], name=claim.name)
    return messages.Claim(event_field=field)


def run_message(run: Run) -> messages.Run:
    """The message of a run."""
    return messages.Run(
        name=run.name,
        dialects=[DIALECTS[dialect] for dialect in run.dialects],
        start_time=run.start_time,
        loading=run.loading,
        damage=run.damage,
    )


def key_message(key: SeriesKey) -> messages.SeriesKey:
    """The message of a series key."""
    return messages.SeriesKey(run=key.run, tag=key.tag)


def series_message(info: SeriesInfo) -> messages.SeriesInfo:
    """The message of a series description."""
    return messages.SeriesInfo(
        key=key_message(info.key),
        points=info.points,
        kept=info.kept,
        first_step=info.first_step,
        last_step=info.last_step,
        last_value=info.last_value,
        last_wall_time=info.last_wall_time,
        attempts=info.attempts,
        display_name=info.display_name,
        description=info.description,
        claims=[claim_message(claim) for claim in info.claims],
        content=info.content,
        data_class=info.data_class,
    )


def damage_message(damage: Damage) -> messages.Damage:
    """The message of a damage entry."""
    return messages.Damage(
        run=damage.run,
        file=printable(damage.file),
        offset=damage.offset,
        reason=printable(damage.reason),
        skipped=damage.skipped,
    )


def changes_message(changes: Changes) -> messages.ChangesResponse:
    """The message of changes."""
    message = messages.ChangesResponse(
        generation=changes.generation, runs=changes.runs, everything=changes.series is None
    )
    for plugin, keys in (changes.series or {}).items():
        message.plugins.add(name=plugin, keys=map(key_message, keys))
    if message.ByteSize() > PIECE:
        return messages.ChangesResponse(generation=changes.generation, runs=changes.runs, everything=True)
    return message


def attempts_of(all_attempts: bool) -> ShownAttempts:
    """The attempts policy of a request."""
    return "all" if all_attempts else "last"


def scalar_query(message: messages.ScalarQuery) -> ScalarQuery:
    """The query of a message. Raises InvalidArgument for an invalid query."""

    def given(name: str) -> float | None:
        return getattr(message, name) if message.HasField(name) else None

    if message.x not in _X:
        raise InvalidArgument(f"there is no x {message.x}")
    if not 0 <= message.smoothing < 1:
        raise InvalidArgument(f"the smoothing {message.smoothing} is not from 0 to below 1")
    if message.HasField("width") and message.width < 1:
        raise InvalidArgument(f"the width {message.width} is not 1 or more")
    return ScalarQuery(
        x=_X[message.x],
        log_x=message.log_x,
        window=(given("window_low"), given("window_high")),
        width=message.width if message.HasField("width") else None,
        smoothing=message.smoothing,
        attempts=attempts_of(message.all_attempts),
        nearest=given("nearest"),
    )


def scalar_parts(index: int, columns: ScalarColumns) -> Iterator[messages.ScalarPart]:
    """The answer for key number ``index`` of a request, in parts of bounded size."""
    nans, positive, negative = columns.nonfinite
    single = columns.values.dtype == np.float32
    summary = messages.ScalarSummary(
        value_type=messages.VALUE_TYPE_FLOAT32 if single else messages.VALUE_TYPE_FLOAT64,
        points=columns.points,
        total=columns.total,
        hidden=columns.hidden,
        kept=columns.kept,
        origin=columns.origin,
        extent_low=columns.extent[0],
        extent_high=columns.extent[1],
        nans=nans,
        positive_infinities=positive,
        negative_infinities=negative,
    )
    named = {
        "steps": column_bytes(columns.steps, "<i8"),
        "wall_times": column_bytes(columns.wall_times, "<f8"),
        "values": column_bytes(columns.values, "<f4" if single else "<f8"),
        "restarts": column_bytes(columns.restarts, "<i8"),
        "breaks": column_bytes(columns.breaks, "<i8"),
    }
    for start in range(0, max(1, *map(len, named.values())), COLUMN_PIECE):
        pieces = {name: column[start : start + COLUMN_PIECE].tobytes() for name, column in named.items()}
        yield messages.ScalarPart(key=index, summary=None if start else summary, **pieces)


def record_parts(table: RecordTable) -> Iterator[messages.RecordsResponse]:
    """A record table in parts of bounded size; the first has the totals."""
    columns = (
        column_bytes(table.steps, "<i8"),
        column_bytes(table.wall_times, "<f8"),
        column_bytes(table.sizes, "<i8"),
    )
    summary = messages.RecordSummary(total=table.total, kept=table.kept, hidden=table.hidden)
    for start in range(0, max(1, len(columns[0])), COLUMN_PIECE):
        steps, wall_times, sizes = (column[start : start + COLUMN_PIECE].tobytes() for column in columns)
        yield messages.RecordsResponse(
            steps=steps, wall_times=wall_times, sizes=sizes, summary=None if start else summary
        )


def column_bytes(
    column: NDArray[np.int64] | NDArray[np.float64] | NDArray[np.float32], form: str
) -> NDArray[np.uint8]:
    """The elements of a column in the byte order of ``form``."""
    return np.ascontiguousarray(column, form).view(np.uint8)
