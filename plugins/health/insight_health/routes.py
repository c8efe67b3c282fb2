"""The HTTP side of the tab: ``/map`` answers one map, and reads a part of what was not read yet."""

from __future__ import annotations

from collections.abc import Sequence

from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route
from insight_core.plugin.data import compute
from insight_core.plugin.http import bytes_response
from insight_health.answers import MAP_CODES, MAP_READS, map_answer


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
