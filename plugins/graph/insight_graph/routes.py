"""The HTTP side of the graph plugin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from werkzeug import Request, Response

from insight_core.api import DataProvider, Route

_NAMES = ("graphs", "scope", "node", "search", "trace", "statistics", "removed", "pipeline")


def routes(data: DataProvider) -> Sequence[Route]:
    """Their views take longer to load than the rest of the host's start: the first request does it."""

    @cache
    def views() -> dict[str, Callable[[Request], Response]]:
        from insight_graph.views import views_of

        return dict(views_of(data))

    def view(name: str) -> Callable[[Request], Response]:
        return lambda request: views()[name](request)

    return [Route(f"/{name}", view(name)) for name in _NAMES]
