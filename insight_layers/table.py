"""The layers of runs: which series belong to one layer and kind."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attrs import define, field, frozen

from insight_core.plugin.data import DataProvider
from insight_layers.names import Kind, Name, scalar_name, values_name


@frozen
class LayerPlugins:
    """The plugins whose series may be about layers."""

    histograms: str
    tensors: str
    scalars: str


@frozen(order=True)
class LayerSource:
    """One series that tells about a layer."""

    plugin: str
    tag: str
    name: Name = field(order=False)
    points: int = field(order=False, default=0)
    is_scalar: bool = field(order=False, default=False)


@frozen
class LayerRow:
    """One row of the map: a layer, and what of it the values are."""

    name: str
    kind: Kind

    @property
    def id(self) -> str:
        """Unique in a map."""
        return f"{self.kind}:{self.name}"


@define
class LayerTable:
    """The layers of some runs, and the series of each; ``Tracks`` brings them into order."""

    layers: list[LayerRow] = field(factory=list)
    sources: dict[str, dict[LayerRow, list[LayerSource]]] = field(factory=dict)  # by run

    @property
    def runs(self) -> list[str]:
        """Those that have layers."""
        return [run for run, found in self.sources.items() if found]

    def of(self, run: str, layer: LayerRow) -> Sequence[LayerSource]:
        """The series of a layer of a run; of histograms and tensors before scalars."""
        return self.sources.get(run, {}).get(layer, ())


def layers_of(data: DataProvider, plugins: LayerPlugins, runs: Collection[str]) -> LayerTable:
    """The layers that these runs record, in histograms, tensors and scalars.

    Where two series of values name the same layer and kind, the second is a row of its own, under its tag.
    """
    table = LayerTable()
    known: dict[LayerRow, None] = {}
    for run in runs:
        table.sources[run] = {}
    for plugin, run, tag, points, name in _named(data, plugins, runs):
        of_run = table.sources.setdefault(run, {})
        layer = LayerRow(name.layer, name.kind)
        before = of_run.get(layer, [])
        if any(one.name.measure == name.measure for one in before):
            layer = LayerRow(tag, name.kind)
            before = of_run.get(layer, [])
        of_run[layer] = [*before, LayerSource(plugin, tag, name, points, plugin == plugins.scalars)]
        known[layer] = None
    table.layers = [*known]
    return table


def has_layers(data: DataProvider, plugins: LayerPlugins, runs: Collection[str]) -> bool:
    """Whether one of these runs records something of a layer."""
    return next(_named(data, plugins, runs), None) is not None


def _named(
    data: DataProvider, plugins: LayerPlugins, runs: Collection[str]
) -> Iterator[tuple[str, str, str, int, Name]]:
    there = set(data.plugins())
    names = {plugins.histograms: values_name, plugins.tensors: values_name, plugins.scalars: scalar_name}
    for plugin, name_of in names.items():
        if plugin not in there:
            continue
        for table in data.series_tables(plugin, ["points"], runs=runs):
            for tag, points in zip(table.tags, table.column("points"), strict=True):
                name = name_of(tag)
                if name is not None:
                    assert isinstance(points, int)
                    yield plugin, table.run, tag, points, name
