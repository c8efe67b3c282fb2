"""The series of one run, by plugin and tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from insight_core.formats.event import Metadata
from insight_core.plugin import CachePolicy, SeriesKey
from insight_core.store.column_memory import ColumnMemory
from insight_core.store.file_state import SeriesGroup
from insight_core.store.resting import RestingGroup
from insight_core.store.retention import keeps_all
from insight_core.store.segment import FileOrder
from insight_core.store.series import Series


def may_rest(policy: CachePolicy) -> bool:
    """Whether every point of the file is retained."""
    return keeps_all(policy) and not policy.series


class SeriesTable:
    """Series by plugin and tag. Guarded by the store's lock.

    Series of the first event file stay in compact groups until ``wake``, which must be called before points
    are added or removed. Series of files that plugins claim by name are always separate objects.
    """

    __slots__ = ("_awake", "_files", "_memory", "_resting", "_run", "came")

    def __init__(self, run: str, memory: ColumnMemory) -> None:
        self._run = run
        self._memory = memory
        self._awake: dict[tuple[str, str], Series] = {}
        self._files: dict[tuple[str, str], Series] = {}
        self._resting: list[RestingGroup] = []
        self.came = 0  # generation in which the groups came; all other series came later

    @property
    def has_no_events(self) -> bool:
        """Whether no event file has a series here."""
        return not self._awake and not self._resting

    def rest(
        self, order: FileOrder, group: SeriesGroup, metadata: Mapping[str, Metadata], policy: CachePolicy
    ) -> None:
        """Stores series of the first event file in compact groups."""
        self._resting.append(RestingGroup(self._run, order, group, metadata, policy, self._memory))

    def wake(self) -> None:
        """Creates ``Series`` objects for all groups, so that they can change."""
        for resting in self._resting:
            plugin = resting.group.plugin
            for tag in resting.group.tags:
                series = resting.series(tag)
                if series is not None:
                    self._awake[(plugin, tag)] = series
        self._resting = []

    def may_rest(self, plugin: str, tags: Iterable[str]) -> bool:
        """Whether no claimed file uses one of the tags."""
        return not self._files or all((plugin, tag) not in self._files for tag in tags)

    def get(self, plugin: str, tag: str) -> Series | None:
        """The series of a plugin under a tag; None if it does not exist."""
        series = self._awake.get((plugin, tag)) or self._files.get((plugin, tag))
        if series is None:
            for resting in self._resting:
                if resting.group.plugin == plugin and (series := resting.series(tag)) is not None:
                    return series
        return series

    def first(self, names: Iterable[str], tag: str) -> Series | None:
        """The series of the first of the plugins that has one under the tag."""
        return next((series for name in names if (series := self.get(name, tag)) is not None), None)

    def of(self, names: Iterable[str]) -> list[RestingGroup | Series]:
        """The series of these plugins, one plugin after the other."""
        found: list[RestingGroup | Series] = []
        for name in names:
            found += [each for each in self._resting if each.group.plugin == name]
            found += [series for series in self.awake() if series.plugin == name]
        return found

    def new(self, plugin: str, tag: str, policy: CachePolicy, *, is_file: bool) -> Series:
        """Makes and holds an empty series; ``is_file``: of a file that a plugin claims by name."""
        series = Series(policy, self._memory, plugin, SeriesKey(self._run, tag))
        (self._files if is_file else self._awake)[(plugin, tag)] = series
        return series

    def wake_of_file(self, plugin: str, tag: str) -> None:
        """Creates ``Series`` objects if one of the groups has a tag of the file."""
        if any(each.group.plugin == plugin and tag in each.group.tags for each in self._resting):
            self.wake()

    def remove(self, series: Series) -> None:
        """Removes a series."""
        place = series.plugin, series.key.tag
        del (self._awake if place in self._awake else self._files)[place]

    def awake(self) -> list[Series]:
        """The series that are ``Series`` objects, not in compact groups."""
        return [*self._awake.values(), *self._files.values()]

    def resting(self, order: FileOrder | None = None) -> list[RestingGroup]:
        """The compact groups of a file, or all."""
        return [each for each in self._resting if order is None or each.order == order]

    def names(self) -> Iterator[tuple[str, Iterable[str]]]:
        """Plugins and tags; a plugin may occur several times."""
        yield from self.names_of_events()
        for plugin, tag in self._files:
            yield plugin, (tag,)

    def names_of_events(self) -> Iterator[tuple[str, Iterable[str]]]:
        """``names`` without claimed files, whose changes are reported separately."""
        for resting in self._resting:
            yield resting.group.plugin, resting.group.tags
        for plugin, tag in self._awake:
            yield plugin, (tag,)

    def release(self) -> None:
        """Frees the series of a removed run."""
        for resting in self._resting:
            resting.release()
        for series in self.awake():
            series.release()
