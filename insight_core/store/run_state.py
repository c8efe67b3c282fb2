"""What the store holds of a run and of a file, beside columns."""

from __future__ import annotations

from attrs import Factory, define

from insight_core.formats.batch import Flaw
from insight_core.formats.event import Metadata
from insight_core.plugin import Damage, Dialect
from insight_core.store.segment import FileOrder
from insight_core.store.series_table import SeriesTable

MOST_REFUSED = 200  # tags of a run that are listed one by one


@define(eq=False)
class FileHeld:
    """What the store holds of one file, beside columns."""

    name: str
    dialect: Dialect | None  # of an event file
    start_time: float | None = None
    metadata: dict[str, Metadata] = Factory(dict)
    refused: dict[str, Flaw] = Factory(dict)  # by tag: what a cache policy or a wrong type kept out


@define(eq=False)
class RunState:
    """What the store holds of one run."""

    series: SeriesTable
    files: dict[FileOrder, FileHeld] = Factory(dict)
    metadata: dict[str, Metadata] = Factory(dict)  # by tag, of all files
    damage: dict[str, tuple[Damage, ...]] = Factory(dict)  # by file
    refused: tuple[Damage, ...] = ()
    loading: bool = True

    def start_time(self) -> float | None:
        """Smallest wall time seen."""
        return min(
            (held.start_time for held in self.files.values() if held.start_time is not None), default=None
        )

    def list_refused(self, run: str) -> None:
        """The first tags that were refused one by one; of further ones, how many there are."""
        listed: dict[str, Damage] = {}
        for _, held in sorted(self.files.items()):
            for tag, flaw in held.refused.items():
                if tag not in listed:
                    listed[tag] = Damage(run, held.name, flaw.offset, flaw.reason)
        named = tuple(listed.values())
        if len(named) > MOST_REFUSED:
            reason = f"{len(named) - MOST_REFUSED} more tags are left out; only {MOST_REFUSED} are listed"
            more = named[MOST_REFUSED]
            named = (*named[:MOST_REFUSED], Damage(run, more.file, more.offset, reason))
        self.refused = named
