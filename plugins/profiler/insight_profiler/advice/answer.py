"""Advice as JSON: what was checked, what was found, and what the time of a step depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import asdict, evolve, field, frozen

from insight_core.plugin import Messages
from insight_profiler.advice.checking import check_evidence, check_job
from insight_profiler.advice.communication_rules import exposed_communication, without_waiting
from insight_profiler.advice.contract import Advice, CheckedProfileRule, NotApplicable
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.figures import figures
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.words import texts
from insight_profiler.model import Profile

NO_ADVICE: Mapping[str, Any] = {
    "rules": [],
    "advice": [],
    "path": None,
    "figures": {},
    "ranks": {"shown": 0, "unread": 0, "read": 0, "total": 0},
    "messages": {},
}


@frozen(eq=False)
class CheckedProfile:
    """What the rules say of a profile. ``path``: ns of the critical path of the replayed steps by what it
    consists of, None where nothing can be replayed; ``figures``: how well the device is used."""

    rules: Sequence[CheckedProfileRule]
    path: Mapping[str, int] | None
    figures: Mapping[str, float]


@frozen(eq=False)
class CheckedJob:
    """What the rules say of the ranks of a job, the share of its time that each of them waits for slower
    ones, by path, and how many ranks are missing."""

    rules: Sequence[CheckedProfileRule]
    waiting: Mapping[str, float] = field(factory=dict)
    missing: int = 0


def checked_profile(profile: Profile) -> CheckedProfile:
    """What the rules say of one profile."""
    evidence = Evidence(profile)
    return CheckedProfile(check_evidence(evidence), _path(evidence), figures(evidence))


def checked_job(ranks: Mapping[str, Profile], unread: int, missing: int) -> CheckedJob:
    """What the rules about ranks say of a job: ``ranks`` are summaries by path, ``unread`` more are not
    there yet, ``missing`` others never will be."""
    evidence = JobEvidence(ranks, unread, missing)
    return CheckedJob(check_job(evidence), evidence.waiting, missing)


def advice_answer(own: CheckedProfile, job: CheckedJob, path: str) -> dict[str, Any]:
    """The answer about the profile with this path. ``rules``: each with its state and, if it could not be
    checked, the reason; ``advice``, what saves most first; ``path`` and ``figures``; ``messages``: texts by
    locale."""
    checked = all_rules(own, job, path)
    answer: dict[str, Any] = {
        "rules": [_rule(one) for one in checked],
        "advice": in_order(told(one.rule.id, advice) for one in checked for advice in one.found),
        "path": own.path,
        "figures": {**own.figures, **_waiting_figure(own, job, path)},
    }
    return {**answer, "messages": Messages.said_in(answer, texts())}


def all_rules(own: CheckedProfile, job: CheckedJob, path: str) -> list[CheckedProfileRule]:
    """What the rules say of the profile with this path, those about its job last."""
    return [*(_without_waiting(one, job, path) for one in own.rules), *job.rules]


def _waiting_figure(own: CheckedProfile, job: CheckedJob, path: str) -> dict[str, float]:
    """How much of the communication that nothing hides is waiting for slower ranks."""
    if path not in job.waiting or "exposed_communication" not in own.figures:
        return {}
    return {"slower_ranks": min(job.waiting[path], own.figures["exposed_communication"])}


def _without_waiting(checked: CheckedProfileRule, job: CheckedJob, path: str) -> CheckedProfileRule:
    """A rule about communication does not count the time that the rank waits for slower ones. Where that is
    not known of all ranks, its estimate is the most that is saved."""
    if checked.rule.check is not exposed_communication:
        return checked
    left = (without_waiting(advice, job.waiting.get(path, 0.0)) for advice in checked.found)
    found = tuple(advice for advice in left if advice is not None)
    if path not in job.waiting or job.missing:
        found = tuple(evolve(advice, basis="share") for advice in found)
    return evolve(checked, found=found)


def told(rule: str, advice: Advice) -> dict[str, Any]:
    """A piece of advice as a JSON object."""
    return {
        "rule": rule,
        "severity": advice.severity,
        "saw": advice.saw.fields(),
        "why": advice.why.fields(),
        "change": advice.change.fields(),
        "places": [asdict(place) for place in advice.places],
        "saves": advice.saves,
        "basis": advice.basis if advice.saves is not None else None,
        "later": advice.later,
    }


def in_order(found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Errors first, then by what they save, now or at least later."""

    def place(one: dict[str, Any]) -> tuple[bool, float, float]:
        return one["severity"] != "error", -(one["saves"] or 0.0), -(one["later"] or 0.0)

    return sorted(found, key=place)


def _rule(checked: CheckedProfileRule) -> dict[str, Any]:
    state = "unchecked" if checked.unchecked is not None else "found" if checked.found else "nothing"
    reason = None if checked.unchecked is None else checked.unchecked.fields()
    return {
        "id": checked.rule.id,
        "title": checked.rule.title.fields(),
        "state": state,
        "reason": reason,
        "may_change": checked.may_change,
    }


def _path(evidence: Evidence) -> Mapping[str, int] | None:
    try:
        return evidence.path or None
    except NotApplicable:
        return None
