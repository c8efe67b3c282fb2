"""Collects the log formats of plugin modules, including modules that load late."""

from __future__ import annotations

import threading
from collections.abc import Callable

from insight_core.plugin import InvalidArgument, LogFormat, StoreFormat
from insight_core.registry import Registry

_HOOK = "insight_log_formats"


def follow_log_formats(registry: Registry, came: Callable[[LogFormat | StoreFormat], None]) -> None:
    """Calls ``came`` with each log format, now and later; any thread may call it.

    Of formats with one name the first is used. The modules of the others are listed as failures.
    """
    used: dict[str, LogFormat | StoreFormat] = {}
    seen: set[int] = set()  # ids of formats, which the registry keeps
    lock = threading.Lock()

    def look() -> None:
        for contribution in registry.collected(_HOOK, (LogFormat, StoreFormat)):
            log_format: LogFormat | StoreFormat = contribution.value
            with lock:
                if id(log_format) in seen:
                    continue
                seen.add(id(log_format))
                is_used = used.setdefault(log_format.name, log_format) is log_format
            if is_used:
                came(log_format)
                continue
            reason = InvalidArgument(f"a log format named {log_format.name!r} is already there")
            registry.hook_failed(contribution.module, _HOOK, reason)

    look()
    registry.follow(lambda plugin: None, look)
