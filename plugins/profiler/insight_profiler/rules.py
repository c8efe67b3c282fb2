"""The rules about profiles as rules about runs: each is checked for the newest profile of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from insight_core.plugin import NotFound, PluginNameEnum, Reason, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, Needs, NotChecked, Rule, Saving
from insight_profiler.advice.checking import RANK_RULES
from insight_profiler.advice.checking import RULES as PROFILE_RULES
from insight_profiler.advice.contract import CheckedProfileRule
from insight_profiler.advice.words import said
from insight_profiler.checked_advice import opened_by

_NAME = PluginNameEnum.PROFILER
_NOT_READ = ReasonKind("profiler_not_read", "{profile} cannot be read: {cause}")
_BEING_READ = ReasonKind("profiler_being_read", "{profile} is being read")


def rules() -> list[Rule]:
    """All rules of the profiler, those about the ranks of a job too."""
    named = [(rule.id, rule.title) for rule in PROFILE_RULES]
    named += [(rule.id, rule.title) for rule in RANK_RULES]
    return [Rule(name, _kind(title), _checks(name), Needs(plugins=[_NAME])) for name, title in named]


def _checks(rule: str) -> Callable[[Examined], Iterator[Finding]]:
    def check(examined: Examined) -> Iterator[Finding]:
        profile, said_by = _newest(examined)
        said_here = said_by[rule]
        if said_here.unchecked is not None:
            raise NotChecked(said_here.unchecked, may_change=said_here.may_change)
        for one in said_here.found:
            view, state = (one.places[0].view, one.places[0].state) if one.places else ("advice", {})
            yield Finding(
                examined.run,
                "hint" if one.severity == "info" else one.severity,
                one.saw,
                one.change,
                _place(examined, profile, view, state),
                _saving(one.saves),
                confidence="estimated",
            )

    return check


def _kind(title: Reason) -> ReasonKind:
    return ReasonKind(title.code, str(title))


def _saving(share: float | None) -> Saving | None:
    """What a change saves of a step; a profile knows no run."""
    if share is None:
        return None
    saves = round(min(max(float(share), 0.0), 1.0), 3)
    return Saving(saves, saves, "step")


def _newest(examined: Examined) -> tuple[str, Mapping[str, CheckedProfileRule]]:
    """The newest profile of the run and what each rule says of it: its evidence is read once for all rules.

    Raises NotChecked if there is no profile, or not yet.
    """
    opened = opened_by(examined.ctx)
    try:
        look = opened.asked.newest(examined.run)
        if look is None:
            raise NotChecked(said("no_profile"))
        profile = look.files.path
        if look.failure is not None:
            raise NotChecked(_NOT_READ(profile=profile, cause=look.failure.reason))
        if look.state == "reading" or look.profile is None:
            raise NotChecked(_BEING_READ(profile=profile), may_change=True)
        job = opened.advice.job(look.files, look.profile)
        return profile, opened.advice.rules(look.files, look.profile, job)
    except NotFound as error:  # gone meanwhile
        raise NotChecked(said("no_profile"), may_change=True) from error


def _place(
    examined: Examined, profile: str, view: str, state: Mapping[str, str] | None = None
) -> FindingPlace:
    found = {"run": examined.run, "profile": profile, "view": view, **(state or {})}
    return FindingPlace(_NAME, state=found)
