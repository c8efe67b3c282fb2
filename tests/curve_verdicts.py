"""Checks rules on planted and healthy runs, and counts what they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import insight_diagnose
import numpy as np
from attrs import field, frozen

from insight_core.plugin.findings import Finding
from insight_core.registry import Registry
from insight_core.web import Host
from tests.support.curves import Kind, Planted, provider_of


@frozen
class Told:
    """One finding: its rule, whether it is more than a hint, and all that a verdict needs."""

    rule: str
    finding: Finding

    @property
    def step(self) -> object:
        """The step that its text names, or the first one of its place."""
        steps = self.finding.place.steps
        return self.finding.saw.details.get("step", steps[0] if steps else None)


@frozen(eq=False)
class Tally:
    """How often each verdict was given, and the cases that are not as they should be."""

    verdicts: Counter[str] = field(factory=Counter)
    others: Counter[str] = field(factory=Counter)  # rules that name another cause; hints end with "?"
    alarms: int = 0  # runs with another warning or error
    wrong: list[str] = field(factory=list)


def cases(kinds: Iterable[Kind], seeds: Sequence[int], each: int) -> Iterable[tuple[str, Planted]]:
    """So many cases of each kind and seed, named; the same for the same seeds."""
    for kind in kinds:
        for seed in seeds:
            for number in range(each):
                rng = np.random.default_rng([seed, number, len(kind.__name__)])
                yield f"{kind.__name__}-{seed}-{number}", kind(rng)


def told_of(registry: Registry, case: Planted) -> list[Told]:
    """What the rules find in all runs of a case. No rule may fail."""
    data = provider_of(case)
    rules = Host(registry, data).check_rules([run.name for run in data.runs()]).rules
    assert [(one.rule.id, one.unchecked) for one in rules if one.failed] == []
    return [Told(one.rule.id, finding) for one in rules for finding in one.findings]


def verdict(case: Planted, told: Iterable[Told]) -> str:
    """``named``, ``step`` (at another step), ``text`` (without a cause), or ``missed``."""
    right = [one for one in told if one.rule in case.rules and one.finding.run == case.run]
    if not right:
        return "missed"
    if case.codes and case.codes.isdisjoint(one.finding.change.code for one in right if one.finding.change):
        return "text"
    if case.steps is None:
        return "named"
    low, high = case.steps
    return "named" if any(isinstance(one.step, int) and low <= one.step <= high for one in right) else "step"


def tally(kinds: Iterable[Kind], seeds: Sequence[int], each: int) -> Tally:
    """The verdicts on all cases; healthy ones are ``silent``, whatever is said (see ``others``)."""
    registry = Registry.of([("diagnose", lambda: insight_diagnose)])
    found = Tally()
    alarms = 0
    for name, case in cases(kinds, seeds, each):
        told = told_of(registry, case)
        said = verdict(case, told) if case.rules else "silent"
        others = [one for one in told if one.rule not in case.rules | case.also]
        found.verdicts[said] += 1
        found.others.update(one.rule + "?" * (one.finding.severity == "hint") for one in others)
        alarms += any(one.finding.severity != "hint" for one in others)
        if said not in ("named", "silent") or others:
            texts = [f"{one.rule}: {one.finding.saw}" for one in told]
            found.wrong.append(f"{name} {said} {case.steps} {texts}")
    return Tally(found.verdicts, found.others, alarms, found.wrong)
