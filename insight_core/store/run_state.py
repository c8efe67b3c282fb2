"""State of runs and files in the store: damage, metadata, times."""

from __future__ import annotations

from attrs import Factory, define

from insight_core.formats.batch import Flaw
from insight_core.formats.event import Metadata
from insight_core.plugin import CachePolicy, Damage, Dialect, Run
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series
from insight_core.store.series_table import SeriesTable

MOST_REFUSED = 200  # tags of a run that are listed one by one
MOST_SERVED = 200  # records of a file, found damaged when they were served, that are listed one by one


@define(eq=False)
class FileHeld:
    """State of one file."""

    name: str
    dialect: Dialect | None  # of an event file
    start_time: float | None = None
    metadata: dict[str, Metadata] = Factory(dict)
    refused: dict[str, Flaw] = Factory(dict)  # by tag: values rejected by a cache policy or a wrong type
    served: dict[int, Flaw] = Factory(dict)  # by offset: records found damaged when they were served

    def served_flaws(self) -> list[Flaw]:
        """The first records that were damaged when they were served; of further ones, how many there are."""
        flaws = sorted(self.served.values(), key=lambda flaw: flaw.offset)
        named, more = flaws[:MOST_SERVED], flaws[MOST_SERVED:]
        if more:
            reason = f"{len(more)} more records from here on cannot be read; only {MOST_SERVED} are listed"
            named.append(Flaw(more[0].offset, reason, sum(flaw.skipped for flaw in more)))
        return named


@define(eq=False)
class RunState:
    """State of one run."""

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

    def as_run(self, name: str) -> Run:
        """The public description of the run."""
        dialects = {held.dialect for held in self.files.values() if held.dialect}
        damage = len(self.all_damage(name))
        return Run(name, tuple(sorted(dialects)), self.start_time(), self.loading, damage)

    def series_of(
        self,
        held: FileHeld,
        plugin: str,
        tag: str,
        policy: CachePolicy,
        offset: int,
        *,
        is_file: bool = False,
    ) -> Series | None:
        """The series of a plugin under a tag; None if the policy allows no more series."""
        series = self.series.get(plugin, tag)
        if series is None:
            if policy.series and sum(s.plugin == plugin for s in self.series.awake()) >= policy.series:
                reason = f"{tag!r} is left out: the cache policy keeps {policy.series} tags of {plugin} a run"
                held.refused.setdefault(tag, Flaw(offset, reason))
                return None
            series = self.series.new(plugin, tag, policy, is_file=is_file)
        if series.metadata is None and tag in self.metadata:
            series.metadata = self.metadata[tag]
        return series

    def join_metadata(self) -> None:
        """Combines the metadata of all files again; the first file wins."""
        self.metadata = {}
        for _, held in sorted(self.files.items()):
            self.metadata = {**held.metadata, **self.metadata}

    def note_served(self, order: FileOrder, record: int, flaw: Flaw | None) -> bool:
        """Lists a record as damaged, or, without a flaw, does not any more. Returns whether that is news."""
        held = self.files.get(order)
        if held is None or (record in held.served) == (flaw is not None):
            return False
        if flaw is None:  # the file was repaired in place
            del held.served[record]
        else:
            held.served[record] = flaw
        return True

    def all_damage(self, run: str) -> list[Damage]:
        """Damage found while scanning and serving, and rejected tags."""
        found = [entry for entries in self.damage.values() for entry in entries]
        for held in self.files.values():
            if held.served:
                found += [Damage(run, held.name, f.offset, f.reason, f.skipped) for f in held.served_flaws()]
        return [*found, *self.refused]

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
