"""What the change log of a store holds: series that grew, came together, or disappeared."""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

from insight_core.plugin import Claim
from insight_core.store.series import Series


@frozen(eq=False)
class Came:
    """Series that were added together, kept as they are."""

    run: str
    claim: Claim
    tags: tuple[str, ...]


@frozen(eq=False)
class Gone:
    """Series of a plugin that were removed, or lost points."""

    run: str
    plugin: str
    tags: tuple[str, ...]


Change: TypeAlias = Series | Came | Gone


def run_of(change: Change) -> str:
    """The run of a change."""
    return change.key.run if isinstance(change, Series) else change.run
