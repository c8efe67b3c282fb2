"""Lists the runs and series of a server with TensorBoard's service."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from insight_core.plugin import Claim, DataKind, Dialect, EventField, Plugin, SummaryPlugin
from insight_core.plugin.data import Run, SeriesInfo, SeriesKey
from insight_core.plugin.grpc import Link, Method, services
from insight_core.plugin.grpc import tensorboard_data_pb2 as pb

_SERVICE = f"/{services.TENSORBOARD}"
PLUGINS = Method(f"{_SERVICE}/ListPlugins", pb.ListPluginsResponse.FromString)
_RUNS = Method(f"{_SERVICE}/ListRuns", bytes)

_SIMPLE_VALUE = EventField(Dialect.TENSORBOARD, "simple_value")
_RUN_GRAPH = ("graphs", "__run_graph__")


class Shape(enum.Enum):
    """TensorBoard's three data classes; each has separate RPCs."""

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
    """One series in a listing."""

    plugin: str  # of ours, or the claim when none of ours takes it
    shape: Shape
    source: str  # TensorBoard's name of its plugin
    run: str  # as the server names it
    info: SeriesInfo  # as far as a listing has it: without the number of points

    @property
    def key(self) -> SeriesKey:
        """Run and tag, as this host names them."""
        return self.info.key

    @property
    def claim(self) -> Claim:
        """The claim that fits the form in which the server sends the values."""
        return self.info.claims[0]


@frozen
class Listing:
    """All runs and series of the server at one moment."""

    runs: Mapping[str, Run]
    series: Mapping[str, Mapping[SeriesKey, Listed]]  # by plugin

    def find(self, plugin: str, key: SeriesKey) -> Listed | None:
        """The series of a plugin with this key; None if it is not listed."""
        return self.series.get(plugin, {}).get(key)

    def chosen(
        self, plugin: str, runs: Collection[str] | None, tags: Collection[str] | None
    ) -> Sequence[Listed]:
        """The series of a plugin, all or those of the given runs and tags."""
        series = self.series.get(plugin, {})
        if runs is not None and tags is not None and len(runs) * len(tags) < len(series):
            keys = itertools.product(dict.fromkeys(runs), dict.fromkeys(tags))
            return [one for key in keys if (one := series.get(SeriesKey(*key))) is not None]
        wanted_runs, wanted_tags = (None if names is None else set(names) for names in (runs, tags))
        return [
            one
            for key, one in series.items()
            if (wanted_runs is None or key.run in wanted_runs)
            and (wanted_tags is None or key.tag in wanted_tags)
        ]

    def has_all_of(self, other: Listing) -> bool:
        """Whether every series of ``other`` is listed here."""
        return all(self.series.get(name, {}).keys() >= keys.keys() for name, keys in other.series.items())

    def changed_since(self, other: Listing) -> dict[str, list[SeriesKey]]:
        """Series that are new, changed or gone since ``other``, by plugin."""
        changed: dict[str, list[SeriesKey]] = {}
        for name, listed in self.series.items():
            before = other.series.get(name, {})
            for key, one in listed.items():
                old = before.get(key)
                if old is not one and old != one:
                    changed.setdefault(name, []).append(key)
        for name, before in other.series.items():
            gone = before.keys() - self.series.get(name, {}).keys()
            if gone:
                changed.setdefault(name, []).extend(gone)
        return changed


@frozen
class Naming:
    """Translates the server's plugins and runs to names of this host.

    TensorBoard's service converts values, so a series belongs to the plugin that claims the converted form:
    the SummaryPlugin or, for graphs and run metadata, the event field.
    """

    claims: Mapping[Claim, Plugin]
    prefix: str = ""  # of every run

    @classmethod
    def of(cls, plugins: Iterable[Plugin], prefix: str = "") -> Naming:
        """The naming for these plugins; ``prefix`` is put before the name of every run."""
        claims = {claim: p for p in plugins if p.decoder is not None for claim in p.decoder.claims}
        return cls(claims, prefix)

    def run(self, name: str) -> str:
        """The name of a run, with the prefix."""
        return "/".join(part for part in (self.prefix, name if name != "." else "") if part) or "."

    def claim(self, source: str, tag: str) -> Claim:
        """The claim that fits a series of TensorBoard's plugin ``source``."""
        if (source, tag) == _RUN_GRAPH:
            return EventField(Dialect.TENSORBOARD, "graph_def")
        if source == "graph_tagged_run_metadata":
            return EventField(Dialect.TENSORBOARD, "tagged_run_metadata")
        return SummaryPlugin(source)

    def plugin(self, claim: Claim, shape: Shape) -> str:
        """The plugin that claims the series; the text of the claim if none does."""
        owner = self.claims.get(claim)
        if owner is None and claim == SummaryPlugin("scalars"):
            owner = self.claims.get(_SIMPLE_VALUE)
        if owner is None or owner.decoder is None:
            return str(claim)
        if owner.decoder.kind is DataKind.SCALAR and shape is not Shape.SCALARS:
            return str(claim)  # its values are not numbers
        return str(owner.name)


class Lister:
    """Lists a server repeatedly; unchanged answers are not parsed again."""

    def __init__(self, link: Link, naming: Naming) -> None:
        self._link = link
        self._naming = self._named = naming
        self._runs: tuple[bytes, dict[str, Run]] = (b"", {})
        self._lists: dict[tuple[str, Shape], tuple[bytes, list[Listed]]] = {}

    def rename(self, naming: Naming) -> None:
        """Uses another naming from the next listing on."""
        self._naming = naming

    def look(self) -> Listing:
        """Lists the server now."""
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
                info = SeriesInfo(
                    key=SeriesKey(name, tag.tag_name),
                    points=0,
                    kept=0,
                    first_step=tag.metadata.max_step,
                    last_step=tag.metadata.max_step,
                    last_wall_time=tag.metadata.max_wall_time,
                    display_name=described.display_name,
                    description=described.summary_description,
                    claims=(claim,),
                    content=described.plugin_data.content,
                    data_class=described.data_class,
                )
                yield Listed(self._naming.plugin(claim, shape), shape, source, run.run_name, info)


def _run(naming: Naming, run: pb.Run) -> Run:
    # NaN and 0 are what servers say that do not know
    known = run.start_time == run.start_time and run.start_time != 0
    return Run(naming.run(run.name), (Dialect.TENSORBOARD,), run.start_time if known else None)
