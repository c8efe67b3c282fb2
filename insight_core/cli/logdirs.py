"""Parses the log directories of the command line and checks that they can be read."""

from __future__ import annotations

import os
from collections.abc import Sequence

from attrs import evolve

from insight_core.cli.flags import Options
from insight_core.cli.text_table import printable
from insight_core.ingest.logdir import Logdir, is_remote, parse_logdir
from insight_core.plugin import InsightError, InvalidArgument, Reason, ReasonKind

_LOGDIR_NO_DIRECTORY = ReasonKind("logdir_no_directory", "{path} is not a directory.")
_LOGDIR_UNREADABLE = ReasonKind(
    "logdir_unreadable", "The log directory {path} is not readable by the user who runs this host."
)


def open_logdirs(options: Options) -> list[Logdir]:
    """The parsed --logdir values. Raises InvalidArgument, which names the flag or variable.

    Paths are absolute, because a plugin may change the current directory.
    """
    logdirs = []
    for text in options.logdir:
        try:
            logdir = parse_logdir(text)
            path = logdir.path if is_remote(logdir.path) else os.path.abspath(logdir.path)
            logdirs.append(evolve(logdir, path=path))
        except (InsightError, ValueError) as error:
            raise InvalidArgument(f"{options.origin('logdir')}: {error}") from error
    return logdirs


def problems(logdirs: Sequence[Logdir], *, follows: bool) -> list[Reason]:
    """Why local log directories cannot be read now; ``follows`` is whether the host looks again later."""
    found = []
    for logdir in logdirs:
        path = logdir.path
        if is_remote(path):  # its provider says that
            continue
        shown = printable(path)
        later = " Its runs appear as soon as it does." if follows else ""
        if not os.path.exists(path):
            code = "logdir_missing" if follows else "logdir_missing_once"
            found.append(Reason(f"The log directory {shown} does not exist.{later}", code, path=shown))
        elif not os.path.isdir(path):
            found.append(_LOGDIR_NO_DIRECTORY(path=shown))
        elif not os.access(path, os.R_OK | os.X_OK):
            found.append(_LOGDIR_UNREADABLE(path=shown))
    return found
