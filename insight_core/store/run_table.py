"""The series of one run by tag and claim, and what else is known of the run and its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from attrs import evolve

from insight_core.formats.batch import Flaw
from insight_core.formats.columns import Columns
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyBlock, AnyColumns, Lost, StoredBlock
from insight_core.formats.wall_times import earliest
from insight_core.plugin import CachePolicy, Claim, FileName
from insight_core.plugin.data import Damage, Run, SeriesInfo, SeriesKey
from insight_core.store.claims import ClaimedBlock, Claims, FileState, Layout
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.held_file import NONE, HeldFile, metadata_of_run, tags_left_out
from insight_core.store.joined_series import JoinedSeries, stretch_after
from insight_core.store.resting import Resting, may_rest
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series
from insight_core.store.sessions import NO_SESSIONS, FileSessions, RunSessions, is_of_add_scalars
from insight_core.store.snapshot import Snapshot
from insight_record.formats.reason import ReasonKind

_FULL = ReasonKind(
    "tag_left_out", "{tag!r} is left out: the cache policy keeps {most} tags of {plugin} a run"
)


class RunTable:
    """The series of one run; not the run table of the page. Guarded by the store's lock.

    The first batches of files with different tags are kept as they are (they rest) until other points arrive.
    """

    __slots__ = ("_claims", "_counting", "_joined", "_made", "_memory", "_refused", "_resting", "_series",
                 "above", "damage", "files", "loading", "metadata", "name", "sessions")  # fmt: skip

    def __init__(self, name: str, claims: Claims, memory: ColumnMemory) -> None:
        self.name = name
        self.files: dict[FileOrder, HeldFile] = {}
        self.metadata: Mapping[str, Metadata] = NONE  # by tag, of all files; replaced, never changed
        self.damage: dict[str, tuple[Damage, ...]] = {}  # by file
        self.loading = True
        self.sessions = NO_SESSIONS  # of its own files
        self.above = NO_SESSIONS  # of the run above
        self._counting = NO_SESSIONS  # that count in this run
        self._claims = claims
        self._memory = memory
        self._resting: list[Resting] = []
        self._made: dict[str, Series] = {}  # series made of resting points, by tag
        self._series: dict[str, tuple[Series, ...]] = {}  # all other series, by tag
        self._joined: JoinedSeries | None = None  # made when series are joined
        self._refused: tuple[Damage, ...] = ()

    def describe(self, order: FileOrder, found: Mapping[str, Metadata]) -> None:
        """Adds the metadata of values of a file. Nothing with these tags may rest."""
        changed = self.files[order].describe(found)
        if changed:
            self._describe({tag: self.metadata.get(tag, self.files[order].metadata[tag]) for tag in changed})

    def _describe(self, first: Mapping[str, Metadata]) -> None:
        """Sets the metadata of tags, by those of their first values."""
        last_contents = self._claims.last_contents
        of_run = {tag: metadata_of_run(tag, each, self.files, last_contents) for tag, each in first.items()}
        self.metadata = {**self.metadata, **of_run}  # a new mapping: blocks that rest have the other one
        for tag in of_run.keys() & self._series.keys():
            for series in self._series[tag]:
                series.metadata = of_run[tag]

    # --- points -----------------------------------------------------------------------------------

    def rest(
        self, order: FileOrder, found: Sequence[ClaimedBlock]
    ) -> tuple[Sequence[ClaimedBlock], Sequence[ClaimedBlock]]:
        """Keeps blocks of a new event file as they are; returns these, and the blocks still to add."""
        may_purge = self._counting.may_purge((order, 0)) or self.files[order].sessions.last
        if may_purge or not self._is_first(found):
            return [], found
        kept: list[ClaimedBlock] = []
        left: list[ClaimedBlock] = []
        for claim, block in found:
            reader = self._claims.reader(claim, block.layout)
            if not reader or not self._may_rest(claim, block, self._claims.policy(reader)):
                left.append((claim, block))
                continue
            self._keep(order, claim, reader, block)
            kept.append((claim, block))
        return kept, left

    def _keep(self, order: FileOrder, claim: Claim, reader: str, block: AnyBlock) -> None:
        if not isinstance(block, StoredBlock):
            columns = self._memory.adopt(self._claims.taken(claim, block.columns).loaded())
            if columns is not block.columns:  # a small view would keep all memory of the scan
                ends, ascending = block.ends.copy(), block.ascending.copy()
                block = evolve(block, columns=columns, ends=ends, ascending=ascending)
        self._resting.append(Resting(self.name, order, claim, reader, block, self.metadata))

    def restore_resting(self, order: FileOrder, file: str, content: FileState) -> Sequence[Resting] | None:
        """Keeps all blocks of a file as they are, and returns all that rests; without effect, and None, if
        one cannot rest, or another file has its tag. The run is complete then.

        Blocks in memory are counted there."""
        known = {*self.metadata, *chain.from_iterable(each.block.tags for each in self._resting)}
        if not self._is_first(content.blocks) or (known and not known.isdisjoint(content.tags())):
            return None
        readers = []
        for claim, block in content.blocks:
            reader = self._claims.reader(claim, block.layout)
            if not reader or not self._may_rest(claim, block, self._claims.policy(reader)):
                return None
            readers.append(reader)
        held = HeldFile(file, content.dialect, content.start_time, content.odd_time, dict(content.metadata))
        held.sessions = FileSessions.restored(content.sessions, has_values=bool(content.blocks))
        self.files[order] = held
        if self.metadata or any(metadata.last is not None for metadata in held.metadata.values()):
            self._describe(held.metadata)
        else:
            self.metadata = held.metadata
        for (claim, block), reader in zip(content.blocks, readers, strict=True):
            self._resting.append(Resting(self.name, order, claim, reader, block, self.metadata))
        self.update_sessions()
        return self._resting

    def _is_first(self, found: Sequence[ClaimedBlock]) -> bool:
        """Whether all points of event files rest, and each tag of the blocks is in one of them."""
        if any(not isinstance(one.claim, FileName) for several in self._series.values() for one in several):
            return False
        # otherwise a tag has several claims, or its values change their form
        return len(found) < 2 or len({tag for _, block in found for tag in block.tags}) == sum(
            len(block.tags) for _, block in found
        )

    def _may_rest(self, claim: Claim, block: AnyBlock, policy: CachePolicy) -> bool:
        takes_numbers = claim in self._claims.numbers
        is_alone = not self._series or self._series.keys().isdisjoint(block.tags)
        return is_alone and may_rest(block, policy, takes_numbers=takes_numbers)

    def make_series_for(self, order: FileOrder, tags: Iterable[str]) -> None:
        """Makes a ``Series`` of everything that rests, unless the file had no values before these tags, which
        no other file has."""
        rest, sessions = self._resting, self.files[order].sessions
        is_new = not (sessions.has_values or sessions.last)
        if rest and (not is_new or any(not tag or tag in one.places for tag in tags for one in rest)):
            self.make_series()

    def make_series(self) -> None:
        """Makes a ``Series`` of everything that rests, so that it can change."""
        made = [
            (tag, self._made_of(tag, resting, place))
            for resting in self._resting
            for place, tag in enumerate(resting.block.tags)
        ]
        for tag, series in made:  # not before all are made, which may raise Lost
            self._series[tag] = (*self._series.get(tag, ()), series)
        self._resting, self._made = [], {}

    def _made_of(self, tag: str, resting: Resting, place: int) -> Series:
        series = self._made.get(tag)
        if series is None:
            columns = resting.block.columns_of(place)
            series = self._new(tag, resting.claim, columns.layout)
            series.append((resting.order, 0), columns, ascending=True)
            self._made[tag] = series
        return series

    def _new(self, tag: str, claim: Claim, layout: Layout, plugin: str = "") -> Series:
        policy = self._claims.policy(plugin or self._claims.owner(claim))
        reader = plugin or self._claims.reader(claim, layout)
        key, metadata, counting = SeriesKey(self.name, tag), self.metadata.get(tag), self._counting
        return Series(
            key, claim, layout, policy, self._memory, metadata=metadata, reader=reader, sessions=counting
        )

    def add(
        self, order: FileOrder, claim: Claim, block: AnyBlock, place: int, expected: float = 1.0
    ) -> Series | None:
        """Adds the points of one tag of a block; None if the policy leaves them out."""
        tag, found = block.tags[place], block.columns_of(place)
        columns = self._claims.taken(claim, found)
        series = self._series_of(order, tag, claim, columns.layout, found)
        if series is None:
            return None
        stretch = 0 if block.stretches is None else int(block.stretches[place])
        if block.stretches is None:
            if len(self._series[tag]) > 1:
                stretch = stretch_after(self._series[tag], series, order)
            stretch = max(stretch, self.files[order].sessions.stretch)
        total = None if block.totals is None else int(block.totals[place])
        series.append(
            (order, stretch), columns, expected, total=total, ascending=bool(block.ascending[place])
        )
        return series

    def put(self, order: FileOrder, claim: Claim, tag: str, columns: Columns, plugin: str) -> Series | None:
        """Replaces the record of a claimed file; returns None if the policy of the plugin leaves it out."""
        if any(tag in resting.places for resting in self._resting):
            self.make_series()
        series = self._series_of(order, tag, claim, columns.layout, columns, plugin)
        if series is not None:
            series.drop(order)
            series.append((order, 0), columns)
        return series

    def _series_of(
        self,
        order: FileOrder,
        tag: str,
        claim: Claim,
        layout: Layout,
        found: AnyColumns,
        plugin: str = "",
    ) -> Series | None:
        """The series for the columns ``found``, created on demand; None if the policy allows no more tags."""
        known = self._series.get(tag, ())
        for series in known:
            if series.claim == claim and series.layout == layout and plugin in ("", series.reader):
                break
        else:
            owner = plugin or self._claims.owner(claim)
            most = self._claims.policy(owner).series
            if most and not self._of(owner, known) and self._count(owner) >= most:
                at = int(places[0, 0]) if (places := found.loaded().places) is not None else 0
                self.files[order].refused.setdefault(tag, Flaw(at, _FULL(tag=tag, most=most, plugin=owner)))
                return None
            series = self._new(tag, claim, layout, plugin)
            self._series[tag] = (*known, series)
        if series.metadata is None:
            series.metadata = self.metadata.get(tag)
        return series

    def _count(self, name: str) -> int:
        """The number of tags of a plugin."""
        return sum(bool(self._of(name, several)) for several in self._series.values())

    def drop(self, order: FileOrder) -> None:
        """Removes the points of a file."""
        held = self.files.pop(order, None)
        if held is None:
            return
        gone = [resting.block.tags for resting in self._resting if resting.order == order]
        for tag in chain.from_iterable(gone):
            self._made.pop(tag, None)
        self._resting = [resting for resting in self._resting if resting.order != order]
        with suppress(Lost):  # the file is read again
            self.make_series()
        self._resting, self._made = [], {}
        first: dict[str, Metadata] = {}
        for _, file in sorted(self.files.items()):
            first = {**file.metadata, **first}
        self.metadata = NONE
        self._describe(first)
        for tag, several in list(self._series.items()):
            for series in several:
                series.drop(order)
                series.metadata = self.metadata.get(tag)
            left = tuple(series for series in several if not series.empty)
            if left:
                self._series[tag] = left
            else:
                del self._series[tag]
        self._joined = None
        self.list_refused()

    def update_sessions(self, above: RunSessions | None = None) -> bool:
        """Reads the sessions of all files again, and takes those ``above``; see ``set_sessions``."""
        self.above = self.above if above is None else above
        files = ((order, held.sessions, held.metadata) for order, held in self.files.items())
        return self.set_sessions(RunSessions.of(files))

    def set_sessions(self, own: RunSessions) -> bool:
        """Returns whether points may have become hidden or shown. Raises Lost."""
        counting = self.sessions = own
        if self.above.starts and is_of_add_scalars(self.name, chain.from_iterable(self.tags().values())):
            counting = own.with_above(self.above)
        if counting == self._counting:
            return False
        if any(counting.may_purge((order, 0)) for order in {resting.order for resting in self._resting}):
            self.make_series()
        changed = counting.starts != self._counting.starts
        self._counting = counting
        for several in (*self._series.values(), *((one,) for one in self._made.values())):
            for series in several:
                series.sessions = counting
        self._joined = None
        return changed

    def take_over(self, name: str) -> None:
        """Values that no plugin claimed so far belong to the plugin ``name``."""
        resting = ((each.claim, tag) for each in self._resting for tag in each.block.tags)
        if any(self._claims.owner(self._claims.of_tag(*each)) == name for each in resting):
            self.make_series()
        for tag, several in self._series.items():
            for series in several:
                series.claim = self._claims.of_tag(series.claim, tag)
                if self._claims.owner(series.claim) != name or isinstance(series.claim, FileName):
                    continue
                series.policy = self._claims.policy(name)
                if series.claim in self._claims.numbers and series.layout[0]:
                    series.drop_places()
                series.reader = self._claims.reader(series.claim, series.layout)
        last_contents = self._claims.last_contents
        self._describe({tag: each for tag, each in self.metadata.items() if each.plugin in last_contents})
        self.list_refused()

    # --- queries ----------------------------------------------------------------------------------

    def _of(self, name: str, several: Iterable[Series]) -> list[Series]:
        """The series that a plugin reads as one: all with numbers, or all with positions in the file."""
        found = [one for one in several if one.reader == name]
        if len(found) < 2:
            return found
        which = 0 if found[0].claim in self._claims.numbers else 1
        return [one for one in found if one.layout[which]] or found

    def find(self, name: str, tag: str) -> list[Series]:
        """The series that a plugin reads as one; none, one or several."""
        at = next(((each, each.places[tag]) for each in self._resting if tag in each.places), None)
        return self._of(name, self._series.get(tag, ()) if at is None else (self._made_of(tag, *at),))

    def found(self, name: str, tags: Iterable[str] | None) -> list[Resting | list[Series]]:
        """Series of a plugin, as ``infos`` accepts them: with ``tags``, those and maybe more that rest."""
        found: list[Resting | list[Series]] = [each for each in self._resting if each.reader == name]
        held = [self._series.get(tag, ()) for tag in (self._series if tags is None else dict.fromkeys(tags))]
        found += [several for each in held if (several := self._of(name, each))]
        return found

    def infos(self, name: str, several: list[Series]) -> list[SeriesInfo]:
        """The description of what a plugin reads as one series; of at most one element."""
        if len(several) == 1:
            info = several[0].info()
            return [] if info is None else [info]
        snapshot = self.joined(name, several)
        return [snapshot.info(several[0].key, several[0].metadata)] if len(snapshot) else []

    def joined(self, name: str, several: list[Series]) -> Snapshot:
        """All retained points of several series that a plugin reads as one; kept as stored points are."""
        self._joined = self._joined or JoinedSeries(self._memory)
        return self._joined.of(name, several, self._claims.policy(name), self._counting)

    def tags(self) -> dict[str, list[str]]:
        """The tags of each plugin; values without a plugin count under their claim."""
        found: dict[str, list[str]] = {}
        for resting in self._resting:
            found.setdefault(resting.reader, []).extend(resting.block.tags)
        for tag, several in self._series.items():
            for reader in {one.reader for one in several if one.reader}:
                found.setdefault(reader, []).append(tag)
        return found

    def names(self) -> set[str]:
        """Plugins that have series; values without a plugin count under their claim."""
        names = {resting.reader for resting in self._resting}
        return names | {one.reader for several in self._series.values() for one in several if one.reader}

    def blocks(self, order: FileOrder) -> tuple[list[ClaimedBlock], list[Series]]:
        """Resting blocks of a file, and the series that may have further points of it."""
        resting = [(each.claim, each.block) for each in self._resting if each.order == order]
        return resting, [one for several in self._series.values() for one in several]

    # --- the run ----------------------------------------------------------------------------------

    def as_run(self) -> Run:
        """The public description of the run."""
        dialects = {held.dialect for held in self.files.values() if held.dialect}
        start_time = earliest(held.start_time for held in self.files.values() if held.start_time is not None)
        return Run(self.name, tuple(sorted(dialects)), start_time, self.loading, len(self.all_damage()))

    @property
    def is_empty(self) -> bool:
        """Whether all files of the run were read, and hold neither values nor damage."""
        return not (self.loading or self._resting or self._series or self.all_damage())

    def note_served(self, order: FileOrder, record: int, flaw: Flaw | None) -> bool:
        """See ``HeldFile.note_served``; False if the file has gone."""
        held = self.files.get(order)
        return held is not None and held.note_served(record, flaw)

    def all_damage(self) -> list[Damage]:
        """Damage found while scanning and serving, and tags that are left out."""
        served = (entry for held in self.files.values() for entry in held.damage(self.name))
        return [*chain.from_iterable(self.damage.values()), *served, *self._refused]

    def list_refused(self) -> None:
        """Lists the omitted tags: those that a policy leaves out, and those that are not one number."""
        series = [one for several in self._series.values() for one in several]
        self._refused = tuple(tags_left_out(self.name, self.files, series, self._claims))
