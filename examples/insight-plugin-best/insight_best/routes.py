"""`GET /data/plugin/best/lowest?tag=`: the lowest value of a tag, by run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from werkzeug import Request, Response

from insight_core.plugin import PluginContext, Route, encode_json
from insight_core.plugin.data import ScalarQuery
from insight_core.plugin.http import texts


def routes(ctx: PluginContext) -> Sequence[Route]:
    def lowest(request: Request, *, tags: Sequence[str]) -> Response:
        keys = [info.key for info in ctx.data.series("scalar") if info.key.tag in tags]
        answer = []
        # one column of a plot has the smallest value of the series, exact
        for key, columns in ctx.data.scalars("scalar", keys, ScalarQuery(width=1)).items():
            if len(columns.values) and not np.isnan(columns.values).all():
                at = int(np.nanargmin(columns.values))
                value, step = float(columns.values[at]), int(columns.steps[at])
                answer.append({"run": key.run, "tag": key.tag, "step": step, "value": value})
        return Response(encode_json(answer), mimetype="application/json")

    reads = [texts("tag").named("tags")]
    return [Route("/lowest", lowest, reads=reads, answers=["application/json"])]
