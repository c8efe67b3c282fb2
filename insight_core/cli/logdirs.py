"""The log directories on the command line, and what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from insight_core.cli.options import Options
from insight_core.cli.table import printable
from insight_core.ingest.discover import Logdir, parse_logdir
from insight_core.plugin import InsightError, InvalidArgument

if TYPE_CHECKING:  # the web half is loaded when loading has begun
    from insight_core.web.settings import Notice


def open_logdirs(options: Options) -> list[Logdir]:
    """The parsed --logdir values. Raises InvalidArgument, which names the flag or variable.

    Their paths are absolute: whatever directory a plugin makes the current one, they stay where they are.
    """
    logdirs = []
    for text in options.logdir:
        try:
            logdir = parse_logdir(text)
            logdirs.append(evolve(logdir, path=os.path.abspath(logdir.path)))
        except (InsightError, ValueError) as error:
            raise InvalidArgument(f"{options.origin('logdir')}: {error}") from error
    return logdirs


def problems(logdirs: Sequence[Logdir]) -> list[Notice]:
    """One for each log directory that cannot be read now; looked for again at every call."""
    from insight_core.web.settings import Notice

    found = []
    for logdir in logdirs:
        path = logdir.path
        shown = printable(path)
        if not os.path.exists(path):
            found.append(Notice("logdir-missing", shown, f"The log directory {shown} does not exist."))
        elif not os.path.isdir(path):
            found.append(Notice("logdir-not-a-directory", shown, f"{shown} is not a directory."))
        elif not os.access(path, os.R_OK | os.X_OK):
            text = f"The log directory {shown} may not be read by this user."
            found.append(Notice("logdir-unreadable", shown, text))
    return found
