"""Parses the log directories of the command line and checks that they can be read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from insight_core.cli.options import Options
from insight_core.cli.text_table import printable
from insight_core.ingest.discover import Logdir, parse_logdir
from insight_core.plugin import InsightError, InvalidArgument

if TYPE_CHECKING:  # the web half is loaded when loading has begun
    from insight_core.web.settings import Notice


def open_logdirs(options: Options) -> list[Logdir]:
    """The parsed --logdir values. Raises InvalidArgument, which names the flag or variable.

    Paths are absolute, because a plugin may change the current directory.
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
    """A notice for each log directory that cannot be read now."""
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
            text = f"This user has no permission to read the log directory {shown}."
            found.append(Notice("logdir-unreadable", shown, text))
    return found
