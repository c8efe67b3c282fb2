"""Finds the first point of each series that is NaN or infinite, beyond a value, or a jump; on full data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias, cast

import numpy as np
from attrs import frozen
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from werkzeug import Request, Response

from insight_core.plugin import InvalidArgument, PluginNameEnum, ReasonKind
from insight_core.plugin.data import ScalarColumns, ScalarQuery, SeriesKey, ShownAttempts
from insight_core.plugin.http import Reader, attempts, choice, json_response, number, whole_number
from insight_scalar.derived import DerivedData
from insight_scalar.formats import step_of

Floats: TypeAlias = NDArray[np.float64]

KINDS = ("nonfinite", "above", "below", "jump")
LEAST = 30  # earlier points without which nothing is called a jump: fewer say little about what is usual
WINDOW = 100
SIGMA = 5.0
_MOST_WINDOW = 10_000
_CELLS = 1 << 20  # values of windows that are looked at together, to bound memory
_ROUNDING = 1e-6  # of the mean: a smaller difference is not a jump, however steady the series was
_SIGMA = ReasonKind("scalar_sigma", "sigma must be greater than 0, not {value}")


def first_nonfinite(values: Floats) -> int | None:
    """Index of the first NaN or infinity."""
    return _first(~np.isfinite(values))


def first_beyond(values: Floats, limit: float, *, above: bool) -> int | None:
    """Index of the first value above a limit (infinity too), or below it. NaN is neither."""
    return _first(values > limit if above else values < limit)


def first_jump(values: Floats, sigma: float = SIGMA, window: int = WINDOW) -> int | None:
    """Index of the first value more than ``sigma`` deviations from the mean of the values before it.

    Mean and deviation (divided by n - 1) are those of the last ``window`` finite values before the value, at
    least 30 of them. Values that are not finite are left out. A value within a millionth of the mean is no
    jump. A single value of normal noise is called a jump by chance about once in 400,000 with the defaults.
    """
    finite = np.flatnonzero(np.isfinite(values))
    kept = values[finite]
    for start, means, deviations in _windows(kept, window):
        shown = kept[start : start + len(means)]
        distance = np.abs(shown - means)
        found = _first(distance > np.maximum(sigma * deviations, _ROUNDING * np.abs(means)))
        if found is not None:
            return int(finite[start + found])
    return None


def _windows(values: Floats, window: int) -> Iterator[tuple[int, Floats, Floats]]:
    """Mean and deviation of what is before each value, in pieces that begin at an index."""
    least = min(LEAST, window)
    for end in range(least, min(window, len(values))):  # windows that still grow
        before = values[:end]
        yield end, np.array([before.mean()]), np.array([before.std(ddof=1)])
    if len(values) <= window:
        return
    views = sliding_window_view(values, window)[:-1]  # the last one is before no value
    rows = max(1, _CELLS // window)
    for start in range(0, len(views), rows):
        some = views[start : start + rows]
        yield window + start, some.mean(axis=1), some.std(axis=1, ddof=1)


def _first(found: NDArray[np.bool_]) -> int | None:
    return int(found.argmax()) if found.any() else None


@frozen
class FirstSteps:
    """The route ``/first``."""

    data: DerivedData

    def first(
        self,
        request: Request,
        *,
        when: Callable[[Floats], int | None],
        attempts: ShownAttempts,
        keys: Sequence[SeriesKey],
    ) -> Response:
        """The first point of each series that meets a condition, the smallest step first."""
        query = ScalarQuery(attempts=attempts)
        found = []
        points = 0
        for key in keys:  # one at a time: whole series are large
            columns = self.data.scalars(PluginNameEnum.SCALAR, [key], query).get(key)
            if columns is None:
                continue
            points += len(columns.steps)
            at = when(np.asarray(columns.values, np.float64))
            if at is not None:
                found.append(_described(key, columns, at))
        found.sort(key=lambda point: (int(point["step"]), point["run"], point["tag"]))
        return json_response({"series": len(keys), "points": points, "found": found})


def _condition(request: Request) -> Callable[[Floats], int | None]:
    kind = _WHEN.read(request)
    if kind == "nonfinite":
        return first_nonfinite
    if kind != "jump":
        return partial(first_beyond, limit=cast(float, _VALUE.read(request)), above=kind == "above")
    sigma = _LEAST_SIGMA.read(request)
    if sigma is not None and sigma <= 0:
        raise InvalidArgument(_SIGMA(value=sigma))
    window = _JUMP_WINDOW.read(request)
    return partial(first_jump, sigma=SIGMA if sigma is None else sigma, window=window or WINDOW)


_WHEN, _VALUE = choice("when", KINDS), number("value", required=True)
_LEAST_SIGMA, _JUMP_WINDOW = number("sigma"), whole_number("window", 2, _MOST_WINDOW)
_PARTS = (_WHEN, number("value"), _LEAST_SIGMA, _JUMP_WINDOW)
# What ``/first`` reads beside the series: the condition, of which ``value`` is a part for some kinds.
FIRST_READS = (
    Reader("when", _condition, [one for part in _PARTS for one in part.parameters], {400: ["scalar_sigma"]}),
    attempts,
)


def _described(key: SeriesKey, columns: ScalarColumns, at: int) -> dict[str, str | int | float]:
    return {
        "run": key.run,
        "tag": key.tag,
        "step": step_of(int(columns.steps[at])),
        "wall_time": float(columns.wall_times[at]),
        "value": float(columns.values[at]),
    }
