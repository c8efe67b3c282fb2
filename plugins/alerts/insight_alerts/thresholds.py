"""The thresholds of a file of alerts, as rules that the host checks with those of all plugins."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast
from weakref import WeakSet

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from insight_alerts.alert import shown
from insight_alerts.rules import OF_SERIES, AlertRule, AlertRules
from insight_core.plugin import PluginContext, PluginNameEnum, ReasonKind
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesKey
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Needs, NotChecked, Rule
from insight_core.plugin.lab import Severity

_SCALAR = PluginNameEnum.SCALAR
_HOST = "run"  # whose columns of the run table are status and time of the last record
_FRESH = 1.0  # seconds; one reading of these columns is for all runs
_ENDS: Mapping[str, Severity] = {
    "finished": "good",
    "failed": "warning",
    "stopped": "hint",
}  # severities, by status
_VALUE = ReasonKind(
    "alerts_value",
    'alert "{rule}": {tag} of {run} is {value} at step {step}',
    "number",  # the value with all its digits
    "subject",  # the number of the attempt
    "at",
)
_STALLED = ReasonKind(
    "alerts_stalled",
    'alert "{rule}": {run} has made no progress for {minutes:g} minutes',
    "number",
    "subject",  # the time of the last record
    "at",
    "status",
)
_ENDED = ReasonKind("alerts_ended", 'alert "{rule}": {run} has ended ({status})', "number", "subject", "at")
_LOADING = ReasonKind("alerts_loading", "it is being read")


@frozen(eq=False)
class _Points:
    """Points of one attempt, which counts from 1."""

    attempt: int
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]


@frozen(eq=False)
class _Seen:
    """Keeps how far a series was checked: ``at_last`` of its points have the last step.

    ``found`` are the first points of attempts that are beyond a threshold, by the key of that and attempt.
    """

    attempts: int
    points: int
    last_step: int
    at_last: int
    found: Mapping[tuple[str, int], Finding] = field(factory=dict)


class Thresholds:
    """Rules of the host: one for each rule of a file that is about values or runs. For any thread.

    The host asks a rule about a whole run whenever that changes. Each point is looked at once all the same:
    200 runs that are being written would otherwise be read from their beginning with every point, of a data
    server through the network. So a look begins after the last step of the one before, and what was found
    stands until the series starts again or disappears. A rule has one finding for each attempt of a series.
    """

    def __init__(self, file: AlertRules, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._of_series = [one for one in file.rules if one.kind in OF_SERIES]
        self._of_runs = [one for one in file.rules if one.kind in ("stalled", "ended")]
        self._by_tag: dict[str, tuple[AlertRule, ...]] = {}
        self._lock, self._asking = threading.Lock(), threading.Lock()
        self._generation: int | None = None
        self._seen: dict[str, dict[str, _Seen]] = {}  # by run and tag
        self._looked_at: WeakSet[Examined] = WeakSet()
        self._columns: tuple[float, Mapping[str, tuple[str, float]]] = (-math.inf, {})

    def rules(self) -> Iterable[Rule]:
        """The rules of the host."""
        for one in self._of_series:
            check = partial(self._values, one)
            yield Rule(one.id, _title(one), check, Needs(plugins=[_SCALAR]))
        for one in self._of_runs:
            yield Rule(one.id, _title(one), partial(self._run, one), may_change=True)

    # --- values ---

    def _values(self, rule: AlertRule, examined: Examined) -> Iterator[Finding]:
        """The first point of each attempt of a series that is beyond the threshold."""
        if rule.run.search(examined.run):
            with self._lock:
                self._forget_gone(examined.ctx.data)
                self._look(examined)
                seen = [*self._seen.get(examined.run, {}).values()]
            for one in seen:
                yield from (finding for (key, _), finding in one.found.items() if key == rule.key)

    def _forget_gone(self, data: DataProvider) -> None:
        """Series that disappeared may come again with other points, of which as many are there as before."""
        if self._generation is None:
            self._generation = data.generation()
        elif data.generation() != self._generation:
            changes = data.changes(self._generation, timeout=0.0)
            self._generation = changes.generation
            if changes.gone and changes.series is None:
                self._seen.clear()
            elif changes.gone and changes.series is not None:
                for key in changes.series.get(_SCALAR, ()):
                    self._seen.get(key.run, {}).pop(key.tag, None)

    def _look(self, examined: Examined) -> None:
        """Looks at the points of a run that are new."""
        run, before, now = examined.run, self._seen.get(examined.run, {}), {}
        if examined in self._looked_at:
            return  # another rule of the file has asked
        of_run = {one.key for one in self._of_series if one.run.search(run)}
        table = examined.series()
        columns = [cast("Sequence[int]", table.column(name)) for name in ("points", "attempts")]
        for tag, points, attempts in zip(table.tags, *columns, strict=True):
            rules = [one for one in self._rules_of(tag) if one.key in of_run]
            if rules:
                key = SeriesKey(run, tag)
                now[tag] = self._looked(examined.ctx.data, key, points, attempts, before.get(tag), rules)
        self._looked_at.add(examined)
        self._seen[run] = now
        if not now:
            del self._seen[run]

    def _rules_of(self, tag: str) -> tuple[AlertRule, ...]:
        found = self._by_tag.get(tag)
        if found is None:
            found = tuple(rule for rule in self._of_series if rule.tag.search(tag))
            self._by_tag[tag] = found
        return found

    def _looked(
        self,
        data: DataProvider,
        key: SeriesKey,
        points: int,
        attempts: int,
        before: _Seen | None,
        rules: list[AlertRule],
    ) -> _Seen:
        if before is not None and (before.attempts != attempts or before.points > points):
            before = None
        if before is not None and before.points == points:
            return before
        found = {} if before is None else dict(before.found)
        query = ScalarQuery() if before is None else ScalarQuery(window=(before.last_step, None))
        columns = data.scalars(_SCALAR, [key], query).get(key)
        if columns is None:
            return _Seen(attempts, 0, 0, 0, found) if before is None else before
        for part in _new_points(columns, attempts, before):
            for rule in rules:
                if (rule.key, part.attempt) not in found:
                    at = _first(_CONDITIONS[rule.kind](part.values, rule.number))
                    if at is not None:
                        found[rule.key, part.attempt] = self._of_point(rule, key, part, at)
        if not len(columns.steps):
            return _Seen(attempts, 0, 0, 0, found) if before is None else before
        last = int(columns.steps[-1])
        return _Seen(attempts, points, last, int((columns.steps == last).sum()), found)

    def _of_point(self, rule: AlertRule, key: SeriesKey, points: _Points, at: int) -> Finding:
        value, step, when = float(points.values[at]), int(points.steps[at]), float(points.wall_times[at])
        saw = _VALUE(
            rule=shown(rule.name),
            run=shown(key.run),
            tag=shown(key.tag),
            value=f"{value:g}",
            step=step,
            number=repr(value),
            subject=str(points.attempt),
            at=when if math.isfinite(when) and when > 0 else self._clock(),
        )
        return Finding(key.run, "warning", saw, place=FindingPlace(_SCALAR, key.tag, (step, step)))

    # --- runs ---

    def _run(self, rule: AlertRule, examined: Examined) -> Iterator[Finding]:
        """A run that makes no progress, or has ended. Raises NotChecked before its last record is known."""
        run, now = examined.run, self._clock()
        if not rule.run.search(run):
            return
        if not examined.ctx.data.progress().loaded_once:
            raise NotChecked(_LOADING(), may_change=True)
        status, last = self._states(examined.ctx).get(run, ("", math.nan))
        if status == "loading":
            raise NotChecked(_LOADING(), may_change=True)
        place = FindingPlace("alerts")
        details = {"rule": shown(rule.name), "run": shown(run), "status": status, "subject": repr(last)}
        if rule.kind == "ended" and status in _ENDS and not math.isnan(last):
            yield Finding(run, _ENDS[status], _ENDED(**details, number="", at=last), place=place)
        elif rule.kind == "stalled" and status not in ("finished", "failed"):
            at = last + 60 * rule.number
            if now >= at:
                saw = _STALLED(**details, minutes=rule.number, number=repr(rule.number), at=at)
                yield Finding(run, "hint" if status in _ENDS else "warning", saw, place=place)

    def _states(self, ctx: PluginContext) -> Mapping[str, tuple[str, float]]:
        """The status of each run, and the time of its last record."""
        with self._asking:
            asked, found = self._columns
            if time.monotonic() > asked + _FRESH:
                loading = {one.name for one in ctx.data.runs() if one.loading}
                cells = ctx.run_columns(["status", "updated"])
                columns = {one.name: one.values for one in cells if one.plugin == _HOST}
                statuses = columns.get("status", {})
                found = {
                    run: ("loading" if run in loading else str(statuses.get(run, "")), last)
                    for run, last in columns.get("updated", {}).items()
                    if isinstance(last, float)
                }
                self._columns = time.monotonic(), found
            return found


def _title(rule: AlertRule) -> ReasonKind:
    return ReasonKind("", shown(rule.name).replace("{", "{{").replace("}", "}}"))


def _new_points(columns: ScalarColumns, attempts: int, before: _Seen | None) -> Iterator[_Points]:
    """The points after those that were looked at, or all, by attempt."""
    count = len(columns.steps)
    if before is not None:
        known = min(before.at_last, int((columns.steps == before.last_step).sum()))
        yield _part(columns, known, count, attempts)
        return
    # in the order of steps: an attempt goes from where it begins to where a later one does
    begins = [0, *np.minimum.accumulate(np.searchsorted(columns.steps, columns.restarts)[::-1])[::-1]]
    for attempt, (start, end) in enumerate(zip(begins, [*begins[1:], count], strict=True), 1):
        if start < end:
            yield _part(columns, int(start), int(end), attempt)


def _part(columns: ScalarColumns, start: int, end: int, attempt: int) -> _Points:
    values = np.asarray(columns.values[start:end], np.float64)
    return _Points(attempt, columns.steps[start:end], columns.wall_times[start:end], values)


_CONDITIONS: Mapping[str, Callable[[NDArray[np.float64], float], NDArray[np.bool_]]] = {
    "nan": lambda values, _: ~np.isfinite(values),
    "above": lambda values, limit: values > limit,
    "below": lambda values, limit: values < limit,
}


def _first(found: NDArray[np.bool_]) -> int | None:
    return int(found.argmax()) if found.any() else None
