"""Advice as JSON: the findings about one profile, and what the time of a step depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from attrs import asdict, evolve, frozen

from insight_core.plugin import Messages, Reason
from insight_core.plugin.findings import SEVERITIES, Finding, Findings
from insight_core.plugin.lab import FindFaults
from insight_profiler.advice.dialects import endings_of, why_in_words
from insight_profiler.advice.findings import at_most
from insight_profiler.advice.places import places_of
from insight_profiler.model import Profile
from insight_profiler.profiles.discovery import ProfileFiles
from insight_profiler.profiles.jobs import Job
from insight_profiler.rules import DeviceUse, OpenedProfiles

_FAST_HOST = "profiler_assumes_fast_host"
_NO_SAVING = "profiler_no_saving"  # the beginning of codes of what is there and costs nothing
NO_ADVICE: Mapping[str, Any] = {
    "rules": [],
    "advice": [],
    "path": None,
    "figures": {},
    "unprofiled": None,
    "ranks": {"shown": 0, "unread": 0, "read": 0, "total": 0},
    "messages": {},
}


@frozen(eq=False)
class ProfileAdvice:
    """What rules find in single profiles, for the views Advice and Compare. For any thread."""

    opened: OpenedProfiles
    find: FindFaults  # of the host

    def answer(
        self,
        files: ProfileFiles,
        profile: Profile,
        job: Job,
        without: Collection[str] = (),
        measured: float | None = None,
    ) -> dict[str, Any]:
        """What ``advice_answer`` says of a profile; ``without`` some rules. ``measured``: how long a step
        takes without the profiler, ns, on which the savings then rest."""
        found = self.find([files.run], profile=files.path)
        if measured is not None:
            known = self.opened.checked(files, measured)
            others = [one for one in found.each if one.rule not in known]
            found = evolve(found, findings=_by_severity([*others, *chain(*known.values())]))
        use = self.opened.use(profile)
        waiting = self.opened.job_evidence(files, profile, job).waiting.get(files.path)
        exposed = use.figures.get("exposed_communication")
        if waiting is not None and exposed is not None:
            use = evolve(use, figures={**use.figures, "slower_ranks": min(waiting, exposed)})
        return advice_answer(found, use, without, endings_of(profile))


def advice_answer(
    found: Findings, use: DeviceUse, without: Collection[str] = (), endings: Sequence[str] = ()
) -> dict[str, Any]:
    """The answer about a profile. ``rules``: each with its state and, if it could not be checked, the reason,
    or what it saw where it found no saving; ``advice``, the worst first, then what saves most; ``path``,
    ``figures`` and ``unprofiled``; ``messages``: texts by locale. ``endings`` are those of the words."""
    rules = [one for one in found.rules if one.scope == "profile" and one.id not in without]
    why = {one.id: why_in_words(one.title, endings) for one in rules}
    unchecked = {one.rule: one for one in found.unchecked}
    advice = [_told(one, why) for one in found.each if one.rule in why]
    with_findings = {one["rule"] for one in advice}

    def state(rule: str) -> str:
        if rule in with_findings:
            return "found"
        reason = unchecked[rule].reason.code if rule in unchecked else _NO_SAVING
        return "nothing" if reason.startswith(_NO_SAVING) else "unchecked"

    answer: dict[str, Any] = {
        "rules": [
            {
                "id": one.id,
                "title": one.title().fields(),
                "state": state(one.id),
                "reason": unchecked[one.id].reason.fields() if one.id in unchecked else None,
                "may_change": one.id in unchecked and unchecked[one.id].pending,
            }
            for one in rules
        ],
        "advice": advice,
        "path": use.path,
        "figures": use.figures,
        "unprofiled": use.unprofiled,
    }
    return {**answer, "messages": Messages.said_in(answer, found.messages)}


def _by_severity(found: Iterable[Finding]) -> list[Finding]:
    """The worst first, then what saves most."""
    return sorted(
        found, key=lambda one: (SEVERITIES.index(one.severity), 0 if one.saves is None else -one.saves.high)
    )


def _told(one: Finding, why: Mapping[str, Any]) -> dict[str, Any]:
    saves, reason = one.saves, why[one.rule]
    assumes = None if saves is None else saves.assumes
    return {
        "rule": one.rule,
        "severity": "info" if one.severity == "hint" else one.severity,
        "saw": one.saw.fields(),
        "why": None if reason is None else reason.fields(),
        "change": None if one.change is None else one.change.fields(),
        "places": [asdict(place) for place in places_of(one)],
        "saves": None if saves is None else saves.low,
        "most": None if saves is None else saves.high,
        "assumes": None if assumes is None else assumes.fields(),
        "basis": None if saves is None else "share" if at_most(saves) else "replay",
        "later": saves.high if saves is not None and _rests_on_fast_host(saves.assumes) else None,
    }


def _rests_on_fast_host(assumes: Reason | None) -> bool:
    """Whether one of the things assumed, of one or two, is a host that keeps up with the device."""
    if assumes is None:
        return False
    both = (one.code for one in assumes.details.values() if isinstance(one, Reason))
    return _FAST_HOST in (assumes.code, *both)
