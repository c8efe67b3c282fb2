"""Counts and extremes of scalar series, of providers that know them without reading points: lakes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin.data import DataProvider


@frozen(eq=False)
class ScalarSummaries:
    """Counts and extremes of the shown points of scalar series: a row for each series with such points.

    ``run`` and ``tag`` int32[n] are the places of its names in ``runs`` and ``tags``, ``points`` int64[n] the
    number of its shown points, ``first_step`` and ``last_step`` int64[n] the least and greatest of their
    steps. ``least`` and ``greatest`` float64[n] are of their values in an order in which NaN follows all
    others, as in SQL: ``least`` is NaN if all values are, ``greatest`` if one is.
    """

    runs: Sequence[str]
    tags: Sequence[str]
    run: NDArray[np.int32]
    tag: NDArray[np.int32]
    points: NDArray[np.int64]
    first_step: NDArray[np.int64]
    last_step: NDArray[np.int64]
    least: NDArray[np.float64]
    greatest: NDArray[np.float64]


@runtime_checkable
class _Summarising(Protocol):
    """A provider that may know them."""

    def scalar_summaries(
        self, plugin: str, *, runs: Collection[str] | None = None
    ) -> Sequence[ScalarSummaries] | None:
        """In any number of parts, of all runs or of these; None if they are not known."""


def scalar_summaries(
    data: DataProvider, plugin: str, runs: Collection[str] | None
) -> Sequence[ScalarSummaries] | None:
    """The summaries of the scalar series of a plugin in parts, of all runs or of these.

    None if the provider does not know them without reading the points.
    """
    return data.scalar_summaries(plugin, runs=runs) if isinstance(data, _Summarising) else None
