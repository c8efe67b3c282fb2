"""The change log of a store, and what it holds: series that grew, came together, or disappeared."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

from attrs import define, frozen

from insight_core.change_log import MOST_CHANGES, ChangeLog
from insight_core.plugin import Claim
from insight_core.store.series import Series


@define(eq=False)
class Came:
    """Series that were added together, kept as they are. Never changed: ``frozen`` takes twice as long."""

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


class SeriesLog(ChangeLog):
    """A log of ``Change``."""

    def note_gone(self, tags: Mapping[str, Mapping[str, Collection[str]]]) -> None:
        """Reports that series, by run and plugin, may have disappeared or lost points.

        Earlier changes of the runs are part of this one then, so that nothing refers to data that are gone.
        """
        count = sum(len(names) for plugins in tags.values() for names in plugins.values())
        if count > MOST_CHANGES:
            self.add(None)
            return
        found = {
            (run, plugin): dict.fromkeys(names)
            for run, plugins in tags.items()
            for plugin, names in plugins.items()
        }
        for change in self.forget(lambda change: run_of(change) in tags):
            if isinstance(change, Gone):
                found.setdefault((change.run, change.plugin), {}).update(dict.fromkeys(change.tags))
        gone = [Gone(*place, tuple(names)) for place, names in found.items()]
        self.add(gone, runs=True, gone=True)
