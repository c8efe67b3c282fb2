"""insight-host in notebooks: ``%load_ext insight_host``, then ``%insight --logdir runs``."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Any

from insight_host.display import display
from insight_host.hosts import RunningHost, StartFailed, running, start

# A # within a word or in quotes is a part of it.
_BEFORE_REMARK = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.\#*|(?<=\S)\#|[^#'"\\])*""")

__all__ = ["RunningHost", "StartFailed", "display", "load_ipython_extension", "running", "start"]


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401
    """Called by ``%load_ext insight_host``."""
    ipython.register_magic_function(insight, magic_kind="line", magic_name="insight")


def insight(line: str) -> None:
    """Shows training logs below the cell: ``%insight --logdir DIR [FLAGS of insight-host]``.

    A host that a notebook of yours has started with the same flags is shown again.
    """
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
