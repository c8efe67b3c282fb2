"""Compares two profiles: matches operators by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.compared_steps import ComparedSteps, alike, measure_of
from insight_profiler.analysis.kernels import kernel_listing
from insight_profiler.analysis.listing import SortedTable, TableColumn
from insight_profiler.analysis.operators import grouped
from insight_profiler.analysis.sums import ratio
from insight_profiler.model import Side

_NAMED = ("name", "type", "scope", "shapes")


@frozen(eq=False)
class ProfileComparison:
    """Operators of both; times are whole, by the step, or by the call, as ``per`` says. ``new`` and ``gone``
    count those that only one of the two has."""

    listing: SortedTable
    new: int
    gone: int
    per: str


def comparison(base: ComparedSteps, own: ComparedSteps, by: str, side: Side, per: str) -> ProfileComparison:
    """``difference`` is how much longer it takes than in ``base``, ``ratio`` how many times as long. Totals
    take the place of times by the step where one of the profiles has no steps."""
    (base, own), per = alike(base, own), measure_of(base, own, per)
    before, after = (grouped(one.profile, by, side, one.rows_of_calls(per)).listing for one in (base, own))
    return _compared(before, after, base, own, per)


def kernel_comparison(base: ComparedSteps, own: ComparedSteps, per: str) -> ProfileComparison:
    """The same of kernels by name. Raises KeyError if one of the profiles has no kernels."""
    (base, own), per = alike(base, own), measure_of(base, own, per)
    before, after = (kernel_listing(one.profile, "name", one.rows_of_calls(per)) for one in (base, own))
    return _compared(before, after, base, own, per)


def _compared(
    before: SortedTable, after: SortedTable, base: ComparedSteps, own: ComparedSteps, per: str
) -> ProfileComparison:
    named = [name for name in _NAMED if name in before.columns]
    keys = [_keys(before, named), _keys(after, named)]
    places = {key: place for place, key in enumerate(dict.fromkeys([*keys[1], *keys[0]]))}
    texts = [[key[column] for key in places] for column in range(len(named))]
    sides = []
    for listing, listed, which in ((before, keys[0], base), (after, keys[1], own)):
        at = np.array([places[key] for key in listed], np.intp)
        sides.append(_measured(listing, at, len(places), per, which))
    (base_calls, base_time), (calls, time) = sides
    has_base, has = ~np.isnan(base_time), ~np.isnan(time)
    difference = np.nan_to_num(time) - np.nan_to_num(base_time)
    whole = float(np.abs(difference).sum())
    columns = [TableColumn(name, "text", *_interned(texts[place])) for place, name in enumerate(named)]
    columns += [
        TableColumn("base_calls", "count", base_calls),
        TableColumn("calls", "count", calls),
        TableColumn("base", "ns", base_time),
        TableColumn("value", "ns", time),
        TableColumn("difference", "ns", difference, is_signed=True),
        TableColumn("change", "ns", np.abs(difference)),
        TableColumn("share", "share", np.abs(difference) / whole if whole else np.zeros(len(difference))),
        TableColumn("ratio", "ratio", np.where(time == base_time, 1.0, ratio(time, base_time))),
    ]
    new, gone = int((has & ~has_base).sum()), int((has_base & ~has).sum())
    return ProfileComparison(SortedTable(columns), new, gone, per)


def _keys(listing: SortedTable, named: list[str]) -> list[tuple[str, ...]]:
    shown = [listing.columns[name].shown() for name in named]
    return [tuple(text or "" for text in key) for key in zip(*shown, strict=True)]


def _measured(
    listing: SortedTable, at: NDArray[np.intp], count: int, per: str, steps: ComparedSteps
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Calls (-1) and times (NaN if the operator is missing) at the places of both."""
    calls, times = np.full(count, -1), np.full(count, np.nan)
    calls[at] = listing.columns["calls"].values
    times[at] = _own_times(listing)
    if per == "call":
        times = ratio(times, calls)
    elif per == "step":
        times = ratio(times, steps.divisor)
    return calls, times


def _own_times(listing: SortedTable) -> NDArray[Any]:
    total = listing.columns["total"].values
    own = listing.columns["self"].values if "self" in listing.columns else total
    return np.where(own >= 0, own, total).astype(np.float64)


def _interned(texts: list[str]) -> tuple[NDArray[np.int32], list[str]]:
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return np.array([places[text] if text else -1 for text in texts], np.int32), list(places)
