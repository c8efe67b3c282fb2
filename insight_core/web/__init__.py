"""The web half: a WSGI application over a registry and a data provider, and a server for it."""

from __future__ import annotations

from insight_core.web.application import Host
from insight_core.web.settings import HostSettings

__all__ = ["Host", "HostSettings"]
