"""Training logs as tables (``insight_host.open("runs")``) and in notebooks (``%load_ext insight_host``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insight_host.hosts import RunningHost as RunningHost
    from insight_host.hosts import StartFailed as StartFailed
    from insight_host.hosts import running as running
    from insight_host.hosts import start as start
    from insight_host.logs import Logs as Logs
    from insight_host.logs import open as open
    from insight_host.notebook_frame import display as display
    from insight_host.notebook_frame import insight as insight
    from insight_host.records import LoggedValue as LoggedValue
    from insight_host.tables import LogTable as LogTable
    from insight_record import SummaryWriter as SummaryWriter

_LAZY = {  # every start of insight-host imports this package for its commands
    "LogTable": "insight_host.tables",
    "LoggedValue": "insight_host.records",
    "Logs": "insight_host.logs",
    "RunningHost": "insight_host.hosts",
    "StartFailed": "insight_host.hosts",
    "SummaryWriter": "insight_record",
    "display": "insight_host.notebook_frame",
    "insight": "insight_host.notebook_frame",
    "open": "insight_host.logs",
    "running": "insight_host.hosts",
    "start": "insight_host.hosts",
}


def __getattr__(name: str) -> object:
    """Imports each name on first use."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(_LAZY[name]), name)
    globals()[name] = found
    return found


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401
    """Called by ``%load_ext insight_host``."""
    from insight_host.notebook_frame import insight

    ipython.register_magic_function(insight, magic_kind="line", magic_name="insight")
