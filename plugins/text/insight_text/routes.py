"""The HTTP side of the text plugin: `/search`; the host answers all other routes."""

from __future__ import annotations

import time
from collections.abc import Sequence

from werkzeug import Request, Response

from insight_core.plugin import NotFound, PluginContext, Route, Undecodable
from insight_core.plugin.http.answers import json_response
from insight_core.plugin.http.parameters import attempts, empty, required_text, series_key
from insight_text.decoder import StringTensor

MOST = 2_000  # newest records of a series that are searched
SECONDS = 10.0  # that a search may take


def routes(ctx: PluginContext[StringTensor]) -> Sequence[Route]:
    """The search in the records of a series."""

    def search(request: Request) -> Response:
        """``matches``: ascending indices of records that contain ``q``; damaged records do not match."""
        key, shown = series_key(request), attempts(request)
        wanted = required_text(request, "q").casefold()
        if not wanted:
            raise empty("q")
        table = ctx.own.records(key, shown)
        records = len(table.steps)
        ends = time.monotonic() + SECONDS
        found: list[int] = []
        searched = 0
        for index in range(records - 1, max(-1, records - 1 - MOST), -1):
            if time.monotonic() > ends:
                break
            searched += 1
            try:
                texts = ctx.values.at(ctx.own.place_in(table, key, index, shown))
            except (Undecodable, NotFound):
                continue
            if any(wanted in text.casefold() for text in texts.strings):
                found.append(index)
        return json_response({"matches": found[::-1], "searched": searched, "records": records})

    return [Route("/search", search)]
