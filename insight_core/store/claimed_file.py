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
    path_in_run: str  # fit to be shown
    claims: tuple[tuple[str, FileName], ...]  # by plugin
    size: int  # bytes
    mtime_ns: int

    @property
    def order(self) -> FileOrder:
        """Its position among the files of the run: after all event files, those of one series by step."""
        step = next((claim.place_of(self.path_in_run)[1] for _, claim in self.claims if claim.step), None)
        # two slashes: so no other path is equal
        by_step = "" if step is None else f"{step + (1 << 63):020}//"
        return math.inf, by_step + self.path_in_run

    def columns(self, step: int) -> Columns:
        """Its single record."""
        places = np.array([[0], [0], [self.size]])
        times = np.array([self.mtime_ns / 1_000_000_000])
        return Columns(np.array([step], np.int64), times, None, places)
