"""Last, smallest and largest value of series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import PluginNameEnum
from insight_core.plugin.data import SeriesKey, ShownAttempts
from insight_core.plugin.http import choice, json_response
from insight_scalar.cards import Displayed
from insight_scalar.derived import SmoothedQuery

_SCALAR = PluginNameEnum.SCALAR
SUMMARY_OF = choice("of", ("last", "min", "max"))


@frozen
class Summaries:
    """The route ``/summaries``."""

    displayed: Displayed

    def summaries(
        self, request: Request, *, of: str, attempts: ShownAttempts, keys: Sequence[SeriesKey]
    ) -> Response:
        """Of each series that ``run`` and ``tag`` name the last, or the smallest or largest finite value."""
        # of one column the extremes and the last value are exact
        query = SmoothedQuery(width=1, attempts=attempts)
        known = self._last(keys) if of == "last" else {}
        columns = self.displayed.shortest([key for key in keys if key not in known], query)
        found = {**known, **{key: _value(one.values, of) for key, one in columns.items()}}
        by_tag: dict[str, dict[str, float]] = {key.tag: {} for key in keys}
        for key in keys:
            if key in found:
                by_tag[key.tag][key.run] = found[key]
        return json_response(
            {
                "summaries": [
                    {"tag": tag, "runs": list(values), "values": list(values.values())}
                    for tag, values in by_tag.items()
                ]
            }
        )

    def _last(self, keys: Sequence[SeriesKey]) -> Mapping[SeriesKey, float]:
        """Of series that were recorded: nothing is read but what the list of series says."""
        wanted = set(keys)
        tables = self.displayed.data.series_tables(
            _SCALAR, ["last_value"], runs={key.run for key in keys}, tags={key.tag for key in keys}
        )
        pairs: Iterable[tuple[SeriesKey, object]] = (
            (SeriesKey(table.run, tag), value)
            for table in tables
            for tag, value in zip(table.tags, table.column("last_value"), strict=True)
        )
        return {key: value for key, value in pairs if key in wanted and isinstance(value, float)}


def _value(values: NDArray[np.floating], which: str) -> float:
    """NaN without one."""
    shown = values[-1:] if which == "last" else values[np.isfinite(values)]
    if not len(shown):
        return float("nan")
    return float({"last": shown[-1], "min": shown.min(), "max": shown.max()}[which])
