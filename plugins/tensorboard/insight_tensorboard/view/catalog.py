"""The series of a provider in TensorBoard's order: by plugin, run and tag."""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from attrs import define, frozen

from insight_core.plugin import Claim, InsightError, Unavailable
from insight_core.plugin.data import DataProvider, SeriesField, SeriesInfo, SeriesKey, SeriesTable
from insight_core.plugin.data.tables import runs_with_equal_tags, tags_by_run
from insight_core.plugin.schema import tensorboard_pb2 as tensorboard
from insight_tensorboard.view.translation import (
    TensorBoardKind,
    content_of,
    kind_of,
    says_how_it_is_encoded,
)

_KIND: tuple[SeriesField, ...] = ("claims", "data_class")  # what the kind of a series follows from


@frozen
class SeriesSource:
    """A series of the provider and its plugin there."""

    plugin: str
    info: SeriesInfo


@define
class TensorBoardSeries:
    """A series of TensorBoard: usually one of the provider; several if writers used different forms."""

    kind: TensorBoardKind
    key: SeriesKey
    sources: dict[str, SeriesSource]  # by plugin of the provider
    last_step: int
    last_wall_time: float
    longest: int | None = None  # of blob sequences: max_length, once computed
    metadata: tensorboard.SummaryMetadata | None = None


class Catalog:
    """Follows the provider: knows the kinds of all series, and makes entries of those that are asked for."""

    def __init__(self, provider: DataProvider) -> None:
        self._provider = provider
        self._lock = threading.Lock()
        self._generation: int | None = None
        self._where: dict[TensorBoardKind, dict[str, set[str]]] = {}  # runs by plugin of the provider
        self._is_stale = True  # whether series of ``_where`` may be gone
        self._entries: dict[TensorBoardKind, dict[str, dict[str, TensorBoardSeries]]] = {}  # by run and tag
        self._listed: set[TensorBoardKind] = set()  # kinds of which ``_entries`` has all series

    def kinds(self) -> Collection[TensorBoardKind]:
        """The kinds that have series."""
        with self._lock:
            self._refresh()
            return list(self._where)

    def runs(self) -> Collection[str]:
        """All runs that have series."""
        with self._lock:
            self._refresh()
            return {name for plugins in self._where.values() for runs in plugins.values() for name in runs}

    def entries(
        self, kind: TensorBoardKind, runs: Collection[str] | None, tags: Collection[str] | None
    ) -> Mapping[str, Mapping[str, TensorBoardSeries]]:
        """Series by run and tag, those of the given names only; None: all of them."""
        with self._lock:
            self._refresh()
            if kind not in self._listed:
                self._list(kind, runs, tags)
            held = self._entries.get(kind, {})
            found = {}
            for run in sorted(held) if runs is None else sorted(held.keys() & set(runs)):
                of_run = held[run]
                names = sorted(of_run) if tags is None else sorted(of_run.keys() & set(tags))
                if names:
                    found[run] = {tag: of_run[tag] for tag in names}
            return found

    def metadata(self, entry: TensorBoardSeries) -> tensorboard.SummaryMetadata:
        """The metadata of a series, which are those of its first value."""
        if entry.metadata is None:
            source = next(iter(entry.sources.values()))
            info = source.info
            entry.metadata = _metadata(
                entry.kind, self._content(entry.kind, source), info.display_name, info.description
            )
        return entry.metadata

    def _content(self, kind: TensorBoardKind, source: SeriesSource) -> bytes:
        info = source.info
        claim = next(claim for claim in info.claims if kind_of(claim, info.data_class) == kind)
        if not says_how_it_is_encoded(claim):
            return content_of(claim, info.content)
        try:
            return content_of(claim, info.content, self._provider.payload(source.plugin, info.key, 0))
        except Unavailable:
            raise
        except (InsightError, ValueError):  # reading that value reports the reason
            return content_of(claim, info.content)

    def _refresh(self) -> None:
        changes = None if self._generation is None else self._provider.changes(self._generation)
        generation = self._provider.generation() if changes is None else changes.generation
        if changes is None or changes.series is None:
            self._entries, self._listed, self._is_stale = {}, set(), True
        else:
            self._is_stale |= changes.gone
            for plugin, keys in changes.series.items():
                self._look_at(plugin, set(keys), gone=changes.gone)
        if self._is_stale:
            self._where = {}
            for plugin in sorted(self._provider.plugins()):
                for table in self._provider.series_tables(plugin, _KIND):
                    self._note(plugin, table)
            self._is_stale = False
        self._generation = generation

    def _note(self, plugin: str, table: SeriesTable) -> None:
        """Notes the kinds that a run has."""
        claims, classes = (
            [table.common[field]] if field in table.common else table.columns[field] for field in _KIND
        )
        alike = len(claims) == 1 or len(classes) == 1
        pairs: Any = (
            itertools.product(set(claims), set(classes)) if alike else set(zip(claims, classes, strict=True))
        )
        for pair in pairs:
            for kind in _kinds(*pair):
                self._where.setdefault(kind, {}).setdefault(plugin, set()).add(table.run)

    def _look_at(self, plugin: str, keys: Collection[SeriesKey], *, gone: bool) -> None:
        """Lists changed series again, those that have an entry or whose kind is listed."""
        if gone:
            self._drop(plugin, keys)
        parts = runs_with_equal_tags(tags_by_run(keys))
        infos = (self._provider.series(plugin, runs=runs, tags=tags) for runs, tags in parts)
        for info in itertools.chain.from_iterable(infos):
            for kind in _kinds(info.claims, info.data_class):
                self._where.setdefault(kind, {}).setdefault(plugin, set()).add(info.key.run)
                has_entry = info.key.tag in self._entries.get(kind, {}).get(info.key.run, {})
                if has_entry or kind in self._listed:
                    self._put(kind, SeriesSource(plugin, info))

    def _list(
        self, kind: TensorBoardKind, runs: Collection[str] | None, tags: Collection[str] | None
    ) -> None:
        """Makes entries of these series, or of all of the kind."""
        for plugin in sorted(self._where.get(kind, ())):
            for info in self._provider.series(plugin, runs=runs, tags=tags):
                if kind in _kinds(info.claims, info.data_class):
                    before = self._entries.get(kind, {}).get(info.key.run, {}).get(info.key.tag)
                    source = SeriesSource(plugin, info)
                    if before is None or before.sources.get(plugin) != source:
                        self._put(kind, source)
        if runs is None and tags is None:
            self._listed.add(kind)

    def _drop(self, plugin: str, keys: Iterable[SeriesKey]) -> None:
        for runs in self._entries.values():
            for key in keys:
                tags = runs.get(key.run, {})
                entry = tags.get(key.tag)
                if entry is not None and entry.sources.pop(plugin, None) is not None and not entry.sources:
                    del tags[key.tag]
                    if not tags:
                        del runs[key.run]

    def _put(self, kind: TensorBoardKind, source: SeriesSource) -> None:
        info = source.info
        tags = self._entries.setdefault(kind, {}).setdefault(info.key.run, {})
        before = tags.get(info.key.tag)
        sources = {**before.sources, source.plugin: source} if before else {source.plugin: source}
        infos = [each.info for each in sources.values()]
        ends = max(one.last_step for one in infos), max(one.last_wall_time for one in infos)
        tags[info.key.tag] = TensorBoardSeries(kind, info.key, sources, *ends)


@functools.lru_cache(256)
def _kinds(claims: tuple[Claim, ...], data_class: int) -> frozenset[TensorBoardKind]:
    """The kinds of values with these claims."""
    return frozenset(kind for claim in claims if (kind := kind_of(claim, data_class)) is not None)


@functools.lru_cache(1024)
def _metadata(
    kind: TensorBoardKind, content: bytes, display_name: str, description: str
) -> tensorboard.SummaryMetadata:
    """One message for all series with equal metadata; it is never modified."""
    return tensorboard.SummaryMetadata(
        plugin_data=tensorboard.SummaryMetadata.PluginData(plugin_name=kind.plugin, content=content),
        display_name=display_name,
        summary_description=description,
        data_class=kind.data_class,  # type: ignore[arg-type]
    )
