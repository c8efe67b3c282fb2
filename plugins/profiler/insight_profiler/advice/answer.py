"""Advice as JSON: what was checked, what was found, and what the time of a step depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import asdict

from insight_core.plugin import Messages, Reason
from insight_profiler.advice.checking import check_evidence, check_job
from insight_profiler.advice.contract import Advice, CheckedProfileRule, NotApplicable
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.figures import figures
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.model import Profile

NO_ADVICE: Mapping[str, Any] = {
    "rules": [],
    "advice": [],
    "path": None,
    "figures": {},
    "ranks": {"shown": 0, "unread": 0, "read": 0, "total": 0},
    "messages": {},
}


def advice_answer(profile: Profile) -> dict[str, Any]:
    """``rules``: each with its state and, if it could not be checked, the reason; ``advice``, what saves
    most first; ``path``: ns of the critical path of the replayed steps by what it consists of, None where
    nothing can be replayed; ``figures``: how well the device is used; ``messages``: texts by locale."""
    evidence = Evidence(profile)
    checked = check_evidence(evidence)
    found = [told(one.rule.id, advice) for one in checked for advice in one.found]
    rules = [_rule(one) for one in checked]
    return {
        "rules": rules,
        "advice": in_order(found),
        "path": _path(evidence),
        "figures": figures(evidence),
        "messages": {messages.locale: dict(messages.texts) for messages in texts()},
    }


def checked_ranks(ranks: Mapping[str, Profile], unread: int) -> list[CheckedProfileRule]:
    """What the rules about ranks say of a job: ``ranks`` are summaries by path, ``unread`` more are not
    there yet."""
    return check_job(JobEvidence(ranks, unread))


def with_ranks(answer: Mapping[str, Any], checked: Iterable[CheckedProfileRule]) -> dict[str, Any]:
    """The answer about a profile, with what rules say about the ranks of its job."""
    checked = list(checked)
    found = [told(one.rule.id, advice) for one in checked for advice in one.found]
    return {
        **answer,
        "rules": [*answer["rules"], *(_rule(one) for one in checked)],
        "advice": in_order([*answer["advice"], *found]),
    }


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


@cache
def texts() -> tuple[Messages, ...]:
    """The texts of advice and of errors in other languages."""
    return (Messages.read("zh-CN", Path(__file__).parents[1] / "reasons.zh-CN.json"),)


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


def reason_of(fields: Mapping[str, Any]) -> Reason:
    """The text that ``Reason.fields`` made an object of."""
    return Reason(str(fields["error"]), str(fields.get("code", "")), **fields.get("details", {}))
