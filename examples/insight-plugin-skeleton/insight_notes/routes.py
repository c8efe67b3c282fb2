"""`GET /data/plugin/notes/texts?run=&tag=`: the texts of one series."""

from __future__ import annotations

from collections.abc import Sequence

from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route, Undecodable, encode_json
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.http import series_key

_NEWEST = 200  # points in one answer


def routes(ctx: PluginContext[list[str]]) -> Sequence[Route]:
    def texts(request: Request, *, key: SeriesKey) -> Response:
        table = ctx.own.records(key)  # unknown: raises NotFound, the host answers 404
        total = len(table.steps)
        points = [
            {
                "step": int(table.steps[index]),
                "wall_time": float(table.wall_times[index]),
                "texts": _read(ctx, key, index),
            }
            for index in range(max(0, total - _NEWEST), total)
        ]
        return Response(encode_json({"total": total, "points": points}), mimetype="application/json")

    # SKELETON: your routes; tags, records, value, blob and static/ are the host's
    # what they read is checked before: where run or tag is missing, the host answers 400
    return [Route("/texts", texts, reads=[series_key], answers=["application/json"])]


def _read(ctx: PluginContext[list[str]], key: SeriesKey, index: int) -> list[str]:
    try:
        return ctx.values.get(key, index)  # the host calls texts_of, and caches what it returns
    except Undecodable as error:  # one damaged value must not hide the others
        return [f"unreadable: {error}"]
