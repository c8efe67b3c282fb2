"""``%insight`` of notebooks."""

from __future__ import annotations

import re
import shlex
import sys

from insight_host.hosts import StartFailed, start
from insight_host.notebook_frame import display

# A # within a word or in quotes is a part of it.
_BEFORE_REMARK = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.\#*|(?<=\S)\#|[^#'"\\])*""")


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
