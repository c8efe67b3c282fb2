"""What a server of TensorBoard's service lists: its runs and series, looked at from time to time."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import frozen

from insight_core.plugin import Claim, DataKind, Dialect, EventField, Plugin, Run, SeriesKey, SummaryPlugin
from insight_core.providers.link import Link, Method
from insight_core.rpc.schema import tensorboard_data_pb2 as pb
from insight_core.rpc.schema.services import TENSORBOARD

_SERVICE = f"/{TENSORBOARD}"
PLUGINS = Method(f"{_SERVICE}/ListPlugins", pb.ListPluginsResponse.FromString)
_RUNS = Method(f"{_SERVICE}/ListRuns", bytes)

_SIMPLE_VALUE = EventField(Dialect.TENSORBOARD, "simple_value")
_RUN_GRAPH = ("graphs", "__run_graph__")


class Shape(enum.Enum):
    """TensorBoard's three classes of data, each with calls of its own."""

    SCALARS = "Scalars"
    TENSORS = "Tensors"
    BLOBS = "BlobSequences"


_LISTS: Mapping[Shape, tuple[Method[bytes], Callable[..., Any], Any]] = {
    Shape.SCALARS: (Method(f"{_SERVICE}/ListScalars", bytes), pb.ListScalarsRequest, pb.ListScalarsResponse),
    Shape.TENSORS: (Method(f"{_SERVICE}/ListTensors", bytes), pb.ListTensorsRequest, pb.ListTensorsResponse),
    Shape.BLOBS: (
        Method(f"{_SERVICE}/ListBlobSequences", bytes),
        pb.ListBlobSequencesRequest,
        pb.ListBlobSequencesResponse,
    ),
}


@frozen
class Listed:
    """One series as it is listed."""

    plugin: str  # of ours, or the claim when none of ours takes it
    key: SeriesKey
    shape: Shape
    source: str  # TensorBoard's name of its plugin
    run: str  # as the server names it
    claim: Claim
    last_step: int
    last_time: float
    display_name: str
    description: str
    content: bytes
    data_class: int


@frozen
class Listing:
    """One look at everything."""

    runs: Mapping[str, Run]
    series: Mapping[str, Mapping[SeriesKey, Listed]]  # by plugin

    def find(self, plugin: str, key: SeriesKey) -> Listed | None:
        return self.series.get(plugin, {}).get(key)

    def has_all_of(self, other: Listing) -> bool:
        return all(self.series.get(name, {}).keys() >= keys.keys() for name, keys in other.series.items())

    def changed_since(self, other: Listing) -> dict[str, list[SeriesKey]]:
        """Series that are new or other than they were, by plugin."""
        changed: dict[str, list[SeriesKey]] = {}
        for name, listed in self.series.items():
            before = other.series.get(name, {})
            for key, one in listed.items():
                old = before.get(key)
                if old is not one and old != one:
                    changed.setdefault(name, []).append(key)
        return changed


@frozen
class Naming:
    """How the server's plugins and runs are called here.

    Values arrive in the form that TensorBoard gives them, so they belong to the plugin that claims
    that form: its SummaryPlugin, or for the graph of a run and for run metadata the event field.
    """

    claims: Mapping[Claim, Plugin]
    prefix: str = ""  # of every run

    @classmethod
    def of(cls, plugins: Iterable[Plugin], prefix: str = "") -> Naming:
        claims = {claim: p for p in plugins if p.decoder is not None for claim in p.decoder.claims}
        return cls(claims, prefix)

    def run(self, name: str) -> str:
        return "/".join(part for part in (self.prefix, name if name != "." else "") if part) or "."

    def claim(self, source: str, tag: str) -> Claim:
        if (source, tag) == _RUN_GRAPH:
            return EventField(Dialect.TENSORBOARD, "graph_def")
        if source == "graph_tagged_run_metadata":
            return EventField(Dialect.TENSORBOARD, "tagged_run_metadata")
        return SummaryPlugin(source)

    def plugin(self, claim: Claim, shape: Shape) -> str:
        owner = self.claims.get(claim)
        if owner is None and claim == SummaryPlugin("scalars"):
            owner = self.claims.get(_SIMPLE_VALUE)
        if owner is None or owner.decoder is None:
            return str(claim)
        if owner.decoder.kind is DataKind.SCALAR and shape is not Shape.SCALARS:
            return str(claim)  # its values are not numbers
        return str(owner.name)


class Lister:
    """Looks at a server again and again; an answer that came before is not taken apart again."""

    def __init__(self, link: Link, naming: Naming) -> None:
        self._link = link
        self._naming = self._named = naming
        self._runs: tuple[bytes, dict[str, Run]] = (b"", {})
        self._lists: dict[tuple[str, Shape], tuple[bytes, list[Listed]]] = {}

    def rename(self, naming: Naming) -> None:
        """From the next look on, runs and plugins are called so."""
        self._naming = naming

    def look(self) -> Listing:
        if self._named is not self._naming:
            self._named, self._lists = self._naming, {}
        runs = self._link.unary(_RUNS, pb.ListRunsRequest(experiment_id=""))
        if runs != self._runs[0]:
            found = (_run(self._naming, run) for run in pb.ListRunsResponse.FromString(runs).runs)
            self._runs = (runs, {run.name: run for run in found})
        sources = self._link.unary(PLUGINS, pb.ListPluginsRequest(experiment_id=""))
        lists: dict[tuple[str, Shape], tuple[bytes, list[Listed]]] = {}
        for source in sorted(plugin.name for plugin in sources.plugins):
            for shape, (method, request, answer) in _LISTS.items():
                data = self._link.unary(method, request(plugin_filter=pb.PluginFilter(plugin_name=source)))
                known = self._lists.get((source, shape))
                if known is None or known[0] != data:
                    known = (data, list(self._listed(source, shape, answer.FromString(data))))
                lists[source, shape] = known
        self._lists = lists
        series: dict[str, dict[SeriesKey, Listed]] = {}
        for _, listed in lists.values():
            for one in listed:
                series.setdefault(one.plugin, {}).setdefault(one.key, one)
        return Listing(self._runs[1], series)

    def _listed(self, source: str, shape: Shape, answer: Any) -> Iterable[Listed]:  # noqa: ANN401
        for run in answer.runs:
            name = self._naming.run(run.run_name)
            for tag in run.tags:
                claim = self._naming.claim(source, tag.tag_name)
                described = tag.metadata.summary_metadata
                yield Listed(
                    plugin=self._naming.plugin(claim, shape),
                    key=SeriesKey(name, tag.tag_name),
                    shape=shape,
                    source=source,
                    run=run.run_name,
                    claim=claim,
                    last_step=tag.metadata.max_step,
                    last_time=tag.metadata.max_wall_time,
                    display_name=described.display_name,
                    description=described.summary_description,
                    content=described.plugin_data.content,
                    data_class=described.data_class,
                )


def _run(naming: Naming, run: pb.Run) -> Run:
    # NaN and 0 are what servers say that do not know
    known = run.start_time == run.start_time and run.start_time != 0
    return Run(naming.run(run.name), (Dialect.TENSORBOARD,), run.start_time if known else None)
