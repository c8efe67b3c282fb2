"""``/tags``: the series of a plugin, for a page that lists them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from werkzeug import Response

from insight_core.plugin import SeriesInfo
from insight_core.plugin.http.answers import json_response


def tags_response(series: Iterable[tuple[SeriesInfo, Mapping[str, object]]]) -> Response:
    """Series by run and tag, each with further fields. Of several with one run and tag the last counts."""
    name = cache(str)  # of a claim: all series share a few
    found: dict[str, dict[str, object]] = {}
    for info, more in series:
        found.setdefault(info.key.run, {})[info.key.tag] = {
            **info.as_tag(),
            "attempts": info.attempts,
            "kept": info.kept,
            "last_value": info.last_value,
            "claims": [name(claim) for claim in info.claims],
            **more,
        }
    return json_response(found)
