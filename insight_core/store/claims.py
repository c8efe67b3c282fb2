"""Assigns the values of event files to plugins, by claims and cache policies."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.formats.batch import Flaw, ValueColumns
from insight_core.formats.event import Metadata
from insight_core.plugin import (
    CachePolicy,
    Claim,
    DataKind,
    Dialect,
    EventField,
    FileName,
    Plugin,
    SummaryPlugin,
)
from insight_core.store.column_memory import Column
from insight_core.store.file_state import SeriesGroup

_KEEP_ALL = CachePolicy()
# Events that carry a whole message have no tag: TensorBoard's names for them, and those that MindInsight
# names after the event file.
_EVENT_TAGS = {"graph_def": "__run_graph__", "meta_graph_def": "__meta_graph__"}
_TAGGED_BY_FILE = ("graph_def", "explain")
_NAMED_BY_METADATA = (
    "tensor",
    "metadata",
)  # fields whose values belong to the plugin that the metadata names


@frozen(eq=False)
class Owner:
    """The plugin that gets the values of a claim, and its cache policy."""

    claims: tuple[Claim]
    name: str  # name of the plugin; without a plugin, the claim
    holds_numbers: bool
    policy: CachePolicy


@frozen(eq=False)
class Taken:
    """Values of a batch with the same owner, end to end by tag."""

    owner: Owner
    tags: tuple[str, ...]
    ends: NDArray[np.int64]  # index after the last value of each tag
    ascending: NDArray[np.bool_]  # whether the steps of each tag never decrease
    columns: Mapping[str, Column]  # empty if the owner expects numbers and these values are not
    records: NDArray[np.int64] | None

    def columns_of(self, place: int) -> Mapping[str, Column]:
        """The columns of the tag at this index."""
        first = self.ends[place - 1] if place else 0
        return {name: column[first : self.ends[place]] for name, column in self.columns.items()}

    def offset_of(self, place: int) -> int:
        """File offset of the first record of a tag; 0 if unknown."""
        return 0 if self.records is None else int(self.records[self.ends[place - 1] if place else 0])

    def refusal(self, place: int) -> Flaw:
        """The damage entry of a tag whose values are not numbers."""
        reason = f"{self.tags[place]!r} of plugin {self.owner.name} is not one number"
        return Flaw(self.offset_of(place), reason)

    def group(self) -> SeriesGroup:
        """The same values as a SeriesGroup in which everything is retained."""
        columns = self.columns
        if "records" in columns:
            columns = {**columns, "claims": np.zeros(len(columns["steps"]), np.uint8)}
        return SeriesGroup(
            self.owner.name, self.tags, self.owner.claims, columns, self.ends, None, self.ascending
        )


class Owners:
    """The owner of every value of an event file, including values that no plugin claims."""

    def __init__(self, plugins: Iterable[Plugin], policies: Mapping[str, CachePolicy]) -> None:
        """``policies`` override those of plugins, by name."""
        self._owners: dict[Claim, Owner] = {}
        self._policies = dict(policies)
        for plugin in plugins:
            policy = self._policies.setdefault(plugin.name, plugin.cache)
            for claim in plugin.decoder.claims if plugin.decoder else ():
                if isinstance(claim, FileName):
                    continue  # several plugins may claim it
                scalar = plugin.decoder is not None and plugin.decoder.kind is DataKind.SCALAR
                self._owners[claim] = Owner((claim,), plugin.name, scalar, policy)
        self.number_plugins = frozenset(
            claim.name
            for claim, owner in self._owners.items()  # a policy that limits series needs the offset of each
            if isinstance(claim, SummaryPlugin) and owner.holds_numbers and not owner.policy.series
        )
        facts = [repr((o.claims, o.name, o.holds_numbers)) for o in self._owners.values()]
        kept = ((name, policy.keep, policy.points, policy.series) for name, policy in self._policies.items())
        facts += map(repr, kept)
        self.fingerprint = hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()

    def policy(self, name: str) -> CachePolicy:
        """The cache policy of a plugin; everything is kept for unknown plugins."""
        return self._policies.get(name, _KEEP_ALL)

    def taken(
        self,
        columns: Iterable[ValueColumns],
        dialect: Dialect,
        metadata: Sequence[Mapping[str, Metadata]],
        file: str,
    ) -> list[Taken]:
        """The values of a batch by owner.

        ``file`` is the name of the event file. If a field leaves the owner open, the first metadata of the
        tag decide.
        """
        tensorboard = dialect is Dialect.TENSORBOARD
        event_tags = _EVENT_TAGS if tensorboard else dict.fromkeys(_TAGGED_BY_FILE, file)
        return [
            _taken(self._owner(claim), part, event_tags)
            for found in columns
            for claim, part in _claimed(found, dialect, metadata)
        ]

    def _owner(self, claim: Claim) -> Owner:
        owner = self._owners.get(claim)
        if owner is None:
            name = str(claim)
            owner = self._owners[claim] = Owner((claim,), name, False, self.policy(name))
        return owner


def _claimed(
    found: ValueColumns, dialect: Dialect, metadata: Sequence[Mapping[str, Metadata]]
) -> Iterator[tuple[Claim, ValueColumns]]:
    """Stretches of tags under the same claim."""
    field = _field(dialect, found.field)
    if found.field not in _NAMED_BY_METADATA:
        yield field, found
        return
    plugins = [_plugin_of(tag, metadata) for tag in found.tags]
    if plugins.count(plugins[0]) == len(plugins):
        yield field if plugins[0] is None else SummaryPlugin(plugins[0]), found
        return
    places = range(len(plugins))
    for plugin, stretch in itertools.groupby(places, plugins.__getitem__):
        alike = list(stretch)
        yield field if plugin is None else SummaryPlugin(plugin), _tags_of(found, alike[0], alike[-1] + 1)


@functools.cache
def _field(dialect: Dialect, name: str) -> EventField:
    return EventField(dialect, name)


def _plugin_of(tag: str, metadata: Sequence[Mapping[str, Metadata]]) -> str | None:
    for each in metadata:
        if tag in each:
            return each[tag].plugin
    return None


def _tags_of(found: ValueColumns, first: int, end: int) -> ValueColumns:
    """The values of the tags from ``first`` to before ``end``."""
    start = int(found.ends[first - 1]) if first else 0
    rows = slice(start, int(found.ends[end - 1]))
    return ValueColumns(
        found.tags[first:end],
        found.field,
        found.ends[first:end] - start,
        found.ascending[first:end],
        found.steps[rows],
        found.wall_times[rows],
        None if found.values is None else found.values[rows],
        None if found.records is None else found.records[rows],
        None if found.starts is None else found.starts[rows],
        None if found.sizes is None else found.sizes[rows],
    )


def _taken(owner: Owner, found: ValueColumns, event_tags: Mapping[str, str]) -> Taken:
    tags = found.tags
    if "" in tags:
        tags = tuple(tag or event_tags.get(found.field, "") for tag in tags)
    columns: dict[str, Column] = {"steps": found.steps, "wall_times": found.wall_times}
    if owner.holds_numbers or found.records is None or found.starts is None or found.sizes is None:
        if found.values is None:
            columns = {}
        else:
            columns["values"] = found.values
    else:
        columns |= {"records": found.records, "starts": found.starts, "sizes": found.sizes}
    return Taken(owner, tags, found.ends, found.ascending, columns, found.records)
