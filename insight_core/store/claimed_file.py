"""A file that plugins claim by its name."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from insight_core.formats.columns import Columns
from insight_core.plugin import FileName
from insight_core.store.segment import FileOrder


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

    def columns(self) -> Columns:
        """Its single record."""
        places = np.array([[0], [0], [self.size]])
        return Columns(np.zeros(1, np.int64), np.array([self.mtime_ns / 1_000_000_000]), None, places)
