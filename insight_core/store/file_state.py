"""Everything the store holds of one event file, as plain values: fit to be written down and restored."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import Factory, frozen

from insight_core.api import Claim, Dialect
from insight_core.records.batch import Flaw
from insight_core.records.wire import Metadata
from insight_core.store.column_memory import Column


@frozen(eq=False)
class PartState:
    """What one file gave to one series; ``plugin`` is a claim's text for values that no plugin takes."""

    plugin: str
    tag: str
    claims: tuple[Claim, ...]  # by which the file's values were taken; a column "claims" counts in these
    columns: Mapping[str, Column]  # one-dimensional, equally long, of what is retained; may be read-only
    total: int  # points recorded, retained or not
    ascending: bool  # the steps never go back


@frozen(eq=False)
class FileState:
    """What the store holds of one event file."""

    dialect: Dialect
    start_time: float | None  # smallest wall time seen
    metadata: Mapping[str, Metadata] = Factory(dict)  # by tag
    parts: tuple[PartState, ...] = ()
    refused: Mapping[str, Flaw] = Factory(dict)  # tags that a cache policy or a wrong type kept out
