"""Maps values stored as unclaimed to plugins that were loaded later."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from insight_core.plugin import FileName, Plugin, SeriesInfo, SeriesKey
from insight_core.store.resting import RestingGroup
from insight_core.store.series import Series


class LateClaims:
    """Claims of late plugins. Guarded by the lock of the store."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[str, ...]] = {}  # by plugin
        self._owners: dict[str, str] = {}  # plugins by claim

    def add(self, plugin: Plugin) -> None:
        """Adds the claims of a plugin."""
        claims = plugin.decoder.claims if plugin.decoder else ()
        names = sorted(str(claim) for claim in claims if not isinstance(claim, FileName))
        self._names[plugin.name] = tuple(names)
        self._owners |= dict.fromkeys(names, plugin.name)

    def owner(self, name: str) -> str:
        """The plugin that owns values stored under a name."""
        return self._owners.get(name, name)

    def names(self, plugin: str) -> tuple[str, ...]:
        """Names under which the values of a plugin are stored; the first that has a series counts."""
        return (plugin, *self._names.get(plugin, ()))


def infos_of(found: Iterable[RestingGroup | Series], *, distinct: bool) -> list[SeriesInfo]:
    """Descriptions of the series; ``distinct``: only the first of each key."""
    infos = itertools.chain.from_iterable(each.infos() for each in found)
    if not distinct:
        return list(infos)
    firsts: dict[SeriesKey, SeriesInfo] = {}
    for info in infos:
        firsts.setdefault(info.key, info)
    return list(firsts.values())
