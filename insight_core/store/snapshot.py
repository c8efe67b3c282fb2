"""An immutable copy-free snapshot of the points of a series."""

from __future__ import annotations

import bisect
import math

import numpy as np
from attrs import frozen

from insight_core.formats.columns import Columns
from insight_core.formats.event import Metadata
from insight_core.plugin import CachePolicy, Claim
from insight_core.plugin.data import SeriesInfo, SeriesKey
from insight_core.store.attempts import Attempts, find_attempts
from insight_core.store.retention import chosen
from insight_core.store.segment import FileOrder, PartOrder

NUMBERS = (True, False)  # layout of columns of numbers alone
NO_METADATA = Metadata("", "", "")


@frozen(eq=False)
class Snapshot:
    """All retained points of a series in file order. Immutable; arrays are shared, not copied."""

    columns: Columns
    parts: tuple[PartOrder, ...]
    ends: tuple[int, ...]  # index after the last point of each part
    claims: tuple[Claim, ...]  # of each part
    attempts: Attempts
    total: int  # points recorded, retained or not

    def __len__(self) -> int:
        return len(self.columns)

    @property
    def size(self) -> int:
        """Bytes of the columns."""
        return sum([column.nbytes for column in self.columns.arrays()])

    def file_of(self, index: int) -> FileOrder:
        """The file of the point at this index."""
        return self.parts[bisect.bisect_right(self.ends, index)][0]

    def claim_of(self, index: int) -> Claim:
        """The claim of the point at this index."""
        return self.claims[bisect.bisect_right(self.ends, index)]

    def place_of(self, index: int) -> tuple[int, int, int]:
        """Offset of the record of the point at this index, offset and bytes of its payload."""
        assert self.columns.places is not None
        record, start, size = self.columns.places[:, index].tolist()
        return record, start, size

    def info(self, key: SeriesKey, metadata: Metadata | None) -> SeriesInfo:
        """The series without its data."""
        columns, shown = self.columns, self.attempts.visible
        is_hidden = shown is not None and not len(shown)  # whole: all points tell where it was
        first, last = (0, -1) if shown is None or is_hidden else (int(shown[0]), int(shown[-1]))
        latest = last if self.attempts.last < 0 else self.attempts.last
        value = None
        if columns.values is not None and columns.places is None:
            value = math.nan if is_hidden else float(columns.values[latest])
        return described(
            key,
            self.total,
            len(self),
            int(columns.steps[first]),
            int(columns.steps[last]),
            value,
            float(columns.wall_times[last]),
            self.attempts.count,
            metadata,
            tuple(dict.fromkeys(self.claims)),
        )


def snapshot_of(columns: Columns, claim: Claim) -> Snapshot:
    """All points of a series whose files are not known."""
    part = (0.0, ""), 0
    attempts = find_attempts(columns.steps, wall_times=columns.wall_times)
    return Snapshot(columns, (part,), (len(columns),), (claim,), attempts, len(columns))


def retained(policy: CachePolicy, columns: Columns, ends: tuple[int, ...]) -> tuple[Columns, tuple[int, ...]]:
    """The points that the policy keeps; ``ends`` is the index after the last point of each part."""
    kept = chosen(policy, columns)
    if kept is None:
        return columns, ends
    return columns[kept], tuple(np.searchsorted(kept, ends).tolist())


def described(
    key: SeriesKey,
    points: int,
    kept: int,
    first: int,
    last: int,
    last_value: float | None,
    last_wall_time: float,
    attempts: int,
    metadata: Metadata | None,
    claims: tuple[Claim, ...],
) -> SeriesInfo:
    """The series without its data; ``first`` and ``last`` are steps of points that are shown, the other
    ``last`` ones are of the point at ``last``."""
    metadata = metadata or NO_METADATA
    return SeriesInfo(
        key,
        points,
        kept,
        first,
        last,
        last_value,
        last_wall_time,
        attempts,
        metadata.display_name,
        metadata.description,
        claims,
        metadata.content,
        metadata.data_class,
    )
