"""Parses names of MindSpore's operators: ``Default/network-WithLossCell/conv1-Conv2d/Conv2D-op0``."""

from __future__ import annotations

import re

_DIRECTORY = re.compile(r"(?P<host>.+)_\d+_\d{17}_ascend_(ms|pt)")
_SCOPES = ("Default/", "Gradients/", "recompute_Default/")
_NUMBER = re.compile(r"-op\d+.*$")


def split_name(full: str) -> tuple[str, str]:
    """Scope and name."""
    scope, _, name = full.rpartition("/")
    return scope, name


def split_scope(full: str) -> tuple[str, str]:
    """Scope and name, where the name begins with a scope; others may have slashes in them."""
    return split_name(full) if full.startswith(_SCOPES) else ("", full)


def host_of(directory: str) -> str:
    """The host in the name of a directory, ``{host}_{process}_{time}_ascend_ms``; nothing for other names."""
    found = _DIRECTORY.fullmatch(directory)
    return found["host"] if found else ""


def type_of(full: str) -> str:
    """The type of an operator that nothing else tells: its name without ``-op7``."""
    return _NUMBER.sub("", full.rpartition("/")[2])
