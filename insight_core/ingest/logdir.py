"""Logdirs as users name them."""

from __future__ import annotations

import os
import re

from attrs import frozen

from insight_core.plugin import Dialect, InvalidArgument

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@frozen
class Logdir:
    """A directory tree of logs; ``name`` prefixes its runs when there is one.

    Only event files of these ``dialects``, judged by their names, are read. Files that plugins claim by name
    are always included.
    """

    path: str
    name: str | None = None
    dialects: frozenset[Dialect] = frozenset(Dialect)


def parse_logdir(text: str) -> Logdir:
    """``DIR``, ``SCHEME://…`` or either with ``name:`` before it. A path that exists is never split.

    Raises InvalidArgument.
    """
    if not text:
        raise InvalidArgument("a logdir must not be empty")
    if is_remote(text):
        return Logdir(text)
    name, colon, path = text.partition(":")
    if colon and name and path and os.sep not in name and not os.path.exists(text):
        return Logdir(path if is_remote(path) else os.path.expanduser(path), name)
    return Logdir(os.path.expanduser(text))


def is_remote(path: str) -> bool:
    """Whether this is the location of a remote store, not a local path."""
    return _REMOTE.match(path) is not None
