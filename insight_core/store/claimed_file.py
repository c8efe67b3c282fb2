"""A file that plugins claim by its name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from insight_core.plugin import FileName
from insight_core.store.column_memory import Column
from insight_core.store.segment import FileOrder

_ZERO = np.zeros(1, np.int64)
_ZERO.flags.writeable = False


class NamedFile(NamedTuple):
    """One version of the file; its content has not been read."""

    run: str
    path: str
    name: str  # relative to the logdir, fit to be shown
    tag: str  # relative to the run
    claims: tuple[tuple[str, FileName], ...]  # by plugin
    size: int  # bytes
    mtime_ns: int

    @property
    def order(self) -> FileOrder:
        """Its position among the files of the run: after all event files."""
        return math.inf, self.tag

    def columns(self) -> Mapping[str, Column]:
        """Its single record."""
        return {
            "steps": _ZERO,
            "wall_times": np.array([self.mtime_ns / 1_000_000_000]),
            "records": _ZERO,
            "starts": _ZERO,
            "sizes": np.array([self.size]),
        }
