"""The HTTP side of the tensor plugin."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from attrs import asdict, evolve, frozen
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginContext, Reason, ReasonKind, Route, Undecodable, Values
from insight_core.plugin.data import DataProvider, RecordPlace, RecordTable, place_in
from insight_core.plugin.http import (
    Reader,
    attempts,
    bytes_response,
    choice,
    flag,
    is_pinned,
    json_response,
    record_of,
    records_response,
    safetensors_response,
    series_key,
    text,
    texts,
    whole_number,
)
from insight_core.plugin.lab import (
    RECORDS_READ,
    comparison_route,
    histogram_of,
    histograms_route,
    streamed_tags_response,
)
from insight_core.plugin.payloads import Histogram, Tensor, TensorHeader, tensor_header
from insight_tensor.cells import cells_of, exact, kind_of, npy_parts, npy_size
from insight_tensor.claims import owner_of, summary_plugin, unclaimed
from insight_tensor.slices import SliceError, TensorSlice
from insight_tensor.statistics import statistics_of

MAX_VALUES = 100_000  # of an answer
MAX_HEADERS = 1000
MAX_READ = 256 << 20  # bytes of payloads that these may take, but two steps whatever they take
_HEAD = 1024  # bytes of a payload: what a tensor is stands at its begin
_BUCKETS = 300  # of the values of one step

_LAST_INDEX = (1 << 53) - 1  # the largest whole number that a page holds exactly

_ONE_AT_A_TIME = threading.Semaphore()  # statistics of a large tensor take a processor for a while

_PLACES = re.compile(r"([0-9]{1,15}):([0-9]{1,15})", re.ASCII)

_FORMAT, _SLICE = choice("format", ("json", "safetensors")), text("slice")
_RUNS, _TAG = texts("run"), text("tag", required=True)
_JSON, _BOTH = ("application/json",), ("application/json", "application/octet-stream")
_HEADERS_READ: tuple[Reader[Any], ...] = (
    series_key,
    attempts,
    whole_number("from", 0, _LAST_INDEX, 0),
    whole_number("count", 1, MAX_HEADERS, MAX_HEADERS),
)
Codes: TypeAlias = Mapping[int, Sequence[str]]
View: TypeAlias = Callable[[str, Request], Response]  # who has the series, and the request
_NOT_NPY = ReasonKind(
    "tensor_not_npy", "{place}: strings have no place in .npy files; /values has them as JSON"
)
_NO_HISTOGRAM_OF_TYPE = ReasonKind("no_histogram_of_type", "histograms of {type} values are unsupported")


def routes(ctx: PluginContext[Tensor]) -> Sequence[Route]:
    """Series, headers, values, statistics, histograms and downloads of tensors."""
    views = _Views(ctx, ctx.values, ctx.values.derived(_distribution))
    nobody = histograms_route(ctx.data, "", views.distributions.at)
    compared = comparison_route(ctx.data, "", views.distributions.at)
    place = record_of(ctx.data, "")
    of_series: list[tuple[str, View, Sequence[Reader[Any]], Sequence[str], Codes]] = [
        ("/records", views.records, RECORDS_READ, _BOTH, {}),
        ("/headers", views.headers, _HEADERS_READ, _JSON, {}),
        ("/statistics", views.statistics, [place, _SLICE], _JSON, {}),
        ("/values", views.values, [_FORMAT, place, _SLICE, *_WINDOW], _BOTH, {}),
        ("/histograms", views.histograms, [*nobody.reads, *nobody.also_reads], _BOTH, nobody.codes),
        ("/comparison", views.comparison, [*compared.reads, *compared.also_reads], _BOTH, compared.codes),
        ("/npy", views.npy, [place, _SLICE], ["application/octet-stream"], {400: (_NOT_NPY.code,)}),
    ]
    return [
        Route("/tags", views.tags, reads=[flag("others")], answers=_JSON),
        *(
            Route(path, views.of_owner(view), also_reads=[_RUNS, *reads], answers=answers, codes=codes)
            for path, view, reads, answers, codes in of_series
        ),
    ]


@frozen(eq=False)
class _Views:
    """Views of our own series, and of those of summary plugins that no plugin claims."""

    ctx: PluginContext[Tensor]
    tensors: Values[Tensor]
    distributions: Values[Histogram]

    @property
    def data(self) -> DataProvider:
        return self.ctx.data

    def tags(self, request: Request, *, others: bool) -> Response:
        """With ``others=1`` also unclaimed series; ``plugin`` is the summary plugin that wrote them."""
        owners = [self.ctx.name, *(unclaimed(self.data) if others else ())]
        # our own last: they stay
        return streamed_tags_response(
            self.data, {owner: {"plugin": summary_plugin(owner)} for owner in reversed(owners)}
        )

    def of_owner(self, view: View) -> Callable[[Request], Response]:
        """The view, given the plugin that has the series."""

        def answer(request: Request) -> Response:
            owner = owner_of(self.data, _RUNS.read(request), _TAG.read(request))
            return view(owner, request)

        return answer

    def records(self, owner: str, request: Request) -> Response:
        return records_response(request, self.data, owner)

    def histograms(self, owner: str, request: Request) -> Response:
        route = histograms_route(self.data, owner, self.distributions.at, affordable=_affordable)
        return route.view(request, **Reader.values(route.reads, request))

    def comparison(self, owner: str, request: Request) -> Response:
        route = comparison_route(self.data, owner, self.distributions.at)
        return route.view(request, **Reader.values(route.reads, request))

    def headers(self, owner: str, request: Request) -> Response:
        key, shown, begin, most = (reader.read(request) for reader in _HEADERS_READ)
        table = self.data.records(owner, key, shown)
        end = min(len(table.steps), begin + most)
        rows = [self._header_row(place_in(table, owner, key, index, shown)) for index in range(begin, end)]
        following = end if end < len(table.steps) else None
        return json_response(
            {"run": key.run, "tag": key.tag, "points": table.total, "next": following, "headers": rows}
        )

    def _header_row(self, place: RecordPlace) -> dict[str, object]:
        row: dict[str, object] = {
            "index": place.index,
            "step": place.step,
            "wall_time": place.wall_time,
            "size": place.size,
        }
        try:
            header = self._header(place)
        except Undecodable as error:
            return row | Reason.of(error).fields()
        return row | {"dtype": header.dtype, "shape": header.shape, "count": header.count}

    def _header(self, place: RecordPlace) -> TensorHeader:
        """Reads the header from the first bytes, or from the whole payload if it does not begin it."""
        for limit in (_HEAD, None):
            payload = self.data.payload(place.plugin, place.key, place.index, place.attempts, limit=limit)
            try:
                return tensor_header(payload)
            except ValueError as error:
                reason = error
        raise place.undecodable(reason)

    def values(self, owner: str, request: Request) -> Response:
        form, place = _FORMAT.read(request), record_of(self.data, owner).read(request)
        tensor = self.tensors.at(place)
        chosen = _slice(request, tensor)
        asked = chosen.window([reader.read(request) for reader in _WINDOW])
        given = asked.bounded(MAX_VALUES)
        found = cells_of(np.asarray(tensor.values[given.key], tensor.values.dtype))
        described = _described(place, tensor) | {
            "kind": kind_of(tensor.dtype, tensor.values),
            "slice": str(chosen),
            "open": [{"dimension": d, "start": a, "stop": b} for d, a, b in chosen.open],
            "given": [{"dimension": d, "start": a, "stop": b} for d, a, b in given.open],
            "selected": chosen.count,
            "bounded": given != asked,
            **found.described,
        }
        if form == "json":
            return json_response(described | {"values": found.json}, immutable=is_pinned(request))
        described |= found.texts
        return safetensors_response(found.columns, "tensor", described, immutable=is_pinned(request))

    def statistics(self, owner: str, request: Request) -> Response:
        place = record_of(self.data, owner).read(request)
        tensor = self.tensors.at(place)
        values = tensor.values
        if _SLICE.read(request) is not None:
            values = np.asarray(values[_slice(request, tensor).key])
        with _ONE_AT_A_TIME:
            known = asdict(statistics_of(values))
        known |= {name: exact(known[name]) for name in ("min", "max")}
        return json_response(_described(place, tensor) | known, immutable=is_pinned(request))

    def npy(self, owner: str, request: Request) -> Response:
        place = record_of(self.data, owner).read(request)
        tensor = self.tensors.at(place)
        values = tensor.values
        if values.dtype == object:
            raise InvalidArgument(_NOT_NPY(place=str(place)))
        if _SLICE.read(request) is not None:
            values = np.asarray(values[_slice(request, tensor).key])
        name = f"{place.key.run}_{place.key.tag}_{place.step}.npy"
        answer = bytes_response(b"", "application/octet-stream", filename=name, immutable=is_pinned(request))
        answer.response = npy_parts(values)
        answer.content_length = npy_size(values)
        return answer


def _slice(request: Request, tensor: Tensor) -> TensorSlice:
    try:
        return TensorSlice.parse(_SLICE.read(request) or "", tensor.shape)
    except SliceError as error:
        raise InvalidArgument(f"slice: {error}") from None


def _places(name: str) -> Reader[tuple[int, int] | None]:
    """Reads ``rows=100:200``, which counts from the first row that the slice selects."""
    range_text = text(name)

    def read(request: Request) -> tuple[int, int] | None:
        given = range_text.read(request)
        if given is None:
            return None
        match = _PLACES.fullmatch(given)
        if match is None:
            raise InvalidArgument(f"{name} must be a range such as 100:200, not {given!r}")
        return int(match[1]), int(match[2])

    return evolve(range_text, read=read)


_WINDOW = (_places("rows"), _places("columns"))


def _described(place: RecordPlace, tensor: Tensor) -> dict[str, object]:
    return {
        "step": place.step,
        "wall_time": place.wall_time,
        "dtype": tensor.dtype,
        "shape": tensor.shape,
    }


def _distribution(tensor: Tensor) -> Histogram:
    if tensor.values.dtype.kind in "Oc":
        raise ValueError(_NO_HISTOGRAM_OF_TYPE(type=tensor.dtype))
    times = tensor.values.size
    if times < 2 or any(tensor.values.strides):
        return histogram_of(tensor.values, _BUCKETS)
    one = histogram_of(tensor.values.reshape(-1)[:1], _BUCKETS)  # one written value that stands for all
    return evolve(
        one,
        counts=one.counts * times,
        count=times,
        nan=one.nan * times,
        pos_inf=one.pos_inf * times,
        neg_inf=one.neg_inf * times,
    )


def _affordable(table: RecordTable) -> int:
    """Returns the number of steps whose payloads may be read for one answer."""
    largest = int(table.sizes.max(initial=0))
    return max(2, MAX_READ // max(1, largest))
