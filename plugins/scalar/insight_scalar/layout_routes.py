"""The route of layouts: what the logs say should be seen together."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import asdict, frozen
from werkzeug import Request, Response

from insight_core.plugin import InsightError, PluginContext
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.http import json_response
from insight_scalar.layouts import LayoutCategory, layout_of, merged, recorded_by

# No plugin claims layouts, so the host has them under their claim.
LAYOUTS = "plugin:custom_scalars"
_MOST_RUNS = 200  # whose layouts are read: runs of one experiment bring the same


@frozen
class Layouts:
    """Layouts of TensorBoard's custom scalars in the logs."""

    ctx: PluginContext

    def layouts(self, request: Request) -> Response:
        """The categories of the newest layout of each run, those of one title merged."""
        return json_response({"categories": self.rows(self.found())})

    def found(self) -> list[LayoutCategory]:
        """The categories, as ``layouts`` answers them."""
        keys = [one.key for one in self.ctx.data.series(LAYOUTS)]
        return merged(self._read(key) for key in keys[:_MOST_RUNS])

    @staticmethod
    def rows(categories: Iterable[LayoutCategory]) -> list[dict[str, object]]:
        """Categories for JSON."""
        return [asdict(category) for category in categories]

    def _read(self, key: SeriesKey) -> tuple[LayoutCategory, ...]:
        data = self.ctx.data
        try:
            last = len(data.records(LAYOUTS, key).steps) - 1
            return recorded_by(key.run, layout_of(data.payload(LAYOUTS, key, last))) if last >= 0 else ()
        except (InsightError, ValueError) as error:
            self.ctx.log.warning("the layout of run %s cannot be read: %s", key.run, error)
            return ()
