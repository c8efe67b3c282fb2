"""Decodes layouts of TensorBoard's custom scalars: which charts a user wants to see together.

The message is ``tensorboard/plugins/custom_scalar/layout.proto``; its bytes are the one string of a tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import asdict, evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import InsightError, PluginContext
from insight_core.plugin.data import Payload, SeriesKey
from insight_core.plugin.http import json_response
from insight_core.plugin.payloads import LENGTH_DELIMITED, VARINT, fields, tensor_of

_Message = Mapping[int, list[Any]]
# No plugin claims layouts, so the host has them under their claim.
LAYOUTS = "plugin:custom_scalars"
_MOST_RUNS = 200  # whose layouts are read: runs of one experiment bring the same


@frozen
class Margin:
    """A tag, and the tags of the lower and upper edge of a band around its line."""

    value: str
    lower: str
    upper: str


@frozen
class Chart:
    """Lines of the tags whose beginning a pattern matches (Python's syntax), and of the values of margins.

    ``runs`` are those whose layouts have the chart.
    """

    title: str
    patterns: tuple[str, ...] = ()
    margins: tuple[Margin, ...] = ()
    runs: tuple[str, ...] = ()


@frozen
class LayoutCategory:
    """Charts below one heading; ``closed``: folded at first."""

    title: str
    closed: bool
    charts: tuple[Chart, ...]


def layout_of(payload: Payload) -> tuple[LayoutCategory, ...]:
    """The categories of a layout. Raises ValueError for bytes that are not a tensor of one layout."""
    tensor = tensor_of(payload)
    if tensor.values.dtype != object or tensor.values.size != 1:
        raise ValueError("a layout of custom scalars is a tensor of one string")
    return read_layout(bytes(tensor.values.reshape(-1)[0]))


def read_layout(data: bytes) -> tuple[LayoutCategory, ...]:
    """The categories of an encoded ``Layout``. Raises ValueError for bytes that are not one."""
    return tuple(
        LayoutCategory(
            title=_text(category, 1),
            closed=bool(category.get(3, [0])[-1]),
            charts=tuple(_chart(chart) for chart in _messages(category, 2)),
        )
        for category in _messages(_message(data), 2)
    )


def merged(layouts: Iterable[Iterable[LayoutCategory]]) -> list[LayoutCategory]:
    """The categories of several layouts, each title once, with the charts of all, each once with all runs."""
    found: dict[str, LayoutCategory] = {}
    charts: dict[str, dict[Chart, list[str]]] = {}
    for category in (one for layout in layouts for one in layout):
        found.setdefault(category.title, category)
        own = charts.setdefault(category.title, {})
        for chart in category.charts:
            own.setdefault(evolve(chart, runs=()), []).extend(chart.runs)
    return [
        evolve(one, charts=tuple(evolve(chart, runs=tuple(runs)) for chart, runs in charts[title].items()))
        for title, one in found.items()
    ]


def recorded_by(run: str, categories: Iterable[LayoutCategory]) -> tuple[LayoutCategory, ...]:
    """The categories with the run whose layout they are."""
    return tuple(
        evolve(one, charts=tuple(evolve(chart, runs=(run,)) for chart in dict.fromkeys(one.charts)))
        for one in categories
    )


def _chart(chart: _Message) -> Chart:
    multiline, margin = _messages(chart, 2), _messages(chart, 3)
    patterns = tuple(_decoded(tag) for lines in multiline for tag in lines.get(1, []))
    margins = tuple(
        Margin(value=_text(series, 1), lower=_text(series, 2), upper=_text(series, 3))
        for content in margin
        for series in _messages(content, 1)
    )
    return Chart(_text(chart, 1), patterns, margins)


def _message(data: bytes) -> _Message:
    """The fields of a message by number: bytes, or numbers."""
    found: dict[int, list[Any]] = {}
    for number, kind, start, end, value in fields(data):
        if kind == LENGTH_DELIMITED:
            found.setdefault(number, []).append(data[start:end])
        elif kind == VARINT:
            found.setdefault(number, []).append(value)
    return found


def _messages(message: _Message, number: int) -> list[_Message]:
    return [_message(one) for one in _bytes(message, number)]


def _text(message: _Message, number: int) -> str:
    texts = list(_bytes(message, number))
    return _decoded(texts[-1]) if texts else ""


def _bytes(message: _Message, number: int) -> Iterator[bytes]:
    for one in message.get(number, []):
        if not isinstance(one, bytes):
            raise ValueError(f"field {number} of a layout is a number")
        yield one


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


@frozen
class Layouts:
    """Layouts of TensorBoard's custom scalars in the logs."""

    ctx: PluginContext

    def layouts(self, request: Request) -> Response:
        """The categories of the newest layout of each run, those of one title merged."""
        return json_response({"categories": self.rows(self.found())})

    def found(self) -> list[LayoutCategory]:
        """The categories, as ``layouts`` answers them."""
        keys = [one.key for one in self.ctx.data.series(LAYOUTS)]
        return merged(self._read(key) for key in keys[:_MOST_RUNS])

    @staticmethod
    def rows(categories: Iterable[LayoutCategory]) -> list[dict[str, object]]:
        """Categories for JSON."""
        return [asdict(category) for category in categories]

    def _read(self, key: SeriesKey) -> tuple[LayoutCategory, ...]:
        data = self.ctx.data
        try:
            last = len(data.records(LAYOUTS, key).steps) - 1
            return recorded_by(key.run, layout_of(data.payload(LAYOUTS, key, last))) if last >= 0 else ()
        except (InsightError, ValueError) as error:
            self.ctx.log.warning("the layout of run %s cannot be read: %s", key.run, error)
            return ()
