"""The HTTP side of the histogram plugin."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.api import DataProvider, PluginNameEnum, Route
from insight_core.values.decoded import DecodedValues
from insight_core.values.histogram_messages import decoded_histogram
from insight_core.web.answers import json_response
from insight_core.web.histograms import comparison_route, histograms_route
from insight_core.web.records import records_route

_HISTOGRAM = PluginNameEnum.HISTOGRAM


def routes(data: DataProvider) -> Sequence[Route]:
    decoded = DecodedValues(data, _HISTOGRAM, decoded_histogram, lambda histogram: histogram.nbytes)
    return [
        Route("/tags", lambda request: json_response(_tags(data))),
        records_route(data, _HISTOGRAM),
        histograms_route(data, _HISTOGRAM, decoded.get),
        comparison_route(data, _HISTOGRAM, decoded.get),
    ]


def _tags(data: DataProvider) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for info in data.series(_HISTOGRAM):
        told = {**info.as_tag(), "attempts": info.attempts, "kept": info.kept}
        found.setdefault(info.key.run, {})[info.key.tag] = told
    return found
