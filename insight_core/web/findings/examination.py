"""What rules see of a run, read once for all of them, and whether it has changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import cast

from attrs import field, frozen

from insight_core.plugin import PluginContext, ReasonKind
from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesField, SeriesKey, SeriesTable, TagRole
from insight_core.plugin.findings import Examined, Needs
from insight_core.tag_roles import roles_of
from insight_core.web.findings.calls import Told

_CHANGING: tuple[SeriesField, ...] = ("points", "last_step", "last_wall_time", "attempts")
_FIELDS: tuple[SeriesField, ...] = (*_CHANGING, "last_value")
_SERIES, _POINTS, _SHORT = 256, 1 << 20, 4096  # of a run that are read together; points of a short one
_NO_DATA_OF_PLUGIN = ReasonKind("no_data_of_plugin", "the plugin {plugin} has no data")
_NO_DATA_OF_PLUGINS = ReasonKind("no_data_of_plugins", "the plugins {plugins} have no data")
_NO_TAG_OF_ROLE = ReasonKind("no_tag_of_role", "no tag has the role {role}")


@frozen(eq=False)
class RunState:
    """The series of a run by plugin, and a value that differs after every change of them."""

    tables: dict[str, SeriesTable] = field(factory=dict)
    parts: dict[str, Hashable] = field(factory=dict)

    def fingerprint(self, plugin: str | None = None) -> int:
        """The value, or that of one plugin; a number, so that very many runs take little memory."""
        return hash(tuple(self.parts.items()) if plugin is None else self.parts.get(plugin))


def states(provider: DataProvider, plugins: Collection[str], runs: Sequence[str]) -> Mapping[str, RunState]:
    """The states of runs by the series of these plugins."""
    found = {run: RunState() for run in runs}
    for plugin in plugins:
        for table in provider.series_tables(plugin, _FIELDS, runs=runs):
            if (state := found.get(table.run)) is not None:
                state.tables[plugin] = table
                state.parts[plugin] = (table.tags, *(tuple(table.column(name)) for name in _CHANGING))
    return found


@cache  # by what is missing: few different ones, which very many runs have in common
def _lacks_data(plugins: tuple[str, ...]) -> Told:
    if len(plugins) == 1:
        return Told(unchecked=_NO_DATA_OF_PLUGIN(plugin=plugins[0]), missing=True)
    return Told(unchecked=_NO_DATA_OF_PLUGINS(plugins=", ".join(plugins)), missing=True)


@cache
def _lacks_role(role: TagRole) -> Told:
    return Told(unchecked=_NO_TAG_OF_ROLE(role=role), missing=True)


class _Roles(Mapping[TagRole, Sequence[str]]):
    """Tags by role, which are found out when a rule asks: thresholds never do."""

    def __init__(self, examination: Examination) -> None:
        self._examination = examination

    @cached_property
    def _found(self) -> Mapping[TagRole, Sequence[str]]:
        one = self._examination
        return roles_of(one.run, one.series().tags, one.given)

    def __getitem__(self, role: TagRole) -> Sequence[str]:
        return self._found[role]

    def __iter__(self) -> Iterator[TagRole]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def no_requests() -> None:
    """Nothing is waited for without a host."""


@frozen(eq=False, slots=False)
class Examination:
    """One examination of a run by rules, and the points that were read for it."""

    provider: DataProvider
    run: str
    scalars: str  # the plugin of scalars
    given: Mapping[str, str]  # roles of tags that replace those of their names
    state_of: Callable[[], RunState]  # asked for when it is needed
    give_way: Callable[[], None] = no_requests
    _read: dict[SeriesKey, ScalarColumns | None] = field(factory=dict, init=False)

    @cached_property
    def state(self) -> RunState:
        """The series of the run."""
        return self.state_of()

    @cached_property
    def _roles(self) -> Mapping[TagRole, Sequence[str]]:
        return _Roles(self)

    def examined(self, ctx: PluginContext) -> Examined:
        """What a rule gets, with the context of its module."""
        return Examined(ctx, (self.run,), self._roles, self.read, self.series)

    def series(self) -> SeriesTable:
        """The scalar series of the run."""
        table = self.state.tables.get(self.scalars)
        return SeriesTable(self.run, (), {}, dict.fromkeys(_FIELDS, ())) if table is None else table

    def read(self, key: SeriesKey) -> ScalarColumns | None:
        """All points of a series, read once for all rules."""
        if key not in self._read:
            self.give_way()
            keys = self._together if key in self._together else [key]
            found = self.provider.scalars(self.scalars, keys)
            self._read.update({one: found.get(one) for one in keys})
        return self._read[key]

    @cached_property
    def _together(self) -> Collection[SeriesKey]:
        """Series that are read by one call: short ones, and those with roles unless they are large."""
        table = self.series()
        if len(table.tags) > _SERIES:
            return ()
        sizes = dict(zip(table.tags, cast("Sequence[int]", table.column("points")), strict=True))
        large = {tag for tags in self._roles.values() for tag in tags}
        if sum([sizes[tag] for tag in large]) > _POINTS:
            large = set()
        return {SeriesKey(self.run, tag) for tag, points in sizes.items() if tag in large or points <= _SHORT}

    def missing(self, needs: Needs) -> Told | None:
        """What the run does not have that a rule needs."""
        for plugin in needs.plugins:
            if not self.state.tables.get(plugin):
                return _lacks_data((plugin,))
        if needs.any_of and not any(self.state.tables.get(plugin) for plugin in needs.any_of):
            return _lacks_data(tuple(needs.any_of))
        for role in needs.roles:
            if not self._roles.get(role):
                return _lacks_role(role)
        return None
