"""Summaries of blocks of a long column, so that charts need not read every point."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

POINTS = 256  # points per block: 1000 chart columns then read some 256,000 points at their borders

# ``low`` and ``high`` are the smallest and largest finite value, +Inf and -Inf without finite values.
# ``places`` are the indices in the block of the first smallest and largest value, and of the first NaN, +Inf
# and -Inf (0 if absent). ``counts`` are the numbers of NaN, +Inf and -Inf.
BLOCK_TYPE = np.dtype(
    [("low", "f8"), ("high", "f8"), ("counts", "u2", (3,)), ("places", "u1", (5,))], align=True
)
Blocks: TypeAlias = NDArray[np.void]

NO_BLOCKS: Blocks = np.empty(0, BLOCK_TYPE)
