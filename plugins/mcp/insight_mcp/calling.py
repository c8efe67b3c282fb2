"""Calls tools, a few at a time, and turns what goes wrong into answers."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from attrs import field, frozen

from insight_core.plugin import InsightError, PluginContext, Unavailable
from insight_mcp.answers import ToolAnswer, failed
from insight_mcp.protocol import ToolFailed
from insight_mcp.toolbox import BY_NAME

_AT_ONCE = 4  # calls of one host
_PATIENCE = 20.0  # seconds that a further one waits
_LOADING = 10.0  # seconds for logs that are read for the first time
log = logging.getLogger("insight.plugin.mcp")


@frozen(eq=False)
class Tools:
    """The tools over the logs of ``context()``, which may take a while the first time."""

    context: Callable[[], PluginContext]
    _turns: threading.Semaphore = field(factory=lambda: threading.Semaphore(_AT_ONCE))

    def call(self, name: str, arguments: object) -> list[dict[str, str]] | None:
        """The content of the result; None for an unknown tool. Raises ToolFailed."""
        tool = BY_NAME.get(name)
        if tool is None:
            return None
        if not self._turns.acquire(timeout=_PATIENCE):
            raise ToolFailed(failed(Unavailable("other calls are running: try again when they have ended")))
        try:
            given, page = tool.checked(arguments)
            ctx = self.context()
            notes = _loading(ctx)
            answer = tool.call(ctx, given)
            return page.content(ToolAnswer([*notes, *answer.notes], answer.rows))
        except InsightError as error:
            raise ToolFailed(failed(error)) from error
        except Exception as error:
            log.exception("the tool %s failed", name)
            raise ToolFailed(
                failed(Unavailable("an error of the tool; the log of the host has it"))
            ) from error
        finally:
            self._turns.release()


def _loading(ctx: PluginContext) -> list[str]:
    """Waits for logs that are read for the first time, and says what is still missing."""
    until = time.monotonic() + _LOADING
    while True:
        generation = ctx.data.generation()
        progress = ctx.data.progress()
        if progress.loaded_once:
            return []
        left = until - time.monotonic()
        if left <= 0:
            total = max(progress.bytes_total, 1)
            return [
                f"The logs are still being read ({progress.bytes_read / total:.0%}): this is a part of them."
            ]
        ctx.data.changes(generation, timeout=min(left, 1.0))
