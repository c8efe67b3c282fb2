"""What the page of the tab gets: a map with its rows, what was read, and the bad layers."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from attrs import evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, NotFound, PluginContext, PluginNameEnum, ReasonKind, Route
from insight_core.plugin.data import DataProvider, compute
from insight_core.plugin.http import (
    Column,
    Reader,
    bytes_response,
    choice,
    safetensors_response,
    text,
    texts,
    whole_number,
)
from insight_health.heat import VIEWS, HeatMap, StepAxis, View, heat_map, union
from insight_layers import (
    EVERY_STEP,
    KINDS,
    MEASURES,
    FlagTrack,
    Kind,
    LayerFault,
    LayerPlugins,
    LayerReader,
    LayerRow,
    LayerTable,
    Measure,
    MeasureTrack,
    ReadSoFar,
    Tracks,
)

LAYER_PLUGINS = LayerPlugins(PluginNameEnum.HISTOGRAM, PluginNameEnum.TENSOR, PluginNameEnum.SCALAR)
MAX_RUNS = 256  # Runs of an answer.
MAX_COLUMNS = 4096
_LAST = (1 << 53) - 1
_COLUMNS = 1024
_MOST_LAYERS = 2000  # rows
_MOST_FAULTS = 200  # that are listed
_MANY_RUNS = ReasonKind("many_runs", "run must name at most {most} runs, not {count}")
_NO_LAYERS = ReasonKind("health_no_layers", "run {run!r} is not among those asked for, or has no layers")
_UNKNOWN_LAYER = ReasonKind("health_unknown_layer", "unknown layer {layer!r}")
MAP_CODES = {400: ("many_runs",), 404: ("health_no_layers", "health_unknown_layer")}
MAP_READS = (  # Of ``/map``: the fields of a ``MapQuestion``.
    texts("run").named("runs"),
    choice("view", VIEWS),
    choice("measure", sorted(MEASURES, key="size".__ne__)),
    choice("kind", ("all", *KINDS)),
    text("rank"),
    text("layer"),
    whole_number("begin", 0, _LAST, 0),
    whole_number("end", 0, _LAST),
    whole_number("columns", 1, MAX_COLUMNS, _COLUMNS),
)


@frozen
class MapQuestion:
    """What the page asks for.

    ``rank`` is the run of a map of layers by steps (None: the extreme one), ``layer`` the id of that of a
    map of ranks (None: all). Columns show the steps of the places from ``begin`` to ``end``.
    """

    runs: Sequence[str]
    view: View
    measure: Measure
    kind: Kind | Literal["all"]
    rank: str | None
    layer: str | None
    begin: int
    end: int | None
    columns: int

    @classmethod
    def of(cls, query: bytes) -> MapQuestion:
        """The question of a query string. Raises InvalidArgument."""
        asked = cls(**Reader.values(MAP_READS, Request({"QUERY_STRING": query.decode("latin1")})))
        if len(asked.runs) > MAX_RUNS:
            raise InvalidArgument(_MANY_RUNS(most=MAX_RUNS, count=len(asked.runs)))
        return evolve(
            asked,
            rank=asked.rank if asked.view == "layers" else None,
            layer=asked.layer if asked.view == "ranks" else None,
        )

    @property
    def is_whole(self) -> bool:
        """Whether all steps are shown."""
        return self.begin == 0 and self.end is None


def map_answer(data: DataProvider, query: bytes) -> Iterator[bytes]:
    """The answer of the route ``/map`` to a query string. Raises InvalidArgument and NotFound."""
    asked = MapQuestion.of(query)
    begun = time.monotonic()
    health = LayerReader.of(data, LAYER_PLUGINS)
    tracks = health.open(asked.runs)
    window = EVERY_STEP if asked.is_whole else _Drawn.of(tracks, asked).axis.window
    reading_begun = time.monotonic()
    read = health.read(tracks, window, seconds=health.patience)
    reading_ended = time.monotonic()
    drawn = _Drawn.of(tracks, asked)
    made = heat_map(tracks, asked.measure, drawn.shown, drawn.runs, asked.view, drawn.axis)
    described = drawn.described(made, read) | _judged(tracks, health.faults(tracks, read))
    sent: dict[str, Column] = {
        "numbers": made.numbers.ravel(),
        "flags": made.flags.ravel(),
        "whose": made.whose.ravel(),
        "firsts": drawn.axis.firsts,
        "lasts": drawn.axis.lasts,
    }
    health.rest = time.monotonic() - begun - (reading_ended - reading_begun)
    yield safetensors_response(sent, "map", described).get_data()


@frozen(eq=False)
class _Drawn:
    """The rows and columns of an answer."""

    tracks: Tracks
    asked: MapQuestion
    runs: Sequence[str]
    choices: Sequence[LayerRow]  # that a map of ranks can be of
    measures: Sequence[Measure]  # that one of the layers has
    rows: Sequence[LayerRow]  # that have the measure
    axis: StepAxis

    @classmethod
    def of(cls, tracks: Tracks, asked: MapQuestion) -> _Drawn:
        """What is shown of the tracks. Raises NotFound for a run or a layer that is not there."""
        runs = tracks.table.runs
        if asked.rank is not None:
            if asked.rank not in runs:
                raise NotFound(_NO_LAYERS(run=asked.rank))
            runs = [asked.rank]
        layers = choices = [layer for layer in tracks.table.layers if asked.kind in ("all", layer.kind)]
        if asked.layer is not None:
            layers = [layer for layer in layers if layer.id == asked.layer]
            if not layers:
                raise NotFound(_UNKNOWN_LAYER(layer=asked.layer))
        having = _having(tracks, runs, layers)
        rows = having.get(asked.measure, [])
        steps = union(_steps_of(tracks, runs, rows[:_MOST_LAYERS], asked.measure))
        axis = StepAxis.of(steps, asked.begin, asked.end, asked.columns)
        return cls(tracks, asked, runs, choices if asked.view == "ranks" else [], [*having], rows, axis)

    @property
    def shown(self) -> Sequence[LayerRow]:
        """The rows, as many as an answer may have."""
        return self.rows[:_MOST_LAYERS]

    def described(self, made: HeatMap, read: ReadSoFar) -> dict[str, object]:
        """What is said of the map as a whole."""
        return {
            "view": self.asked.view,
            "measure": self.asked.measure,
            "layers": [_row(layer) for layer in self.shown],
            "more": len(self.rows) - len(self.shown),
            "choices": [_row(layer) for layer in self.choices[:_MOST_LAYERS]],
            "runs": self.runs,
            "all_runs": self.tracks.table.runs,
            "measures": self.measures,
            "kinds": _kinds(self.tracks.table),
            "steps": len(self.axis.steps),
            "begin": int(self.axis.edges[0]),
            "end": int(self.axis.edges[-1]),
            "columns": made.numbers.shape[1],
            "records": read.records,
            "read": read.read,
            "unreadable": read.unreadable,
        }


def _row(layer: LayerRow) -> dict[str, object]:
    return {"id": layer.id, "name": layer.name, "kind": layer.kind}


def _having(tracks: Tracks, runs: Sequence[str], layers: Sequence[LayerRow]) -> dict[Measure, list[LayerRow]]:
    """The layers that have each measure in one of the runs."""
    return {
        measure: found
        for measure in MEASURES
        if (found := [one for one in layers if any(tracks.has(run, one, measure) for run in runs)])
    }


def _steps_of(
    tracks: Tracks, runs: Sequence[str], layers: Sequence[LayerRow], measure: Measure
) -> Iterator[MeasureTrack | FlagTrack]:
    for run in runs:
        for layer in layers:
            yield from tracks.flags(run, layer)
            if (track := tracks.measure(run, layer, measure)) is not None:
                yield track


def _kinds(table: LayerTable) -> list[dict[str, object]]:
    count: Counter[Kind] = Counter(layer.kind for layer in table.layers)
    return [{"kind": kind, "layers": count[kind]} for kind in KINDS if count[kind]]


def _judged(tracks: Tracks, faults: Sequence[LayerFault]) -> dict[str, object]:
    return {
        "faults": [_fault(tracks, one) for one in faults[:_MOST_FAULTS]],
        "more_faults": max(0, len(faults) - _MOST_FAULTS),
    }


def _fault(tracks: Tracks, one: LayerFault) -> dict[str, object]:
    source = tracks.table.of(one.run, one.layer)[0]
    return {
        "source": {"plugin": source.plugin, "tag": source.tag},
        "run": one.run,
        "layer": one.layer.id,
        "name": one.module if one.fault == "dead" else one.layer.name,
        "kind": one.layer.kind,
        "fault": one.fault,
        "severity": one.severity,
        "step": one.step,
        "last": one.last,
        "value": one.value,
        "usual": one.usual if math.isfinite(one.usual) else None,
        "word": one.word,
        "follows": one.follows,
    }


def routes(ctx: PluginContext) -> Sequence[Route]:
    """The map; records are read while it is asked for."""

    def heat(request: Request) -> Response:
        """Numbers of layers by steps, of ranks by steps, or of layers by ranks; and the bad layers."""
        parts = compute(ctx.data, ctx.name, "map", request.query_string, map_answer)
        answer = bytes_response(b"".join(parts), "application/octet-stream")
        answer.cache_control.no_store = True  # more is read with each request, while the data stay
        return answer

    return [
        Route(
            "/map",
            heat,
            takes_where=True,
            also_reads=MAP_READS,
            answers=["application/octet-stream"],
            codes=MAP_CODES,
        )
    ]
