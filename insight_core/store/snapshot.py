"""An immutable copy-free snapshot of the points of a series."""

from __future__ import annotations

import bisect
from collections.abc import Mapping

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import Claim
from insight_core.store.attempts import Attempts
from insight_core.store.column_memory import Column
from insight_core.store.segment import FileOrder


@frozen(eq=False)
class Snapshot:
    """All retained points of a series in file order. Immutable; arrays are shared, not copied."""

    columns: Mapping[str, Column]  # may be read-only
    orders: tuple[FileOrder, ...]
    ends: tuple[int, ...]  # index after the last point of each file
    claims: tuple[tuple[Claim, ...], ...]  # of each file; the column "claims" counts in these
    attempts: Attempts
    total: int  # points recorded, retained or not
    version: int  # of the series

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    @property
    def steps(self) -> NDArray[np.int64]:
        """int64[n]: the step of each point."""
        return self.columns["steps"].astype(np.int64, copy=False)

    def file_of(self, index: int) -> FileOrder:
        """The file of the point at this index."""
        return self.orders[bisect.bisect_right(self.ends, index)]

    def claim_of(self, index: int) -> Claim:
        """The claim of the point at this index."""
        return self.claims[bisect.bisect_right(self.ends, index)][int(self.columns["claims"][index])]
