"""The HTTP side of the text plugin: `/search`; the host answers all other routes."""

from __future__ import annotations

import time
from collections.abc import Sequence

from werkzeug import Request, Response

from insight_core.plugin import NotFound, PluginContext, Route, Undecodable
from insight_core.plugin.data import SeriesKey, ShownAttempts
from insight_core.plugin.http import attempts, json_response, series_key, text
from insight_text.decoder import StringTensor

MOST = 2_000  # newest records of a series that are searched
SECONDS = 10.0  # that a search may take


def routes(ctx: PluginContext[StringTensor]) -> Sequence[Route]:
    """The search in the records of a series."""

    def search(request: Request, *, key: SeriesKey, attempts: ShownAttempts, q: str) -> Response:
        """``matches``: ascending indices of records that contain ``q``; damaged records do not match."""
        wanted = q.casefold()
        table = ctx.own.records(key, attempts)
        records = len(table.steps)
        ends = time.monotonic() + SECONDS
        found: list[int] = []
        searched = 0
        for index in range(records - 1, max(-1, records - 1 - MOST), -1):
            if time.monotonic() > ends:
                break
            searched += 1
            try:
                texts = ctx.values.at(ctx.own.place_in(table, key, index, attempts))
            except (Undecodable, NotFound):
                continue
            if any(wanted in text.casefold() for text in texts.strings):
                found.append(index)
        return json_response({"matches": found[::-1], "searched": searched, "records": records})

    reads = (series_key, attempts, text("q", required=True, filled=True))
    return [
        Route("/search", search, reads=reads, answers=["application/json"], codes={400: ["empty_parameter"]})
    ]
