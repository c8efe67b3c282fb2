"""Describes series without their data."""

from __future__ import annotations

from insight_core.formats.event import Metadata
from insight_core.plugin import Claim, SeriesInfo, SeriesKey

_NO_METADATA = Metadata("", "", "")


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
    metadata = metadata or _NO_METADATA
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
