"""Names of MindSpore's operators: ``Default/network-WithLossCell/conv1-Conv2d/Conv2D-op0``."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"-op\d+.*$")


def split_name(full: str) -> tuple[str, str]:
    """Scope and name."""
    scope, _, name = full.rpartition("/")
    return scope, name


def type_of(full: str) -> str:
    """The type of an operator that nothing else tells: its name without ``-op7``."""
    return _NUMBER.sub("", full.rpartition("/")[2])
