"""Series that are computed: from expressions over tags, and by smoothers that providers do not have."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import cast

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray
from werkzeug import Request

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.data import (
    DataProvider,
    ScalarColumns,
    ScalarQuery,
    SeriesField,
    SeriesKey,
    SeriesTable,
)
from insight_core.plugin.http import Reader, series_keys, texts
from insight_scalar.along import AlongColumns, in_view, joined, narrowed
from insight_scalar.bands import first_extremes, pixel_columns
from insight_scalar.expressions import Expression, Floats, parsed
from insight_scalar.smoothers import Smoother, smoothed

_SIGN = "="  # before an expression in the place of a tag
_TAGS, _RUNS = texts("tag"), texts("run")
_POINTS = 1_000_000  # that are asked for at a time, but for one series whatever it has
_MISSING_PARAMETER = ReasonKind("missing_parameter", "width is missing", "name")


@frozen
class SmoothedQuery(ScalarQuery):
    """A query that also says how its ``smoothing`` is meant, and the expression that is its x."""

    smoother: Smoother = "ema"
    along: str | None = None

    def plain(self) -> ScalarQuery:
        """What a provider is asked: smoothing is meant as TensorBoard's."""
        return ScalarQuery(
            self.x, self.log_x, self.window, self.width, self.smoothing, self.attempts, self.nearest
        )

    def is_plain_for(self, keys: Iterable[SeriesKey]) -> bool:
        """Whether every provider answers for these series as the query says."""
        is_plain = self.along is None and (self.smoother == "ema" or not self.smoothing)
        return is_plain and not any(key.tag.startswith(_SIGN) for key in keys)


@frozen(eq=False)
class DerivedData:
    """Scalars of a provider, and those derived from them.

    The tag of a derived series is ``=`` and its expression. The series of its tags are aligned by step: there
    is a point at each step at which all of them have one. Of several points at one step the last counts, of
    several attempts the last. Wall times are those of the first tag, restarts those of all.
    """

    data: DataProvider

    def keys(self, plugin: str) -> Reader[list[SeriesKey]]:
        """Reads the series that ``run`` and ``tag`` name; of an expression, those of runs with all its tags.

        Raises InvalidArgument for an expression that is not valid.
        """
        plain = series_keys(self.data, plugin)

        def read(request: Request) -> list[SeriesKey]:
            tags = list(dict.fromkeys(_TAGS.read(request)))
            if not any(tag.startswith(_SIGN) for tag in tags):
                return plain.read(request)
            return self._keys(plugin, tags, list(dict.fromkeys(_RUNS.read(request))))

        return evolve(plain, read=read)

    def _keys(self, plugin: str, tags: Sequence[str], named: Sequence[str]) -> list[SeriesKey]:
        existing = {
            table.run: set(table.tags) for table in self.data.series_tables(plugin, [], runs=named or None)
        }
        recorded = set().union(*existing.values())
        keys: list[SeriesKey] = []
        for tag in tags:
            needed = {tag}
            if tag.startswith(_SIGN) and tag not in recorded:
                needed = set(self.expression(plugin, tag.removeprefix(_SIGN)).tags)
            keys += [SeriesKey(run, tag) for run in named or existing if needed <= existing.get(run, set())]
        return keys

    def series_tables(
        self,
        plugin: str,
        fields: Collection[SeriesField],
        *,
        runs: Collection[str] | None = None,
        tags: Collection[str] | None = None,
    ) -> Sequence[SeriesTable]:
        """The series that the provider itself has."""
        return self.data.series_tables(plugin, fields, runs=runs, tags=tags)

    def expression(self, plugin: str, text: str) -> Expression:
        """Raises InvalidArgument for an expression that is not valid."""
        return parsed(text, lambda: self._tags(plugin))

    def _tags(self, plugin: str) -> set[str]:
        return {tag for table in self.data.series_tables(plugin, []) for tag in table.tags}

    def scalars(
        self, plugin: str, keys: Collection[SeriesKey], query: ScalarQuery
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """See ``DataProvider.scalars``. Raises InvalidArgument for an expression that is not valid."""
        if isinstance(query, SmoothedQuery) and query.along is not None:
            return self._along(plugin, keys, query, self.expression(plugin, query.along))
        smoother = query.smoother if isinstance(query, SmoothedQuery) and query.smoothing else "ema"
        if smoother == "ema":
            plain = query.plain() if isinstance(query, SmoothedQuery) else query
            found = dict(self.data.scalars(plugin, keys, plain))
        else:
            found = {}
            for some in self.portions(plugin, keys):
                whole = self.data.scalars(plugin, some, ScalarQuery(x=query.x, attempts=query.attempts))
                found |= {key: answered(columns, query, smoother) for key, columns in whole.items()}
        derived = [key for key in keys if key.tag.startswith(_SIGN) and key not in found]
        for tag in dict.fromkeys(key.tag for key in derived):
            expression = self.expression(plugin, tag.removeprefix(_SIGN))
            for run in (key.run for key in derived if key.tag == tag):
                whole_series = self._derived(plugin, run, expression)
                if whole_series is not None:
                    found[SeriesKey(run, tag)] = answered(whole_series, query, smoother)
        return {key: found[key] for key in keys if key in found}

    def _derived(self, plugin: str, run: str, expression: Expression) -> ScalarColumns | None:
        """None if the run lacks one of the tags."""
        inputs = [SeriesKey(run, name) for name in expression.tags]
        given = self.data.scalars(plugin, inputs, ScalarQuery(x="step"))
        if not all(key in given for key in inputs):
            return None
        return _evaluated(expression, {key.tag: given[key] for key in inputs})

    def _along(
        self, plugin: str, keys: Collection[SeriesKey], query: SmoothedQuery, axis: Expression
    ) -> Mapping[SeriesKey, ScalarColumns]:
        """The points at whose steps the axis has a value; a run without the axis has none."""
        axes: dict[str, ScalarColumns | None] = {}
        found: dict[SeriesKey, ScalarColumns] = {}
        for some in self.portions(plugin, keys):
            whole = self.scalars(plugin, some, ScalarQuery(x="step", attempts=query.attempts))
            for key, columns in whole.items():
                if key.run not in axes:
                    axes[key.run] = self._derived(plugin, key.run, axis)
                found[key] = answered(joined(columns, axes[key.run]), query, query.smoother)
        return found

    def each(
        self, plugin: str, keys: Sequence[SeriesKey], query: ScalarQuery
    ) -> Iterator[tuple[SeriesKey, ScalarColumns]]:
        """The points of each series, of some million points at a time: whoever takes them bounds memory."""
        for some in [keys] if query.width is not None else self.portions(plugin, keys):
            columns = self.scalars(plugin, some, query)
            for key in some:
                if key in columns:
                    yield key, columns[key]

    def portions(self, plugin: str, keys: Collection[SeriesKey]) -> Iterator[Sequence[SeriesKey]]:
        """The keys, in portions of some million points: to read one after the other bounds memory.

        A derived series is a portion by itself, for its number of points is not known.
        """
        runs, tags = {key.run for key in keys}, {key.tag for key in keys}
        kept = {
            SeriesKey(table.run, tag): cast(int, count)
            for table in self.data.series_tables(plugin, ["kept"], runs=runs, tags=tags)
            for tag, count in zip(table.tags, table.column("kept"), strict=True)
        }
        portion: list[SeriesKey] = []
        points = 0
        for key in keys:
            count = kept.get(key, _POINTS)
            if portion and points + count > _POINTS:
                yield portion
                portion, points = [], 0
            portion.append(key)
            points += count
        if portion:
            yield portion


def _evaluated(expression: Expression, inputs: Mapping[str, ScalarColumns]) -> ScalarColumns:
    lasts = {tag: _last_of_steps(columns.steps) for tag, columns in inputs.items()}
    steps = reduce(
        lambda one, other: np.intersect1d(one, other, assume_unique=True),
        [inputs[tag].steps[last] for tag, last in lasts.items()],
    )
    places = {tag: last[np.searchsorted(inputs[tag].steps[last], steps)] for tag, last in lasts.items()}
    first = inputs[expression.tags[0]]
    wall_times = first.wall_times[places[expression.tags[0]]]
    origins = (columns.origin for columns in inputs.values() if len(columns.steps))
    origin = min(filter(math.isfinite, origins), default=0.0)
    # of a run whose tags restart together one restart, not one for each tag
    restarts = reduce(or_, (Counter(columns.restarts.tolist()) for columns in inputs.values()))
    values = {tag: inputs[tag].values[place].astype(np.float64) for tag, place in places.items()}
    values |= {"step": steps.astype(np.float64), "wall": wall_times, "relative": wall_times - origin}
    with np.errstate(all="ignore"):
        computed = expression.evaluate(values)
    return evolve(
        first,
        steps=steps,
        wall_times=wall_times,
        values=computed,
        points=len(steps),
        total=len(steps),
        hidden=0,
        purged=0,
        kept=len(steps),
        origin=origin,
        restarts=np.array(sorted(restarts.elements()), np.int64),
        breaks=np.zeros(0, np.int64),
    )


def _last_of_steps(steps: NDArray[np.int64]) -> NDArray[np.intp]:
    """Indices of the last point of each step, in the order of steps."""
    order = np.argsort(steps, kind="stable")
    return order[np.append(np.diff(steps[order]) > 0, True)] if len(steps) else order


def x_of(columns: ScalarColumns, query: ScalarQuery) -> NDArray[np.generic]:
    """The x of each point, in the units of the query."""
    if isinstance(columns, AlongColumns):
        return columns.xs
    if query.x == "step":
        return columns.steps
    return columns.wall_times - columns.origin if query.x == "relative" else columns.wall_times


def answered(columns: ScalarColumns, query: ScalarQuery, smoother: Smoother) -> ScalarColumns:
    """What ``query`` asks of a whole series, as a provider answers."""
    x = x_of(columns, query).astype(np.float64)
    is_path = isinstance(columns, AlongColumns) and columns.is_path
    order = columns.steps.astype(np.float64) if is_path else x
    raw, values = columns.values, columns.values
    edges = [0, *columns.breaks.tolist(), len(raw)]
    if query.smoothing:
        parts = [slice(start, stop) for start, stop in itertools.pairwise(edges)]
        values = np.concatenate(
            [smoothed(raw[part].astype(np.float64), order[part], smoother, query.smoothing) for part in parts]
        )
    low, high = query.window
    inside = np.ones(len(x), bool)
    inside &= x >= (-np.inf if low is None else low)
    inside &= x <= (np.inf if high is None else high)
    if low is None and high is None:
        inside[:] = True
    chosen, breaks = np.flatnonzero(inside), columns.breaks
    if is_path:
        chosen, parts_begin = in_view(inside)
        breaks = np.union1d(breaks, parts_begin)
    points, shown = len(chosen), raw[chosen]
    finite = x[np.isfinite(x)]
    extent = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    nonfinite = (int(np.isnan(shown).sum()), int((shown == np.inf).sum()), int((shown == -np.inf).sum()))
    if query.nearest is not None:
        distances = np.abs(x[chosen] - query.nearest)
        chosen = chosen[[int(np.nanargmin(distances))]] if np.isfinite(distances).any() else chosen[:0]
    elif query.width is not None and points > 4 * query.width:
        at, asked = x[chosen], query
        if is_path:  # columns of as many points, because x goes back
            at = np.arange(points, dtype=np.float64)
            asked = evolve(query, window=(0.0, points - 1.0), log_x=False)
        chosen = chosen[_envelope(at, values[chosen], breaks, chosen, extent, asked)]
    answer = evolve(columns, values=values, breaks=breaks, points=points, extent=extent, nonfinite=nonfinite)
    return narrowed(answer, chosen)


def _envelope(
    x: Floats,
    values: NDArray[np.float32] | NDArray[np.float64],
    breaks: NDArray[np.int64],
    places: NDArray[np.intp],
    extent: tuple[float, float],
    query: ScalarQuery,
) -> NDArray[np.intp]:
    """Of each column of each attempt the first, smallest, largest and last value, and the first of each
    kind that is not finite."""
    if query.width is None:
        raise InvalidArgument(_MISSING_PARAMETER(name="width"))
    finite = np.isfinite(x)
    columns = np.full(len(x), -2, np.int64)
    low, high = query.window  # an open end is that of x, which a restart takes back
    window = (extent[0] if low is None else low, extent[1] if high is None else high)
    columns[finite] = pixel_columns(x[finite], query.width, window, log_x=query.log_x)
    columns += np.searchsorted(breaks, places, side="right") * (query.width + 3)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(columns)) + 1])
    stretch = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(x))))
    known = np.where(np.isfinite(values), values, np.nan).astype(np.float64)
    kept = [starts, np.append(starts[1:], len(x)) - 1]
    kept += [first_extremes(ufunc, known, starts) for ufunc in (np.fmin, np.fmax)]
    for odd in (np.isnan(values), values == np.inf, values == -np.inf):
        hits = np.flatnonzero(odd)
        kept.append(hits[np.unique(stretch[hits], return_index=True)[1]])
    return np.unique(np.concatenate(kept))
