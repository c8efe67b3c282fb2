"""Routes of which the views are loaded with the first request: they take longer than the rest of a start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from werkzeug import Request, Response

from insight_core.plugin import Route

Views: TypeAlias = Mapping[str, Callable[[Request], Response]]


def routes_of_later_views(names: Iterable[str], make_views: Callable[[], Views]) -> Sequence[Route]:
    """``/name`` for each of the names, answered by the view of that name; ``make_views`` is called once, by
    the first request, and does the imports."""
    views = cache(make_views)

    def view(name: str) -> Callable[[Request], Response]:
        return lambda request: views()[name](request)

    return [Route(f"/{name}", view(name)) for name in names]
