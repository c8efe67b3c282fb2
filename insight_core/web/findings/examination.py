"""What rules see of a run, read once for all of them, and whether it has changed."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence

from attrs import field, frozen

from insight_core.plugin import PluginContext, Reason, ReasonKind
from insight_core.plugin.data import DataProvider, ScalarColumns, SeriesField, SeriesKey, TagRole
from insight_core.plugin.findings import Examined, Needs

_FIELDS: tuple[SeriesField, ...] = ("points", "last_step", "last_wall_time", "attempts")
_NO_DATA_OF_PLUGIN = ReasonKind("no_data_of_plugin", "there is no data of the plugin {plugin}")
_NO_DATA_OF_PLUGINS = ReasonKind("no_data_of_plugins", "there is no data of the plugins {plugins}")
_NO_TAG_OF_ROLE = ReasonKind("no_tag_of_role", "no tag has the role {role}")


@frozen(eq=False)
class RunState:
    """The tags of a run by plugin, and a value that differs after every change of their series."""

    tags: dict[str, tuple[str, ...]] = field(factory=dict)
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
                state.tags[plugin] = table.tags
                state.parts[plugin] = (table.tags, *(tuple(table.column(name)) for name in _FIELDS))
    return found


@frozen(eq=False)
class Examination:
    """One examination of a run by all rules, and the points that were read for it."""

    provider: DataProvider
    run: str
    scalars: str  # the plugin of scalars
    tags: Mapping[str, tuple[str, ...]]  # by plugin
    roles: Mapping[TagRole, Sequence[str]]  # tags by role
    _read: dict[SeriesKey, ScalarColumns | None] = field(factory=dict, init=False)

    def examined(self, ctx: PluginContext) -> Examined:
        """What a rule gets, with the context of its module."""
        return Examined(ctx, (self.run,), self.roles, self.read)

    def read(self, key: SeriesKey) -> ScalarColumns | None:
        """All points of a series, read once for all rules."""
        if key not in self._read:
            self._read[key] = self.provider.scalars(self.scalars, [key]).get(key)
        return self._read[key]

    def missing(self, needs: Needs) -> Reason | None:
        """What the run does not have that a rule needs."""
        for plugin in needs.plugins:
            if not self.tags.get(plugin):
                return _NO_DATA_OF_PLUGIN(plugin=plugin)
        if needs.any_of and not any(self.tags.get(plugin) for plugin in needs.any_of):
            return _NO_DATA_OF_PLUGINS(plugins=", ".join(needs.any_of))
        for role in needs.roles:
            if not self.roles.get(role):
                return _NO_TAG_OF_ROLE(role=role)
        return None
