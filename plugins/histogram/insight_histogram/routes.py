"""The HTTP side of the histogram plugin."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.plugin import DataProvider, PluginNameEnum, Route
from insight_core.plugin.http.decoded import DecodedValues
from insight_core.plugin.http.histograms import comparison_route, histograms_route
from insight_core.plugin.http.records import records_route
from insight_core.plugin.http.tags import tags_response
from insight_core.plugin.payloads import decoded_histogram

_HISTOGRAM = PluginNameEnum.HISTOGRAM


def routes(data: DataProvider) -> Sequence[Route]:
    decoded = DecodedValues(data, _HISTOGRAM, decoded_histogram, lambda histogram: histogram.nbytes)
    return [
        Route("/tags", lambda _: tags_response((info, {}) for info in data.series(_HISTOGRAM))),
        records_route(data, _HISTOGRAM),
        histograms_route(data, _HISTOGRAM, decoded.get),
        comparison_route(data, _HISTOGRAM, decoded.get),
    ]
