"""Rules about a profile, how they say what they found, and where the page shows the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from insight_core.plugin import PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.findings import Examined, Finding, Needs, NotChecked, Rule, Saving
from insight_profiler.advice.dialects import in_words
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.places import EvidencePlace, Severity, place_of
from insight_profiler.advice.savings import Savings
from insight_profiler.advice.words import said

_NEEDS = Needs(profiles=[PluginNameEnum.PROFILER])


def profile_rule(name: str, title: Reason, check: Callable[[Evidence], Iterable[Finding]]) -> Rule:
    """A rule that looks at the evidence of a profile."""
    return Rule(name, _kind(title), ProfileCheck(check), _NEEDS, "profile")


@frozen
class ProfileCheck:
    """What a rule about a profile asks of its evidence, once for all who want to know."""

    check: Callable[[Evidence], Iterable[Finding]]

    def __call__(self, examined: Examined) -> Sequence[Finding]:
        """What it finds in the profile that a rule examines. Raises NotChecked if it cannot tell."""
        return self.of(examined.profile)

    def of(self, evidence: Evidence) -> Sequence[Finding]:
        """What it finds."""
        known = evidence.checked.get(self.check)
        if known is None:
            try:
                known = evidence.checked[self.check] = tuple(self.check(evidence))
            except NotChecked as error:
                reason = in_words(Reason.of(error), evidence.endings)
                known = evidence.checked[self.check] = NotChecked(reason, may_change=error.may_change)
        if isinstance(known, NotChecked):  # a new one: the kept one must not hold frames
            raise NotChecked(Reason.of(known), may_change=known.may_change)
        return known


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
    saves: Saving | Savings | None = None,
    severity: Severity = "warning",
) -> Finding:
    """A finding about a profile. ``places`` are where the evidence is, the best first."""
    place = place_of(places or [EvidencePlace("view", "advice")])
    if isinstance(saves, Savings):
        if saves.change is not None and severity != "hint" and isinstance(evidence, Evidence):
            evidence.explained.append(saves.change)
        saves = saves.promise
    saw, change = (in_words(one, evidence.endings) for one in (saw, change))
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
