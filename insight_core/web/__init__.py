"""The web half: a WSGI application over a registry and a data provider, and a server for it.

The application is imported when it is asked for: a server listens before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insight_core.web.application import Host
    from insight_core.web.settings import HostSettings

__all__ = ["Host", "HostSettings"]


def __getattr__(name: str) -> object:
    if name == "Host":
        from insight_core.web.application import Host

        return Host
    if name == "HostSettings":
        from insight_core.web.settings import HostSettings

        return HostSettings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
