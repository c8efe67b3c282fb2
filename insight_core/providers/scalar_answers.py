"""Scalar queries of points that the provider of a plugin has read: ``ProviderSettings.answer_scalars``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from insight_core.formats.columns import Columns
from insight_core.plugin import Dialect, EventField
from insight_core.plugin.data import ScalarColumns, ScalarQuery
from insight_core.store.scalars import answer
from insight_core.store.snapshot import snapshot_of
from insight_core.store.views import ViewCache

_CLAIM = EventField(Dialect.TENSORBOARD, "simple_value")  # of no consequence for an answer


class AnswerScalars(Protocol):
    """Reduces the points of a scalar series as a query says."""

    def __call__(
        self,
        series: Hashable,
        steps: NDArray[np.int64],
        wall_times: NDArray[np.float64],
        values: NDArray[np.float32] | NDArray[np.float64],
        query: ScalarQuery,
        *,
        total: int | None = None,
    ) -> ScalarColumns:
        """The answer for points of all attempts, in the order of their files.

        ``series`` names the series: what was computed for it is kept while its arrays stay the same, which
        must not be written to. ``total`` is how many points were recorded; None: as many as there are. Raises
        InvalidArgument for a window that ends before it begins.
        """


class ScalarAnswers:
    """Implements ``AnswerScalars``."""

    def __init__(self) -> None:
        self._views = ViewCache()

    def __call__(
        self,
        series: Hashable,
        steps: NDArray[np.int64],
        wall_times: NDArray[np.float64],
        values: NDArray[np.float32] | NDArray[np.float64],
        query: ScalarQuery,
        *,
        total: int | None = None,
    ) -> ScalarColumns:
        """The answer for points of all attempts, in the order of their files; raises InvalidArgument."""
        snapshot = snapshot_of(Columns(steps, wall_times, values), _CLAIM)
        if total is not None:
            snapshot = evolve(snapshot, total=total)
        view = self._views.view((series, query.attempts, query.smoothing), snapshot, query)
        return answer(snapshot, view, query)
