"""Makes alerts of what the host finds: of the thresholds of a file, and of the rules of all plugins."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from insight_alerts.alert import Alert
from insight_alerts.rules import OF_SERIES, AlertRule, AlertRules
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.findings import SEVERITIES, Finding, Findings
from insight_core.plugin.lab import FindFaults


class Watch:
    """Alerts of findings that are new. Called by one thread.

    The host's table of findings is the only one that checks anything: a look asks it about the rules of the
    file, and about runs that have changed. An alert is given until its receiver has taken it without an
    error, and never again.
    """

    def __init__(self, rules: AlertRules, data: DataProvider, find: FindFaults) -> None:
        self._data = data
        self._find = find
        self._of_series = {one.id: one for one in rules.rules if one.kind in OF_SERIES}
        self._of_runs = {one.id: one for one in rules.rules if one.kind in ("stalled", "ended")}
        self._of_findings = [one for one in rules.rules if one.kind == "finding"]
        self._given: set[str] = set()  # ids of alerts
        self._due: set[str] = set()  # runs about which a rule could not tell
        self.failure = ""  # why it could not

    def series(self, changed: Collection[SeriesKey] | None = None) -> Iterator[Alert]:
        """Alerts of values in series that changed, or in all. Raises InsightError."""
        if not self._of_series:
            return
        runs = None
        if changed is not None:
            runs = sorted(self._due.union(key.run for key in changed if self._is_about(key)))
            if not runs:
                return
        found = self._find(runs, rules=self._of_series.keys())
        self._note(found)
        yield from self._new(_of_thresholds(self._of_series, found))

    def runs(self) -> Iterator[Alert]:
        """Alerts of runs that ended or make no progress. Raises InsightError."""
        if self._of_runs and self._data.progress().loaded_once:
            yield from self._new(_of_thresholds(self._of_runs, self._find(rules=self._of_runs.keys())))

    def findings(self, seconds: float | None = None) -> Iterator[Alert]:
        """Alerts of what the rules of all plugins find, one for a rule, run and tag. Raises InsightError."""
        if self._of_findings and self._data.progress().loaded_once:
            yield from self._new(self._of_others(self._find(seconds=seconds)))

    def _of_others(self, found: Findings) -> Iterator[Alert]:
        now = time.time()
        for one in found.each:
            if one.severity == "good" or one.rule in self._of_series or one.rule in self._of_runs:
                continue
            for rule in self._of_findings:
                is_bad = SEVERITIES.index(one.severity) <= rule.number
                if is_bad and rule.finds.search(one.rule) and rule.run.search(one.run):
                    yield _of_finding(rule, one, now)

    def _is_about(self, key: SeriesKey) -> bool:
        return any(one.tag.search(key.tag) and one.run.search(key.run) for one in self._of_series.values())

    def _note(self, found: Findings) -> None:
        """Runs about which a rule could not tell are asked about again by the next look."""
        unchecked = [one for one in found.unchecked if one.rule in self._of_series and not one.missing]
        self._due = {run for one in unchecked for run in one.runs}
        self.failure = str(unchecked[0].reason) if unchecked else ""

    def _new(self, alerts: Iterable[Alert]) -> Iterator[Alert]:
        for alert in alerts:
            if alert.id not in self._given:
                yield alert
                self._given.add(alert.id)


def _of_thresholds(rules: Mapping[str, AlertRule], found: Findings) -> list[Alert]:
    """The alerts of thresholds by run and tag, and then as the file has the rules."""
    places, now = [*rules], time.time()
    findings = sorted(found.each, key=lambda one: (one.run, one.place.tag, places.index(one.rule)))
    return [_of_threshold(rules[one.rule], one, now) for one in findings]


def _of_threshold(rule: AlertRule, one: Finding, now: float) -> Alert:
    details: Any = one.saw.details
    step = None if one.place.steps is None else one.place.steps[0]
    number, status = details["number"], str(details.get("status", ""))
    return Alert(
        rule.name,
        rule.key,
        rule.kind,
        one.run,
        one.place.tag,
        details["subject"],
        step,
        float(number) if number else None,
        details["at"],
        now,
        status,
    )


def _of_finding(rule: AlertRule, one: Finding, now: float) -> Alert:
    """The alert of a finding; its sentence is the status. When it began is not known, so it is of now."""
    step = None if one.place.steps is None else one.place.steps[0]
    return Alert(
        rule.name, rule.key, rule.kind, one.run, one.place.tag, one.rule, step, None, now, now, str(one.saw)
    )
