"""Claims of the values of event files, and which plugin owns each claim."""

from __future__ import annotations

import fnmatch
import functools
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import Factory, define, evolve

from insight_core.formats.batch import Batch, Flaw
from insight_core.formats.columns import Block
from insight_core.formats.event import Metadata
from insight_core.formats.stored_block import AnyBlock, AnyColumns
from insight_core.plugin import CachePolicy, Claim, DataKind, Dialect, EventField, Plugin, SummaryPlugin
from insight_core.store.retention import keeps_all

ClaimedBlock: TypeAlias = tuple[Claim, AnyBlock]
Layout: TypeAlias = tuple[bool, bool]  # see ``Columns.layout``

_KEEP_ALL = CachePolicy()
# Events that carry a whole message have no tag: TensorBoard's names for them, and those that MindInsight
# names after the event file.
_EVENT_TAGS = {"graph_def": "__run_graph__", "meta_graph_def": "__meta_graph__"}
_TAGGED_BY_FILE = ("graph_def", "explain")
_NAMED_BY_METADATA = (
    "tensor",
    "metadata",
)  # fields whose values belong to the plugin that the metadata names


@define(eq=False)
class FileState:
    """What the store holds of one file that is read, as plain values that the index can save and restore.

    Never changed: there is one for each file, and ``frozen`` takes three times as long.
    """

    dialect: Dialect | None  # of an event file
    start_time: float | None  # smallest wall time seen
    metadata: Mapping[str, Metadata] = Factory(dict)  # by tag
    blocks: tuple[ClaimedBlock, ...] = ()
    refused: Mapping[str, Flaw] = Factory(dict)  # tags that a cache policy left out
    limits: Mapping[Claim, str] = Factory(dict)  # under which something was left out
    odd_time: float | None = None  # a wall time that is not in seconds
    sessions: Mapping[int, int] = Factory(dict)  # see ``FileSessions.steps``

    def tags(self) -> set[str]:
        """The tags of its values and metadata."""
        return {*self.metadata, *itertools.chain.from_iterable(block.tags for _, block in self.blocks)}


class Claims:
    """Maps claims to plugins: values are stored by claim, and queries find them through the plugin's claims.

    Plugins may be added at any time, under the store's lock.
    """

    def __init__(self, plugins: Iterable[Plugin], policies: Mapping[str, CachePolicy]) -> None:
        """``policies`` override those of plugins, by name."""
        self._policies = dict(policies)
        self._names: dict[Claim, str] = {}  # names of plugins
        self.numbers: set[Claim] = set()  # claims of plugins that read numbers
        # Summary plugins whose tensors are read as numbers, without their positions in the file. A policy
        # that limits the number of series needs positions: it reports where the first omitted value is.
        self.number_plugins: frozenset[str] = frozenset()
        self.last_contents: set[str] = set()  # summary plugins that say something else with a later value
        # by the claim of the whole field: claims of some of its tags, the longest pattern first
        self._of_tags: dict[Claim, list[tuple[re.Pattern[str], EventField]]] = {}
        for plugin in plugins:
            self.add(plugin)

    def add(self, plugin: Plugin) -> None:
        """Adds the claims of a plugin."""
        self._policies.setdefault(plugin.name, plugin.cache)
        decoder = plugin.decoder
        claims = decoder.claims if decoder else ()
        self._names |= dict.fromkeys(claims, plugin.name)
        for claim in claims:
            if isinstance(claim, EventField) and claim.tags:
                known = self._of_tags.setdefault(whole_field(claim), [])
                known.append((re.compile(fnmatch.translate(claim.tags)), claim))
                known.sort(key=lambda each: _rank(each[1].tags))
        if decoder is not None and decoder.last_content:
            self.last_contents |= {claim.name for claim in claims if isinstance(claim, SummaryPlugin)}
        if decoder is not None and decoder.kind is DataKind.SCALAR:
            self.numbers.update(claims)
            self.number_plugins = frozenset(
                claim.name
                for claim in self.numbers
                if isinstance(claim, SummaryPlugin) and not self.policy(self.owner(claim)).series
            )

    def owner(self, claim: Claim) -> str:
        """The plugin that owns a claim; the text of the claim if no plugin does.

        Not for claims of files, which several plugins may share.
        """
        return self._names.get(claim) or str(claim)

    def of_tag(self, claim: Claim, tag: str) -> Claim:
        """The claim of the values of a tag, given the claim of its field: one of this tag goes before."""
        if not self._of_tags and not (isinstance(claim, EventField) and claim.tags):
            return claim
        whole = whole_field(claim)
        for pattern, narrow in self._of_tags.get(whole, ()):
            if pattern.match(tag):
                return narrow
        return whole

    def of_tags(self, found: Iterable[tuple[Claim, Block]]) -> Iterator[tuple[Claim, Block]]:
        """The same for blocks, which are split where their tags have different claims."""
        for claim, block in found:
            if claim not in self._of_tags:
                yield claim, block
                continue
            claims = [self.of_tag(claim, tag) for tag in block.tags]
            for each, stretch in itertools.groupby(range(len(claims)), claims.__getitem__):
                alike = list(stretch)
                yield each, block.of_tags(alike[0], alike[-1] + 1)

    def policy(self, name: str) -> CachePolicy:
        """The cache policy of a plugin; everything is kept of values that no plugin claims."""
        return self._policies.get(name, _KEEP_ALL)

    def keeps_all(self, name: str) -> bool:
        """Whether the cache policy of a plugin keeps every point of every series."""
        policy = self.policy(name)
        return not policy.series and keeps_all(policy)

    def limit(self, claim: Claim) -> str:
        """The limits of the cache policy for a claim, as text; empty if the policy keeps everything."""
        owner = self.owner(claim)
        policy = self.policy(owner)
        return "" if self.keeps_all(owner) else f"{policy.keep} {policy.points} {policy.series}"

    def limits(self, lossy: set[Claim], *, refused: bool) -> dict[Claim, str]:
        """The limits of the ``lossy`` claims; with ``refused``, also of all claims with a limit of tags."""
        if refused:
            lossy = lossy | {claim for claim, name in self._names.items() if self.policy(name).series}
        return {claim: self.limit(claim) for claim in lossy}

    def reader(self, claim: Claim, layout: tuple[bool, bool]) -> str:
        """The owner of a claim; empty if the owner reads numbers and this layout has no numbers."""
        return "" if not layout[0] and claim in self.numbers else self.owner(claim)

    def taken(self, claim: Claim, columns: AnyColumns) -> AnyColumns:
        """The columns to keep: for a plugin that reads numbers, without the positions in the file."""
        if columns.layout != (True, True) or claim not in self.numbers:
            return columns
        return columns.without_places()

    def fits(self, content: FileState) -> bool:
        """Whether the state saved by another process has everything that this process would keep."""
        for claim, block in content.blocks:  # a loop: a start comes here for each file
            needs_places = isinstance(claim, SummaryPlugin) and claim.name not in self.number_plugins
            if needs_places and not block.layout[1]:
                return False
            of_some = isinstance(claim, EventField) and claim.tags
            if (of_some or claim in self._of_tags) and any(
                self.of_tag(claim, tag) != claim for tag in block.tags
            ):
                return False
        return not content.limits or all(self.limit(claim) == each for claim, each in content.limits.items())


def assign(
    batch: Batch, metadata: Sequence[Mapping[str, Metadata]], file: str
) -> Iterator[tuple[Claim, Block]]:
    """The claim of each block of a batch; a block is split where its tags have different claims.

    ``file`` is the name of the event file. If a field leaves the claim open, the first metadata of the
    tag decide.
    """
    tensorboard = batch.dialect is Dialect.TENSORBOARD
    event_tags = _EVENT_TAGS if tensorboard else dict.fromkeys(_TAGGED_BY_FILE, file)
    for block in batch.blocks:
        field = _field(batch.dialect, block.field)
        if "" in block.tags:
            named = event_tags.get(block.field, "")
            block = evolve(block, tags=tuple(tag or named for tag in block.tags))
        if block.field not in _NAMED_BY_METADATA:
            yield field, block
            continue
        plugins = [_plugin_of(tag, metadata) for tag in block.tags]
        if plugins.count(plugins[0]) == len(plugins):
            yield field if plugins[0] is None else SummaryPlugin(plugins[0]), block
            continue
        for plugin, stretch in itertools.groupby(range(len(plugins)), plugins.__getitem__):
            alike = list(stretch)
            claim = field if plugin is None else SummaryPlugin(plugin)
            yield claim, block.of_tags(alike[0], alike[-1] + 1)


@functools.cache
def _field(dialect: Dialect, name: str) -> EventField:
    return EventField(dialect, name)


def _plugin_of(tag: str, metadata: Sequence[Mapping[str, Metadata]]) -> str | None:
    for each in metadata:
        if tag in each:
            return each[tag].plugin
    return None


def _rank(pattern: str) -> tuple[int, int, str]:
    """Of several patterns that match a tag the one of the smallest rank decides."""
    return -len(pattern), sum(map(pattern.count, "*?[")), pattern


def whole_field(claim: Claim) -> Claim:
    """The claim of all tags of a field; any other claim is returned as it is."""
    return evolve(claim, tags="") if isinstance(claim, EventField) and claim.tags else claim
