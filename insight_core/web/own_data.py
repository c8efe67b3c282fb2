"""The data of one plugin, with the records that its requests name."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from werkzeug import Request

from insight_core.plugin import OwnData
from insight_core.plugin.data import RecordPlace, SeriesKey, ShownAttempts
from insight_core.plugin.http import record_of, series_keys


@frozen(eq=False)
class RequestedData(OwnData):
    """``insight_core.plugin.OwnData`` of a host."""

    def place(self, request: Request, attempts: ShownAttempts | None = None) -> RecordPlace:
        """See ``OwnData.place``."""
        return record_of(request, self.data, self.plugin, attempts)

    def keys(self, request: Request) -> Sequence[SeriesKey]:
        """See ``OwnData.keys``."""
        return series_keys(request, self.data, self.plugin)
