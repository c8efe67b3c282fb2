"""State of one file of a run, and the list of damage with its limit."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import Factory, define

from insight_core.formats.batch import Flaw
from insight_core.formats.event import Metadata
from insight_core.plugin import Damage, Dialect
from insight_core.store.sessions import FileSessions
from insight_record.formats.reason import Reason

MOST_LISTED = 200  # tags of a run that are left out, and damaged records of a file, listed one by one


@define(eq=False)
class HeldFile:
    """State of one file."""

    name: str
    dialect: Dialect | None  # of an event file
    start_time: float | None = None
    metadata: dict[str, Metadata] = Factory(dict)
    refused: dict[str, Flaw] = Factory(dict)  # by tag: values that a cache policy left out
    sessions: FileSessions = Factory(FileSessions)
    served: dict[int, Flaw] = Factory(dict)  # by offset: records found damaged when they were served

    def note_served(self, record: int, flaw: Flaw | None) -> bool:
        """Lists a record as damaged; without a flaw, removes it from the list. Returns False if unchanged."""
        if (record in self.served) == (flaw is not None):
            return False
        if flaw is None:  # the file was repaired in place
            del self.served[record]
        else:
            self.served[record] = flaw
        return True

    def served_damage(self, run: str) -> list[Damage]:
        """The records found damaged when they were served, by offset."""
        flaws = sorted(self.served.values(), key=lambda flaw: flaw.offset)
        more = "more records from here on cannot be read", "more_records"
        return _listed(run, [(self.name, flaw) for flaw in flaws], more)


def tags_left_out(run: str, flaws: Sequence[tuple[str, Flaw]]) -> list[Damage]:
    """The damage of omitted tags: for each the name of its file, and the flaw."""
    return _listed(run, flaws, ("more tags are left out", "more_tags"))


def _listed(run: str, flaws: Sequence[tuple[str, Flaw]], more: tuple[str, str]) -> list[Damage]:
    """One entry for each of the first flaws, and one entry that counts the others."""
    found = [Damage(run, file, each.offset, each.reason, each.skipped) for file, each in flaws]
    if len(found) > MOST_LISTED:
        first, rest = found[MOST_LISTED], found[MOST_LISTED:]
        text, code = more
        text = f"{len(rest)} {text}; only {MOST_LISTED} are listed"
        reason = Reason(text, code, more=len(rest), most=MOST_LISTED)
        skipped = sum(each.skipped for each in rest)
        found[MOST_LISTED:] = [Damage(run, first.file, first.offset, reason, skipped)]
    return found
