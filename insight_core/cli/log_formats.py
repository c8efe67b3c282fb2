"""The log formats of plugin modules, those that load late included."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from insight_core.plugin import LogFormat
from insight_core.registry import Registry

_HOOK = "insight_log_formats"

log = logging.getLogger(__name__)


def follow_log_formats(registry: Registry, came: Callable[[LogFormat], None]) -> None:
    """Calls ``came`` with each log format, now and later; any thread may call it.

    Of formats with one name the first is taken, and the log names the distribution of the others.
    """
    taken: dict[str, LogFormat] = {}
    seen: set[int] = set()  # ids of formats, which the registry keeps
    lock = threading.Lock()

    def look() -> None:
        for contribution in registry.collected(_HOOK, LogFormat):
            log_format: LogFormat = contribution.value
            with lock:
                if id(log_format) in seen:
                    continue
                seen.add(id(log_format))
                is_taken = taken.setdefault(log_format.name, log_format) is log_format
            if is_taken:
                came(log_format)
            else:
                log.error(
                    "a log format named %r is already there; the one of %s is not used",
                    log_format.name,
                    contribution.distribution or "an unknown distribution",
                )

    look()
    registry.follow(lambda plugin: None, look)
