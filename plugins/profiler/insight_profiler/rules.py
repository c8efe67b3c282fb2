"""The rules about profiles as rules about runs: each is checked for the newest profile of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from insight_core.plugin import (
    Examined,
    Finding,
    FindingPlace,
    NotChecked,
    NotFound,
    PluginNameEnum,
    Reason,
    Rule,
)
from insight_profiler.advice.answer import reason_of
from insight_profiler.advice.checking import RULES as PROFILE_RULES
from insight_profiler.advice.words import milliseconds, percent, said

_NAME = PluginNameEnum.PROFILER
_UNEVEN = 0.15  # by which the work of a stage may differ from that of the others


def rules() -> list[Rule]:
    """All rules of the profiler, those about the ranks of a job too."""
    found = [Rule(rule.id, rule.title, _checks(rule.id), plugins=[_NAME]) for rule in PROFILE_RULES]
    slow_rank = said("slow_rank_title")
    stages = said("stages_title")
    return [
        *found,
        Rule("slow_rank", slow_rank, ranks_keep_up, plugins=[_NAME]),
        Rule("unbalanced_stages", stages, stages_are_even, plugins=[_NAME]),
    ]


def _checks(rule: str) -> Callable[[Examined], Iterator[Finding]]:
    def check(examined: Examined) -> Iterator[Finding]:
        profile = _newest(examined)
        answer = _ask(examined, "/advice", profile)
        state = next(one for one in answer["rules"] if one["id"] == rule)
        if state["state"] == "unchecked":
            raise NotChecked(reason_of(state["reason"]))
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


def ranks_keep_up(examined: Examined) -> Iterator[Finding]:
    """A rank that works longer than the others of its stage, which wait for it: see ``stragglers``."""
    profile, answer = _cluster(examined)
    for one in answer["stragglers"]:
        work, usual = float(one["work"]), float(one["usual"])
        step = work + float(one["wait"] or 0)
        yield Finding(
            examined.run,
            "warning",
            said(
                "slow_rank",
                rank=int(one["rank"]),
                work=milliseconds(work),
                usual=milliseconds(usual),
                steps=int(one["steps"]),
                percent=round(100 * (work / usual - 1)) if usual else 100,
            ),
            said("slow_rank_why"),
            said(
                "slow_rank_change",
                rank=int(one["rank"]),
            ),
            _place(examined, profile, "cluster"),
            round((work - usual) / step, 3) if step else None,
        )


def stages_are_even(examined: Examined) -> Iterator[Finding]:
    """A pipeline stage that works longer than the others, by the medians of its ranks."""
    profile, answer = _cluster(examined)
    work: dict[str, list[float]] = {}
    for rank in answer["ranks"]:
        times = rank["times"]
        own = next(
            (times[name] for name in ("computing", "forward_backward", "kernel") if times.get(name)), None
        )
        if own is not None and rank["stage"] is not None:
            work.setdefault(str(rank["stage"]), []).append(float(own))
    if len(work) < 2:
        raise NotChecked(said("one_stage"))
    stages = {stage: sorted(times)[len(times) // 2] for stage, times in work.items()}
    slowest = max(stages, key=lambda stage: stages[stage])
    mean = sum(stages.values()) / len(stages)
    more = stages[slowest] / mean - 1
    if more <= _UNEVEN:
        return
    yield Finding(
        examined.run,
        "warning",
        said(
            "stages",
            stage=slowest,
            work=milliseconds(stages[slowest]),
            count=len(stages),
            mean=milliseconds(mean),
            percent=percent(more),
        ),
        said("stages_why"),
        said("stages_change", stage=slowest),
        _place(examined, profile, "cluster"),
        round(1 - mean / stages[slowest], 3),
    )


def _cluster(examined: Examined) -> tuple[str, Mapping[str, Any]]:
    """The newest profile, and the answer about all ranks of its job."""
    profile = _newest(examined)
    answer = _ask(examined, "/cluster", profile)
    if any(one["state"] == "reading" for one in answer["others"]):
        raise _reading(profile)
    if len(answer["ranks"]) < 2:
        raise NotChecked(said("one_rank"))
    return profile, answer


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
        raise NotChecked(
            Reason(
                f"{profile} cannot be read: {look['failure']['text']}",
                "profiler_not_read",
                profile=profile,
                cause=str(look["failure"]["text"]),
            )
        )
    return profile


def _reading(profile: str) -> NotChecked:
    reason = Reason(f"{profile} is being read", "profiler_being_read", profile=profile)
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
