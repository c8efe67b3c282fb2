"""The HTTP side of the profiler plugin."""

from __future__ import annotations

from collections.abc import Sequence

from insight_core.plugin import DataProvider, Route
from insight_core.plugin.http.later import Views, routes_of_later_views

_NAMES = (
    *("profiles", "profile", "overview", "operators", "operator", "kernels", "steps", "step", "memory"),
    *(
        "pipeline",
        "communication",
        "cluster",
        "rank_steps",
        "strategy",
        "flops",
        "shapes",
        "compare",
        "operator_times",
    ),
    *("tracks", "slices", "counters", "slice", "search", "selection", "trace"),
)


def routes(data: DataProvider) -> Sequence[Route]:
    def views() -> Views:
        from insight_profiler.views import views_of

        return views_of(data)

    return routes_of_later_views(_NAMES, views)
