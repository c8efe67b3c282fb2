"""Evaluates rules: those about series on the points that are new, those about runs now and then."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import pairwise

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_alerts.alert import Alert
from insight_alerts.rules import OF_SERIES, AlertRule, AlertRules
from insight_core.plugin import PluginNameEnum, ReadRunColumns
from insight_core.plugin.data import DataProvider, ScalarColumns, ScalarQuery, SeriesInfo, SeriesKey
from insight_core.plugin.findings import SEVERITIES, Finding
from insight_core.plugin.lab import FindFaults

OWN_RULE = "alerts"  # about alerts themselves
_HOST = "run"  # whose columns of the run table are status and time of the last record
_ENDS = ("finished", "failed", "stopped")


@frozen
class _Seen:
    """How far a series was evaluated: ``at_last`` of its points have the last step."""

    attempts: int
    points: int
    last_step: int
    at_last: int


@frozen(eq=False)
class _Points:
    """Points of one attempt, which counts from 1."""

    attempt: int
    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]


class Watch:
    """What rules find in the data. Called by one thread.

    Each point of a series is looked at once: the next look begins after the last step, and only a restart
    of the run makes it begin again. A rule has at most one alert for each attempt of a series.
    """

    def __init__(self, rules: AlertRules, data: DataProvider, run_columns: ReadRunColumns) -> None:
        self._data = data
        self._run_columns = run_columns
        self._of_series = [rule for rule in rules.rules if rule.kind in OF_SERIES]
        self._of_runs = [rule for rule in rules.rules if rule.kind in ("stalled", "ended")]
        self._of_findings = [rule for rule in rules.rules if rule.kind == "finding"]
        self._by_tag: dict[str, tuple[AlertRule, ...]] = {}
        self._seen: dict[SeriesKey, _Seen] = {}

    def series(self, changed: Collection[SeriesKey] | None = None, *, whole: bool = False) -> Iterator[Alert]:
        """Alerts of the points that are new, of these series or of all. Raises InsightError.

        ``whole``: of all points of these series, because some may have been replaced.
        """
        if not self._of_series:
            return
        for info in self._infos(changed, whole):
            rules = [rule for rule in self._rules_of(info.key.tag) if rule.run.search(info.key.run)]
            if rules:
                yield from self._series(info, rules)

    def runs(self, now: float | None = None) -> Iterator[Alert]:
        """Alerts of runs that ended or make no progress. Raises InsightError.

        Runs of which something is not read yet have none: their last record is not known.
        """
        if not self._of_runs or not self._data.progress().loaded_once:
            return
        now = time.time() if now is None else now
        loading = {run.name for run in self._data.runs() if run.loading}
        asked = self._run_columns(["status", "updated"])
        columns = {one.name: one.values for one in asked if one.plugin == _HOST}
        statuses = columns.get("status", {})
        for run, last in columns.get("updated", {}).items():
            if run in loading or not isinstance(last, float):
                continue
            status = str(statuses.get(run, ""))
            for rule in self._of_runs:
                if rule.run.search(run) and (alert := _of_run(rule, run, status, last, now)):
                    yield alert

    def findings(self, find: FindFaults, seconds: float | None = None) -> Iterator[Alert]:
        """Alerts of what the rules of all plugins find, one for a rule, run and tag. Raises InsightError."""
        if not self._of_findings or not self._data.progress().loaded_once:
            return
        now = time.time()
        for one in find(seconds=seconds).each:
            if one.rule == OWN_RULE or one.severity == "good":
                continue
            for rule in self._of_findings:
                is_bad = SEVERITIES.index(one.severity) <= rule.number
                if is_bad and rule.finds.search(one.rule) and rule.run.search(one.run):
                    yield _of_finding(rule, one, now)

    def _infos(self, changed: Collection[SeriesKey] | None, whole: bool) -> Iterator[SeriesInfo]:
        plugin = PluginNameEnum.SCALAR
        if changed is None:
            if whole:
                self._seen.clear()
            yield from self._data.series(plugin)
            return
        wanted = {key for key in changed if self._rules_of(key.tag)}
        if not wanted:
            return
        runs, tags = {key.run for key in wanted}, {key.tag for key in wanted}
        there = [info for info in self._data.series(plugin, runs=runs, tags=tags) if info.key in wanted]
        for key in wanted if whole else wanted - {info.key for info in there}:
            self._seen.pop(key, None)
        yield from there

    def _rules_of(self, tag: str) -> tuple[AlertRule, ...]:
        found = self._by_tag.get(tag)
        if found is None:
            found = tuple(rule for rule in self._of_series if rule.tag.search(tag))
            self._by_tag[tag] = found
        return found

    def _series(self, info: SeriesInfo, rules: list[AlertRule]) -> Iterator[Alert]:
        for points in self._new_points(info):
            for rule in rules:
                at = _first(_CONDITIONS[rule.kind](points.values, rule.number))
                if at is not None:
                    time_of = float(points.wall_times[at])
                    now = time.time()
                    yield Alert(
                        rule=rule.name,
                        key=rule.key,
                        kind=rule.kind,
                        run=info.key.run,
                        tag=info.key.tag,
                        subject=str(points.attempt),
                        step=int(points.steps[at]),
                        value=float(points.values[at]),
                        at=time_of if math.isfinite(time_of) and time_of > 0 else now,
                        found=now,
                    )

    def _new_points(self, info: SeriesInfo) -> Iterator[_Points]:
        before = self._seen.get(info.key)
        if before is not None and before.attempts == info.attempts and before.points <= info.points:
            if before.points == info.points:
                return
            columns = self._columns(info.key, ScalarQuery(window=(before.last_step, None)))
            if columns is None:
                return
            known = min(before.at_last, int((columns.steps == before.last_step).sum()))
            yield _part(columns, known, len(columns.steps), info.attempts)
        else:
            columns = self._columns(info.key, ScalarQuery())
            if columns is None:
                return
            # in the order of steps: an attempt goes from where it begins to where a later one does
            begins = [0, *np.minimum.accumulate(np.searchsorted(columns.steps, columns.restarts)[::-1])[::-1]]
            for attempt, (start, end) in enumerate(pairwise([*map(int, begins), len(columns.steps)]), 1):
                if start < end:
                    yield _part(columns, start, end, attempt)
        if len(columns.steps):
            last = int(columns.steps[-1])
            at_last = int((columns.steps == last).sum())
            self._seen[info.key] = _Seen(info.attempts, info.points, last, at_last)

    def _columns(self, key: SeriesKey, query: ScalarQuery) -> ScalarColumns | None:
        return self._data.scalars(PluginNameEnum.SCALAR, [key], query).get(key)


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


def _of_finding(rule: AlertRule, one: Finding, now: float) -> Alert:
    """The alert of a finding; its sentence is the status. When it began is not known, so it is of now."""
    step = None if one.place.steps is None else one.place.steps[0]
    return Alert(
        rule.name, rule.key, rule.kind, one.run, one.place.tag, one.rule, step, None, now, now, str(one.saw)
    )


def _of_run(rule: AlertRule, run: str, status: str, last: float, now: float) -> Alert | None:
    """The alert of a rule about a run whose last record is of the time ``last``."""
    if rule.kind == "ended":
        if status not in _ENDS:
            return None
        at, value = last, None
    else:
        at, value = last + 60 * rule.number, rule.number
        if now < at or status in ("finished", "failed"):
            return None
    return Alert(rule.name, rule.key, rule.kind, run, "", repr(last), None, value, at, now, status)
