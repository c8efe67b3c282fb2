"""Runs without a table of their own: it is made when a client asks for their points, or they change."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from attrs import define, frozen

from insight_core.change_log import MOST_CHANGES
from insight_core.plugin import Claim, Dialect
from insight_core.plugin.data import Run, SeriesField, SeriesTable
from insight_core.plugin.data.tables import joined_table
from insight_core.store.changed_series import Came, SeriesLog
from insight_core.store.claims import Claims, FileState
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.resting import Resting
from insight_core.store.run_table import RunTable
from insight_core.store.segment import FileOrder
from insight_core.store.sessions import RunsBelow, run_above

# what files with the same series have in common; all other fields depend on the points
_SHARED = {"attempts", "claims", "display_name", "description", "content", "data_class"}


class RecalledFile(NamedTuple):
    """A log file as it was read."""

    order: FileOrder
    name: str
    content: FileState


class RecalledFiles(Protocol):
    """Log files of runs with the same series and no damage: of each run the first, maybe with others."""

    @property
    def runs(self) -> Sequence[str]:
        """The runs."""
        ...

    @property
    def start_times(self) -> Sequence[float]:
        """The start of each run in seconds since the epoch; NaN: none."""
        ...

    def opened(self, number: int, *, is_compared: bool) -> Sequence[RecalledFile] | None:
        """The files of the run with this number; no two have a tag in common. Points that are in memory are
        counted there.

        None if one of them cannot be used, or, unless ``is_compared``, if it has changed since.
        """
        ...


class _NoFiles:
    """See ``RecalledFiles``: those of a run of which nothing was read."""

    runs = ()
    start_times = (math.nan,)

    def opened(self, number: int, *, is_compared: bool) -> Sequence[RecalledFile]:
        """See ``RecalledFiles``."""
        return ()


@frozen(eq=False)
class _Alike:
    """Runs with the same series."""

    files: RecalledFiles
    dialects: tuple[Dialect, ...]
    resting: Sequence[Resting]  # of the first run

    def tags(self) -> dict[str, list[str]]:
        """The tags of each plugin."""
        found: dict[str, list[str]] = {}
        for each in self.resting:
            found.setdefault(each.reader, []).extend(each.block.tags)
        return found

    def table(
        self, plugin: str, fields: Collection[SeriesField], tags: Collection[str] | None
    ) -> SeriesTable | None:
        """The series of a plugin in any of the runs, under the name of one of them."""
        parts = [each.table(fields, tags) for each in self.resting if each.reader == plugin]
        parts = [part for part in parts if part.tags]
        return joined_table(parts) if parts else None


@define(eq=False)
class _Place:
    """Where the files of a run are, and whether they were compared and all files of the run are read."""

    alike: _Alike
    number: int
    is_compared: bool = False
    is_loaded: bool = False


_NOTHING = _Alike(_NoFiles(), (), ())


class IndexedRuns:
    """Runs without a ``RunTable``: those of which nothing was read, those that an earlier process read, and
    those with a file that was read together with many others.

    ``make_tables…``, ``recall`` and ``compare`` take the store's lock; for other methods it has to be held.
    """

    def __init__(
        self,
        lock: threading.Lock,
        tables: dict[str, RunTable],
        below: RunsBelow,
        claims: Claims,
        memory: ColumnMemory,
        log: SeriesLog,
    ) -> None:
        """``tables`` gets those of runs that are read in full, ``below`` the runs that are recalled."""
        self._lock, self._tables, self._below = lock, tables, below
        self._claims, self._memory, self._log = claims, memory, log
        self._places: dict[str, _Place] = {}

    def __contains__(self, run: str) -> bool:
        return run in self._places

    # --- the loader's side ------------------------------------------------------------------------

    def add(self, runs: Iterable[str]) -> None:
        """Adds runs of which nothing was read."""
        self._places |= {run: _Place(_NOTHING, 0, is_compared=True) for run in runs}

    def recall(self, groups: Iterable[RecalledFiles]) -> None:
        """Adds runs; those whose series cannot rest are left out."""
        found = [alike for files in groups if (alike := self._alike(files)) is not None]
        with self._lock:
            for alike in found:
                self._places |= {run: _Place(alike, number) for number, run in enumerate(alike.files.runs)}
                self._below.add(alike.files.runs)
            if found:
                self._note_came(found)

    def is_untouched(self, run: str) -> bool:
        """Whether nothing is known of a run, and no session of the run above hides points of it."""
        place = self._places.get(run)
        above = self._tables.get(run_above(run)) if self._tables else None
        return place is not None and place.alike is _NOTHING and (above is None or not above.sessions.starts)

    def place(self, files: RecalledFiles) -> bool:
        """Adds the files of untouched runs; False if their series cannot rest."""
        alike = self._alike(files)
        if alike is None:
            return False
        for number, run in enumerate(files.runs):
            place = self._places[run]
            place.alike, place.number = alike, number
        self._note_came([alike])
        return True

    def _note_came(self, found: Sequence[_Alike]) -> None:
        """Reports the series of runs that came."""
        count = sum(len(alike.files.runs) * len(each.block.tags) for alike in found for each in alike.resting)
        if count > MOST_CHANGES:
            self._log.add_untold()
            return
        came = [
            Came(run, each.claim, each.block.tags)
            for alike in found
            for each in alike.resting
            for run in alike.files.runs
        ]
        self._log.add(came, runs=True)

    def place_of(self, run: str) -> tuple[RecalledFiles, int] | None:
        """The files of a run without a table, and the number of the run there."""
        place = self._places.get(run)
        return None if place is None else (place.alike.files, place.number)

    def _alike(self, files: RecalledFiles) -> _Alike | None:
        table = RunTable(files.runs[0], self._claims, self._memory)
        resting: Sequence[Resting] | None = None
        dialects: set[Dialect] = set()
        for order, name, content in files.opened(0, is_compared=True) or ():
            if content.refused or not self._claims.fits(content):
                return None
            resting = table.restore_resting(order, name, content)
            if resting is None:
                return None
            dialects |= {content.dialect} if content.dialect else set()
        return None if resting is None else _Alike(files, tuple(sorted(dialects)), resting)

    def compare(
        self,
        same: Iterable[str],
        changed: Iterable[str],
        orders: Callable[[str], Collection[FileOrder]],
    ) -> set[str]:
        """See ``Store.compare``."""
        kept: set[str] = set()
        gone: dict[str, Mapping[str, Collection[str]]] = {}
        with self._lock:
            for run in same:
                place, table = self._recalled(run), self._tables.get(run)
                if place is not None:
                    place.is_compared = True
                if place is not None or (table is not None and table.files.keys() >= set(orders(run))):
                    kept.add(run)
            for run in changed:
                table = self._tables.get(run)
                if table is not None:
                    gone[run] = table.tags()
                    for order in orders(run):
                        table.drop(order)
                elif self._recalled(run) is not None:
                    gone[run] = self._make_table(run, None)
            if gone:
                self._log.note_gone(gone)
        return kept

    def _recalled(self, run: str) -> _Place | None:
        """Where the files of a run are; None also if its series cannot rest."""
        place = self._places.get(run)
        return None if place is None or place.alike is _NOTHING else place

    def loaded(self, runs: Iterable[str]) -> bool:
        """Notes that all files of these runs are read; returns whether that is new for one of them."""
        places = [place for run in runs if (place := self._places.get(run)) and not place.is_loaded]
        for place in places:
            place.is_loaded = True
        return bool(places)

    def remove(self, run: str) -> Mapping[str, Collection[str]] | None:
        """Forgets a run; returns the tags that it had by plugin, None if it is another run."""
        place = self._places.pop(run, None)
        return None if place is None else place.alike.tags()

    # --- tables -----------------------------------------------------------------------------------

    def make_tables(self, runs: Iterable[str]) -> None:
        """Makes the tables of those of these runs that are known from the index alone.

        A file that has changed and was not compared yet leaves its run empty, until the loader reads it.
        Files are opened without the lock, because a disk may be slow.
        """
        for run in runs if self._places else ():
            while (place := self._places.get(run)) is not None:
                was_compared = place.is_compared
                files = place.alike.files.opened(place.number, is_compared=was_compared)
                with self._lock:
                    is_current = files is not None or place.is_compared == was_compared
                    if self._places.get(run) is place and is_current:
                        tags = self._make_table(run, files)
                        if files is None:
                            self._log.note_gone({run: tags})

    def make_tables_with(self, plugin: str, runs: Iterable[str] | None, tags: Collection[str] | None) -> None:
        """Makes the tables of runs that have such series of a plugin."""
        with self._lock:
            found = [table.run for table in self.tables(plugin, (), runs, tags)]
        self.make_tables(found)

    def make_tables_below(self, above: str) -> None:
        """Makes the tables of runs whose directories are in that of a run."""
        with self._lock:
            found = [run for run in self._below.of(above) if run in self._places]
        self.make_tables(found)

    def make_tables_claimed(self, claims: Collection[Claim]) -> None:
        """Makes the tables of runs with values of one of these claims."""
        with self._lock:
            runs = self.claimed(claims)
        self.make_tables(runs)

    def claimed(self, claims: Collection[Claim]) -> list[str]:
        """The runs with values of one of these claims."""
        found = {alike for alike in self._groups() if any(each.claim in claims for each in alike.resting)}
        return [run for run, place in self._places.items() if place.alike in found] if found else []

    def _make_table(self, run: str, files: Sequence[RecalledFile] | None) -> Mapping[str, Collection[str]]:
        """Makes the table of a run; returns the tags that it had by plugin."""
        place = self._places.pop(run)
        table = self._tables[run] = RunTable(run, self._claims, self._memory)
        table.loading = not place.is_loaded
        for order, name, content in files or ():
            table.restore_resting(order, name, content)
        above = self._tables.get(run_above(run))
        if above is not None and above is not table and above.sessions.starts:
            table.update_sessions(above.sessions)
        return place.alike.tags()

    # --- queries ----------------------------------------------------------------------------------

    def as_runs(self) -> Iterator[Run]:
        """The public descriptions of the runs."""
        for run, place in self._places.items():
            start_time: float | None = place.alike.files.start_times[place.number]
            if start_time != start_time:  # NaN
                start_time = None
            yield Run(run, place.alike.dialects, start_time, not place.is_loaded, 0)

    def empty(self) -> Iterator[str]:
        """The runs of which all files are read, and hold nothing."""
        groups = {alike for alike in self._groups() if not alike.resting}
        if groups:
            yield from (
                run for run, place in self._places.items() if place.is_loaded and place.alike in groups
            )

    def plugins(self) -> set[str]:
        """Plugins that have series; values without a plugin count under their claim."""
        return {each.reader for alike in self._groups() for each in alike.resting}

    def tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        runs: Iterable[str] | None,
        tags: Collection[str] | None,
    ) -> list[SeriesTable]:
        """Series by run and column; all fields must be shared (``is_shared``)."""
        known: dict[_Alike, SeriesTable | None] = {}
        found: list[SeriesTable] = []
        for run in self._places if runs is None else dict.fromkeys(runs):
            place = self._places.get(run)
            if place is None:
                continue
            if place.alike not in known:
                known[place.alike] = place.alike.table(plugin, fields, tags)
            table = known[place.alike]
            if table is not None:
                found.append(SeriesTable(run, table.tags, table.common, table.columns))
        return found

    def _groups(self) -> set[_Alike]:
        return {place.alike for place in self._places.values()}


def is_shared(fields: Collection[SeriesField]) -> bool:
    """Whether a list of series with these fields needs nothing that depends on points."""
    return _SHARED.issuperset(fields)
