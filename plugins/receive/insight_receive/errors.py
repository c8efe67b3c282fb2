"""The error that senders get."""

from __future__ import annotations

from insight_core.plugin import InsightError


class NotReceived(InsightError):
    """A request that is not done; its code is ``receive_<what>``."""

    def __init__(self, text: str, status: int, what: str, **details: object) -> None:
        super().__init__(text, code=f"receive_{what}", **details)
        self.status = status
