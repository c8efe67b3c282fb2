"""A ``SummaryRecord`` that writes nothing, for ranks that do not record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, SupportsIndex

from insight_record.encoders.encoder import EncodedValue
from insight_record.summary_record import SummaryRecord


class MutedRecord(SummaryRecord):
    """Accepts the calls of ``SummaryRecord`` and writes nothing, without checks. Creates no directory."""

    _is_muted = True

    def _open(self) -> None:
        """Nothing is opened; the options were checked."""

    def add_value(self, plugin: str, name: str, value: object) -> None:
        """Ignores the value."""

    def record(self, step: SupportsIndex, wall_time: float | None = None) -> None:
        """Does nothing."""

    def put(
        self,
        step: int,
        wall_time: float,
        others: Sequence[EncodedValue],
        *scalars: Any,  # noqa: ANN401
    ) -> None:
        """Does nothing."""

    def put_value(self, step: int, wall_time: float, plugin: str, name: str, value: object) -> None:
        """Ignores the value."""

    @property
    def path(self) -> Path | None:
        """None: no file is written."""
        return None

    def flush(self) -> None:
        """Returns immediately."""

    def close(self) -> None:
        """Returns immediately."""
