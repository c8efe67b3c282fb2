"""The HTTP side of the profiler plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from werkzeug import Request, Response

from insight_core.api import DataProvider, Route

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
    """Their views take longer to load than the rest of the host's start: the first request does it."""

    @cache
    def views() -> dict[str, Callable[[Request], Response]]:
        from insight_profiler.views import views_of

        return dict(views_of(data))

    def view(name: str) -> Callable[[Request], Response]:
        return lambda request: views()[name](request)

    return [Route(f"/{name}", view(name)) for name in _NAMES]
