"""Builds ``Changes`` from generations, for the store and for remote providers."""

from __future__ import annotations

from collections.abc import Iterable

from insight_core.plugin import Changes, SeriesKey

_MOST_CHANGES = 2000  # more series than these are reported as "anything may have changed"


def changes_after(
    since: int, generation: int, *, runs: int, everything: int, series: Iterable[tuple[str, SeriesKey]]
) -> Changes:
    """The changes after generation ``since``; ``generation`` is the current one.

    ``runs`` and ``everything`` are the generations at which the run table changed and at which anything may
    have changed; ``series`` are those that changed after ``since``, possibly with duplicates.
    """
    if since < everything or since > generation:
        return Changes(generation, None, True)
    found: dict[str, dict[SeriesKey, None]] = {}
    for count, (plugin, key) in enumerate(series):
        if count == _MOST_CHANGES:
            return Changes(generation, None, runs > since)
        found.setdefault(plugin, {})[key] = None
    return Changes(generation, {plugin: list(keys) for plugin, keys in found.items()}, runs > since)
