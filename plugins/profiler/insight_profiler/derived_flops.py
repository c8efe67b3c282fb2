"""Counts operations once where counted operators lie in each other."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from insight_profiler.derived_nesting import nearest_marked, summed_upwards
from insight_profiler.model import Column

# operators that call those that compute, or are called by them, with the same shapes
_STANDS_IN = re.compile(r"aten::(_convolution|_(flash|efficient|cudnn)_attention_(for|back)ward)$")


def count_once(slices: dict[str, Column], texts: Sequence[str]) -> None:
    """Sets ``flops`` of slices to NaN where another slice has the same operations.

    The outermost operator counts. One that stands in for others counts only if none of these lies around or
    within it.
    """
    counted = np.isfinite(slices["flops"])
    if not counted.any():
        return
    names = np.unique(slices["name"][counted])
    stand_ins = [place for place in names.tolist() if _STANDS_IN.match(texts[place])]
    stands_in = counted & np.isin(slices["name"], stand_ins)
    depth, parent = slices["depth"], slices["parent"]
    own = counted & ~stands_in
    dropped = own & (nearest_marked(own, depth, parent) >= 0)
    if len(stand_ins):
        own_within = summed_upwards(own.astype(np.int64), depth, parent)
        around = (nearest_marked(counted, depth, parent) >= 0) | (own_within > 0)
        dropped |= stands_in & around
    slices["flops"][dropped] = np.nan
