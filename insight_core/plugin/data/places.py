"""Which record of a series is meant, and how it is recognised after the series has changed."""

from __future__ import annotations

from attrs import field, frozen

from insight_core.errors import NotFound, Undecodable
from insight_core.plugin.data.provider import DataProvider, RecordTable, SeriesKey, ShownAttempts
from insight_record.formats.reason import Reason, ReasonKind

_UNDECODABLE_RECORD = ReasonKind(
    "undecodable_record", "{tag!r} of run {run!r}, step {step} (record {index}): {cause}"
)


@frozen
class RecordPlace:
    """One record of a series of ``plugin``, identified by index, step, wall time and size.

    ``index`` counts the records that ``attempts`` shows. ``size`` is that of the payload in bytes, -1
    where only reading it would tell.
    """

    plugin: str
    key: SeriesKey
    index: int
    step: int
    wall_time: float = field(eq=repr)  # NaN is NaN
    size: int
    attempts: ShownAttempts = "last"

    def __str__(self) -> str:
        return f"{self.key.tag!r} of run {self.key.run!r}, step {self.step} (record {self.index})"

    def undecodable(self, cause: object) -> Undecodable:
        """The error of this record: ``cause`` is an error or a text, and keeps the code of a ``Reason``."""
        return undecodable(self.key, self.step, self.index, cause)


def undecodable(key: SeriesKey, step: int, index: int, cause: object) -> Undecodable:
    """The error of a record that cannot be read or decoded, with the code ``undecodable_record``."""
    reason = Reason.of(cause)
    return Undecodable(_UNDECODABLE_RECORD(run=key.run, tag=key.tag, step=step, index=index, cause=reason))


def record_at(
    data: DataProvider, plugin: str, key: SeriesKey, index: int, attempts: ShownAttempts = "last"
) -> RecordPlace:
    """Where the record is now. Raises NotFound for a series or an index that does not exist."""
    table = data.records(plugin, key, attempts)
    if not 0 <= index < len(table.steps):
        text = f"{key.tag!r} of run {key.run!r} has no record {index}: there are {len(table.steps)} of them"
        raise NotFound(text, code="record_gone", run=key.run, tag=key.tag, index=index)
    return place_in(table, plugin, key, index, attempts)


def place_in(
    table: RecordTable, plugin: str, key: SeriesKey, index: int, attempts: ShownAttempts = "last"
) -> RecordPlace:
    """The record at an index of a table that was asked for with these attempts."""
    step, size = int(table.steps[index]), int(table.sizes[index])
    wall_time = float(table.wall_times[index]) + 0.0  # there is no -0.0 in what a page sends
    return RecordPlace(plugin, key, index, step, wall_time, size, attempts)
