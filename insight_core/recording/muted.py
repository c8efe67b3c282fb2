"""A record that writes nothing: of the ranks of a training that another rank records."""

from __future__ import annotations

from pathlib import Path
from typing import SupportsIndex

from insight_core.recording.summary_record import SummaryRecord


class MutedRecord(SummaryRecord):
    """Takes what ``SummaryRecord`` takes and writes nothing, without checking it. It makes no directory."""

    def _open(self) -> None:
        """Nothing is opened; the options were checked."""

    def add_value(self, plugin: str, name: str, value: object) -> None:
        """Leaves the value out."""

    def record(self, step: SupportsIndex, wall_time: float | None = None) -> None:
        """Records nothing."""

    @property
    def path(self) -> Path | None:
        """None: there is no file."""
        return None

    def flush(self) -> None:
        """Returns at once."""

    def close(self) -> None:
        """Returns at once."""
