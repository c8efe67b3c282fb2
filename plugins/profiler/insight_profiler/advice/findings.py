"""Rules about a profile, how they say what they found, and where the page shows the evidence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Needs, NotChecked, Rule, Saving
from insight_profiler.advice.words import said

if TYPE_CHECKING:
    from insight_profiler.advice.evidence import Evidence
    from insight_profiler.advice.job_evidence import JobEvidence

Severity = Literal["error", "warning", "hint"]
_NEEDS = Needs(profiles=[PluginNameEnum.PROFILER])
_EVIDENCE = "evidence"  # the key of a place's state that names it, and has further places
_NAMES = {"operator": "q", "kernel": "kernels-q", "step": "steps"}  # keys of states that name places


@frozen
class EvidencePlace:
    """Where the page shows evidence: a view, and keys of its URL.

    ``kind`` and ``text`` name it for the user: an operator, a kernel, a step, another rank of the job; a
    range of the timeline, a figure (named by the key ``figure``) and a whole view have no ``text``.
    """

    kind: Literal["operator", "kernel", "step", "range", "rank", "figure", "view"]
    view: str
    text: str = ""
    state: Mapping[str, str] = field(factory=dict)


def profile_rule(name: str, title: Reason, check: Callable[[Evidence], Iterable[Finding]]) -> Rule:
    """A rule that looks at the evidence of a profile."""
    return Rule(name, _kind(title), lambda examined: check(examined.profile), _NEEDS, "profile")


def rank_rule(name: str, title: Reason, check: Callable[[JobEvidence], Iterable[Finding]]) -> Rule:
    """A rule that compares the ranks of the job of a profile.

    Where ranks are missing, one that finds nothing cannot tell: it may be one of these.
    """

    def checked(examined: Examined) -> Sequence[Finding]:
        job: JobEvidence = examined.profile.job
        found = [*check(job)]
        if not found and job.missing:
            known = len(job.summaries)
            raise NotChecked(said("ranks_missing", known=known, count=known + job.missing))
        return found

    return Rule(name, _kind(title), checked, _NEEDS, "profile")


def _kind(title: Reason) -> ReasonKind:
    return ReasonKind(title.code, str(title))


def finding(
    evidence: Evidence | JobEvidence,
    saw: Reason,
    change: Reason,
    places: Sequence[EvidencePlace] = (),
    saves: Saving | None = None,
    severity: Severity = "warning",
) -> Finding:
    """A finding about a profile. ``places`` are where the evidence is, the best first."""
    place = _place(places or [EvidencePlace("view", "advice")])
    return Finding(evidence.run, severity, saw, change, place, saves, confidence="estimated")


def promised(share: float | None, *, is_replayed: bool = False) -> Saving | None:
    """What a change saves of a step: as a replay of steps says, else the share that the cause takes."""
    if share is None:
        return None
    share = min(max(float(share), 0.0), 1.0)
    return Saving(share, share, assumes=None if is_replayed else said("assumes_share"))


def at_most(saves: Saving | None) -> bool:
    """Whether a saving is the share of the time that the cause takes, and not replayed."""
    return saves is not None and saves.assumes is not None and saves.assumes.code == "profiler_assumes_share"


def _place(places: Sequence[EvidencePlace]) -> FindingPlace:
    """The first place, with what it is called and the others in its state."""
    first, *others = places
    is_named = first.text == first.state.get(_NAMES.get(first.kind, ""))
    named: list[Any] = [first.kind, "" if is_named else first.text]
    told = [named, *([one.kind, one.text, one.view, dict(one.state)] for one in others)]
    state = {"view": first.view, **first.state}
    if told != [["view", ""]]:
        state[_EVIDENCE] = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return FindingPlace(state=state)


def places_of(one: Finding) -> list[EvidencePlace]:
    """All places of a finding about a profile, the best first; of rules of other plugins one at most."""
    state = dict(one.place.state)
    for key in ("run", "profile"):
        state.pop(key, None)
    view = state.pop("view", "")
    told = json.loads(state.pop(_EVIDENCE, '[["view",""]]'))
    kind, text = told[0]
    first = EvidencePlace(kind, view, text or state.get(_NAMES.get(kind, ""), ""), state)
    return [first, *(EvidencePlace(kind, view, text, state) for kind, text, view, state in told[1:])]
