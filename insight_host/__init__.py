"""Training logs as tables (``insight_host.open("runs")``) and in notebooks (``%load_ext insight_host``)."""

from __future__ import annotations

import re
import shlex
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from insight_host.hosts import RunningHost as RunningHost
    from insight_host.hosts import StartFailed as StartFailed
    from insight_host.hosts import running as running
    from insight_host.hosts import start as start
    from insight_host.logs import Logs as Logs
    from insight_host.logs import open as open
    from insight_host.notebook_frame import display as display
    from insight_host.records import LoggedValue as LoggedValue
    from insight_host.tables import LogTable as LogTable

_LAZY = {  # every start of insight-host imports this package for its commands
    "LogTable": "tables",
    "LoggedValue": "records",
    "Logs": "logs",
    "RunningHost": "hosts",
    "StartFailed": "hosts",
    "display": "notebook_frame",
    "open": "logs",
    "running": "hosts",
    "start": "hosts",
}

# A # within a word or in quotes is a part of it.
_BEFORE_REMARK = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.\#*|(?<=\S)\#|[^#'"\\])*""")


def __getattr__(name: str) -> object:
    """Imports each name on first use."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(f"insight_host.{_LAZY[name]}"), name)
    globals()[name] = found
    return found


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401
    """Called by ``%load_ext insight_host``."""
    ipython.register_magic_function(insight, magic_kind="line", magic_name="insight")


def insight(line: str) -> None:
    """Shows training logs below the cell: ``%insight --logdir DIR [FLAGS of insight-host]``.

    A host that a notebook of yours has started with the same flags is shown again.
    """
    from insight_host.hosts import StartFailed, start
    from insight_host.notebook_frame import display

    try:
        host, is_new = start(_arguments(line))
    except SystemExit:  # of a command line that was refused, or asked for help: said already
        return
    except (StartFailed, ValueError) as error:
        print(f"insight-host: {error}", file=sys.stderr)
        return
    if not is_new:
        print(f"The host on port {host.port} is shown again (pid {host.pid}; `!kill {host.pid}` ends it).")
    display(host)


def _arguments(line: str) -> list[str]:
    """The words of a line, without a remark at its end. Raises ValueError for an open quotation."""
    before = _BEFORE_REMARK.match(line)
    end = before.end() if before is not None else 0
    return shlex.split(line[:end] if line[end:].startswith("#") else line)
