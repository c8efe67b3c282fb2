"""All rules about profiles, and what they say of one."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from attrs import evolve

from insight_profiler.advice import (
    communication_rules,
    device_rules,
    host_rules,
    idle_rules,
    operator_rules,
    rank_rules,
    step_rules,
)
from insight_profiler.advice.contract import CheckedProfileRule, NotApplicable, ProfileRule
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.words import said
from insight_profiler.model import Profile

_log = logging.getLogger(__name__)

RULES: Sequence[ProfileRule[Evidence]] = (
    *host_rules.RULES,
    *idle_rules.RULES,
    *device_rules.RULES,
    *operator_rules.RULES,
    *communication_rules.RULES,
    *step_rules.RULES,
)
RANK_RULES: Sequence[ProfileRule[JobEvidence]] = rank_rules.RULES


def check(profile: Profile) -> list[CheckedProfileRule]:
    """What each rule says, in the order of ``RULES``."""
    return check_evidence(Evidence(profile))


def check_evidence(evidence: Evidence) -> list[CheckedProfileRule]:
    """``check`` of a profile of which some facts may be known."""
    return list(_checked(RULES, evidence))


def check_job(job: JobEvidence) -> list[CheckedProfileRule]:
    """What each of ``RANK_RULES`` says of the ranks of a job. Where ranks are missing, a rule that finds
    nothing cannot tell: it may be one of these."""
    checked = list(_checked(RANK_RULES, job))
    if not job.missing:
        return checked
    known = len(job.summaries)
    reason = said("ranks_missing", known=known, count=known + job.missing)
    return [
        one if one.found or one.unchecked is not None else evolve(one, unchecked=reason) for one in checked
    ]


def _checked(rules: Iterable[ProfileRule[Any]], evidence: object) -> Iterator[CheckedProfileRule]:
    for rule in rules:
        try:
            yield CheckedProfileRule(rule, tuple(rule.check(evidence)))
        except NotApplicable as error:
            yield CheckedProfileRule(rule, unchecked=error.reason, may_change=error.may_change)
        except Exception as error:  # an error of one rule hides no other
            _log.exception("the rule %s failed", rule.id)
            yield CheckedProfileRule(
                rule, unchecked=said("rule_failed", cause=f"{type(error).__name__}: {error}")
            )
