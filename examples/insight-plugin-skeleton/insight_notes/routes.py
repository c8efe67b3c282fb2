"""`GET /data/plugin/notes/texts?run=&tag=`: the texts of one series."""

from __future__ import annotations

from collections.abc import Sequence

from werkzeug import Request, Response

from insight_core.plugin import DataProvider, Route, SeriesKey, Undecodable, encode_json
from insight_notes.decoder import texts_of

_NEWEST = 200  # points in one answer


def routes(data: DataProvider) -> Sequence[Route]:
    def texts(request: Request) -> Response:
        key = SeriesKey(request.args["run"], request.args["tag"])  # one is missing: the host answers 400
        table = data.records("notes", key)  # unknown: raises NotFound, the host answers 404
        total = len(table.steps)
        points = [
            {
                "step": int(table.steps[index]),
                "wall_time": float(table.wall_times[index]),
                "texts": _read(data, key, index),
            }
            for index in range(max(0, total - _NEWEST), total)
        ]
        return Response(encode_json({"total": total, "points": points}), mimetype="application/json")

    return [Route("/texts", texts)]  # SKELETON: your routes; `tags` and `static/` are the host's


def _read(data: DataProvider, key: SeriesKey, index: int) -> list[str]:
    try:
        return texts_of(data.payload("notes", key, index))
    except (Undecodable, ValueError) as error:  # one damaged value must not hide the others
        return [f"unreadable: {error}"]
