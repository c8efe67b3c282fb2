"""``/tags``: which series a plugin has, for a page that shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from werkzeug import Response

from insight_core.plugin import SeriesInfo
from insight_core.plugin.http.answers import json_response


def tags_response(series: Iterable[tuple[SeriesInfo, Mapping[str, object]]]) -> Response:
    """Series by run and tag, each with what its plugin says besides. Of several with one run and tag the
    last is said."""
    found: dict[str, dict[str, object]] = {}
    for info, more in series:
        said = {**info.as_tag(), "attempts": info.attempts, "kept": info.kept, **more}
        found.setdefault(info.key.run, {})[info.key.tag] = said
    return json_response(found)
