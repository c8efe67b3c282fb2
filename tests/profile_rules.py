"""The rules about profiles, checked without a host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import evolve, frozen
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.building import Building
from insight_profiler.model import Profile, Source
from insight_profiler.rules import RANK_RULES, RULES

from insight_core.plugin import Reason
from insight_core.plugin.findings import Examined, Finding, Findings, NotChecked, Rule
from insight_core.plugin.findings.answer import RuleState

NOBODY: Any = None  # no rule about a profile asks its context


@frozen(eq=False)
class Checked:
    """What one rule said, or why it could not tell."""

    rule: Rule
    found: tuple[Finding, ...] = ()
    unchecked: Reason | None = None
    may_change: bool = False


def check(profile: Profile, name: str = "") -> list[Checked]:
    """What each rule about one profile says."""
    return _checked([rule for rule in RULES if rule not in RANK_RULES], Evidence(profile, name=name))


def check_job(job: JobEvidence) -> list[Checked]:
    """What each rule about the ranks of a job says."""
    return _checked(RANK_RULES, Evidence(Building(Source.TORCH).finish(), job))


def findings_of(profile: Profile) -> Findings:
    """What a host says of a profile of one rank."""
    checked = check(profile)
    states = [RuleState("profiler", one.rule.id, one.rule.title, "profile", ("",)) for one in checked]
    found = [evolve(each, rule=one.rule.id) for one in checked for each in one.found]
    return Findings(found, states, (), ("",), 0, ())


def saves(one: Finding) -> float:
    """What the change saves now."""
    assert one.saves is not None
    return one.saves.low


def _checked(rules: Iterable[Rule], evidence: Evidence) -> list[Checked]:
    examined = Examined(NOBODY, ("",), {}, lambda _: None, profile=evidence)
    found = []
    for rule in rules:
        try:
            found.append(Checked(rule, tuple(rule.check(examined))))
        except NotChecked as error:
            found.append(Checked(rule, unchecked=Reason.of(error), may_change=error.may_change))
    return found
