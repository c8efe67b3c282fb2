"""The HTTP side of the graph plugin."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.plugin import DataProvider, Route
from insight_core.plugin.http.later import Views, routes_of_later_views

_NAMES = ("graphs", "scope", "node", "search", "trace", "statistics", "removed", "pipeline")


def routes(data: DataProvider) -> Sequence[Route]:
    def views() -> Views:
        from insight_graph.views import views_of

        return views_of(data)

    return routes_of_later_views(_NAMES, views)
