"""The rules about profiles as rules about runs: each is checked for the newest profile of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from insight_core.plugin import NotFound, PluginNameEnum, ReasonKind
from insight_core.plugin.findings import Examined, Finding, FindingPlace, NotChecked, Rule
from insight_profiler.advice.answer import reason_of
from insight_profiler.advice.checking import RANK_RULES
from insight_profiler.advice.checking import RULES as PROFILE_RULES
from insight_profiler.advice.words import said
from insight_profiler.model import Note

_NAME = PluginNameEnum.PROFILER
_NOT_READ = ReasonKind("profiler_not_read", "{profile} cannot be read: {cause}")
_BEING_READ = ReasonKind("profiler_being_read", "{profile} is being read")


def rules() -> list[Rule]:
    """All rules of the profiler, those about the ranks of a job too."""
    named = [(rule.id, rule.title) for rule in PROFILE_RULES]
    named += [(rule.id, rule.title) for rule in RANK_RULES]
    return [Rule(name, title, _checks(name), plugins=[_NAME]) for name, title in named]


def _checks(rule: str) -> Callable[[Examined], Iterator[Finding]]:
    def check(examined: Examined) -> Iterator[Finding]:
        profile = _newest(examined)
        answer = _ask(examined, "/advice", profile)
        state = next(one for one in answer["rules"] if one["id"] == rule)
        if state["state"] == "unchecked":
            raise NotChecked(reason_of(state["reason"]), may_change=bool(state["may_change"]))
        for one in answer["advice"]:
            if one["rule"] == rule:
                places = one["places"] or [{"view": "advice", "state": {}}]
                saves = None if one["saves"] is None else round(float(one["saves"]), 3)
                yield Finding(
                    examined.run,
                    one["severity"],
                    reason_of(one["saw"]),
                    reason_of(one["why"]),
                    reason_of(one["change"]),
                    _place(examined, profile, places[0]["view"], places[0]["state"]),
                    saves,
                )

    return check


def _newest(examined: Examined) -> str:
    """The newest profile of the run that is read. Raises NotChecked if there is none, or not yet."""
    listed: Any = examined.ctx.ask(_NAME, "/profiles", run=examined.run)
    if not listed["profiles"]:
        raise NotChecked(said("no_profile"))
    profile = str(listed["profiles"][0]["profile"])
    look = _ask(examined, "/profile", profile)
    if look["state"] == "reading":
        raise _reading(profile)
    if look["state"] == "failed":
        cause = Note(**look["failure"]).reason
        raise NotChecked(_NOT_READ(profile=profile, cause=cause))
    return profile


def _reading(profile: str) -> NotChecked:
    reason = _BEING_READ(profile=profile)
    return NotChecked(reason, may_change=True)


def _ask(examined: Examined, route: str, profile: str) -> Mapping[str, Any]:
    try:
        answer: Any = examined.ctx.ask(_NAME, route, run=examined.run, profile=profile)
    except NotFound as error:  # gone meanwhile
        raise NotChecked(said("no_profile"), may_change=True) from error
    found: Mapping[str, Any] = answer
    return found


def _place(
    examined: Examined, profile: str, view: str, state: Mapping[str, str] | None = None
) -> FindingPlace:
    found = {"run": examined.run, "profile": profile, "view": view, **(state or {})}
    return FindingPlace(_NAME, state=found)
