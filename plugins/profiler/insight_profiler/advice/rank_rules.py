"""Rules about the ranks of a job: slow ranks and links, unequal stages, ranks that wait for each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from insight_core.plugin import Reason
from insight_core.plugin.findings import Finding, NotChecked, Saving
from insight_profiler.advice.findings import finding, promised, rank_rule
from insight_profiler.advice.job_evidence import JobEvidence
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.changes import LEAST_STEPS
from insight_profiler.analysis.rank_pace import saved_by_repair, waiting_in_turn
from insight_profiler.analysis.slow_groups import slow_groups
from insight_profiler.analysis.slow_links import slow_links
from insight_profiler.analysis.stragglers import stages_of

_UNEVEN = 0.15  # by which the work of a stage may differ from that of the others
_IN_TURN = 0.1  # of the time: noise of some percent costs less, even of many ranks
_SAME = 0.05  # by which kernels may differ where the work is the same
_MOST_NAMED = 5  # ranks or links in a sentence
_GIGA = 1e9
_CHANGES = {  # of slow ranks, by what they do longer than others
    "data": "slow_rank_data_change",
    **dict.fromkeys(("other", "idle", "free", "runtime", "operator"), "slow_rank_host_change"),
}


def slow_ranks(job: JobEvidence) -> Iterator[Finding]:
    """Ranks that work longer than the others of their stage, which wait for them: see ``stragglers``."""
    found = job.stragglers
    if not found:
        compared = [len(stage[0].steps["number"]) for stage in stages_of(job.steps) if len(stage) > 1]
        if compared and max(compared) < LEAST_STEPS:
            raise NotChecked(said("needs_more_steps"))
        return
    worst = found[0]
    names = _listed([str(one["rank"]) for one in found])
    yield finding(
        job,
        _slow_rank(worst) if len(found) == 1 else said("slow_ranks", names=names, worst=_slow_rank(worst)),
        said(_change_of(worst), rank=names),
        (
            _figure("rank-map", **{"map-scale": "relative"}),
            *(_timeline(str(one["rank"]), one["profile"], one["at"]) for one in found[:_MOST_NAMED]),
        ),
        _saved(job, found),
    )


def _slow_rank(one: Mapping[str, Any]) -> Reason:
    """What is said of one slow rank, and whether the others have the same work, by their kernels."""
    words: dict[str, Any] = {
        "rank": int(one["rank"]),
        "work": milliseconds(one["work"]),
        "usual": milliseconds(one["usual"]),
        "steps": int(one["steps"]),
        "percent": percent(one["work"] / one["usual"] - 1) if one["usual"] else 100,
    }
    if not one["kernels"]:
        saw = said("slow_rank", **words)
    elif _has_same_work(one):
        saw = said("slow_rank_same", kernels=int(one["kernels"]), **words)
    else:
        counts = {"kernels": int(one["kernels"]), "usual_kernels": round(one["usual_kernels"])}
        saw = said("slow_rank_more", **counts, **words)
    return _since(one["since"], saw)


def _since(step: int | None, saw: Reason) -> Reason:
    return saw if step is None else said("since_step", step=step, saw=saw)


def _has_same_work(one: Mapping[str, Any]) -> bool:
    return bool(abs(one["kernels"] - one["usual_kernels"]) <= _SAME * one["usual_kernels"])


def _change_of(one: Mapping[str, Any]) -> str:
    """The text of what to change: by what a rank does longer, or that it has more to do."""
    if one["kernels"] and one["kernels"] > (1 + _SAME) * one["usual_kernels"]:
        return "slow_rank_more_change"
    return _CHANGES.get(one["time"], "slow_rank_change")


def _saved(job: JobEvidence, slow: Sequence[Mapping[str, Any]]) -> Saving | None:
    """Of all steps, and where the ranks became slow later of the steps since then."""
    since = {int(one["rank"]): one["since"] for one in slow}
    whole, late = saved_by_repair(job.steps, since)
    if not whole:
        return None
    first = max((step for step in since.values() if step is not None), default=None)
    if first is None or late <= whole:
        return Saving(whole, whole, assumes=said("assumes_as_others"))
    return Saving(whole, min(1.0, late), assumes=said("assumes_since", step=first))


def slow_link(job: JobEvidence) -> Iterator[Finding]:
    """Links that are slower than others of their kind, or than before, and stages whose collectives are: see
    ``slow_links`` and ``slow_groups``."""
    groups = [one for one in slow_groups(list(job.ranks.values()), job.stage_of) if not _is_held_up(job, one)]
    if groups:
        yield _slow_group(job, groups[0])
    found = [] if groups and not job.has_links else slow_links(job.links)
    found = [one for one in found if not _is_held_up(job, one)]
    if not found:
        return
    worst = found[0]
    words = {
        "source": worst["source"],
        "target": worst["target"],
        "bandwidth": _gigabytes(worst["bandwidth"]),
        "usual": _gigabytes(worst["usual"]),
    }
    names = _listed([f"{one['source']} → {one['target']}" for one in found])
    ends = set.intersection(*({one["source"], one["target"]} for one in found))
    shared = min(ends) if len(found) > 1 and len(ends) == 1 else None  # two: both ways of one link
    saw = said("slow_link", **words) if worst["since"] is None else said("slow_link_before", **words)
    saw = _since(worst["since"], saw)
    yield finding(
        job,
        saw if len(found) == 1 else said("slow_links", names=names, worst=saw),
        said("slow_link_change") if shared is None else said("slow_links_change", rank=shared),
        (_figure("rank-links", **{"link-map": "bandwidth"}),),
        promised(max(_lost(job, one) for one in found) or None),
    )


def _slow_group(job: JobEvidence, one: Mapping[str, Any]) -> Finding:
    ranks = _listed([str(rank) for rank in one["ranks"]])
    words = {
        "ranks": ranks,
        "bandwidth": _gigabytes(one["bandwidth"]),
        "usual": _gigabytes(one["usual"]),
    }
    saw = said("slow_group", **words) if one["since"] is None else said("slow_group_before", **words)
    whole = float(job.durations(one["ranks"][0]).sum())
    return finding(
        job,
        _since(one["since"], saw),
        said("slow_group_change", ranks=ranks),
        (_figure("rank-map", map="bandwidth"),),
        promised(min(1.0, one["lost"] / whole) if whole else None),
    )


def _is_held_up(job: JobEvidence, slow: Mapping[str, Any]) -> bool:
    """Whether a rank works longer since about the same step as a link is slow: then transfers take longer,
    for they wait for it."""
    starts = [one["since"] for one in job.stragglers if one["since"] is not None]
    return slow["since"] is not None and any(abs(slow["since"] - one) <= 1 for one in starts)


def unbalanced_stages(job: JobEvidence) -> Iterator[Finding]:
    """A pipeline stage that works longer than the others, by the medians of its ranks."""
    stages = job.stages
    if not stages:
        raise NotChecked(said("no_stages"))
    if len(stages) < 2:
        raise NotChecked(said("one_stage"))
    slowest = max(stages, key=lambda stage: stages[stage])
    mean = sum(stages.values()) / len(stages)
    if stages[slowest] <= (1 + _UNEVEN) * mean:
        return
    whole = max(sum(times) / len(times) for rank in job.steps if len(times := rank.steps["duration"].clip(0)))
    yield finding(
        job,
        said(
            "stages",
            stage=str(slowest),
            work=milliseconds(stages[slowest]),
            count=len(stages),
            mean=milliseconds(mean),
            percent=percent(stages[slowest] / mean - 1),
        ),
        said("stages_change", stage=str(slowest)),
        (_figure("ranks"),),
        promised(float((stages[slowest] - mean) / whole) if whole else None),
    )


def ranks_in_turn(job: JobEvidence) -> Iterator[Finding]:
    """Ranks of which another one is the slowest in each step: see ``waiting_in_turn``."""
    found = waiting_in_turn(job.steps)
    if found is None:
        raise NotChecked(said("needs_waiting"))
    if found.share <= _IN_TURN or found.ranks < 2:
        return
    yield finding(
        job,
        said("ranks_in_turn", share=percent(found.share), ranks=found.ranks, steps=found.steps),
        said("ranks_in_turn_change"),
        (_figure("rank-map", **{"map-scale": "relative"}),),
        promised(found.share),
    )


def _lost(job: JobEvidence, link: Mapping[str, Any]) -> float:
    """The share of the time of a sender's steps that its slow link takes more than others: at most what
    the steps get shorter, for computation may cover it."""
    whole = float(job.durations(int(link["source"])).sum() or job.durations(int(link["target"])).sum())
    return min(1.0, link["lost"] / whole) if whole else 0.0


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown}, …" if len(names) > _MOST_NAMED else shown


def _figure(name: str, **state: str) -> EvidencePlace:
    return EvidencePlace("figure", "cluster", state={"figure": name, **state})


def _timeline(rank: str, profile: str, step: int) -> EvidencePlace:
    return EvidencePlace("rank", "timeline", rank, {"profile": profile, "steps": str(step)})


def _gigabytes(bandwidth: float) -> float:
    """Three significant digits."""
    return float(f"{bandwidth / _GIGA:.3g}")


RULES = (
    rank_rule("slow_rank", said("slow_rank_title"), slow_ranks),
    rank_rule("slow_link", said("slow_link_title"), slow_link),
    rank_rule("unbalanced_stages", said("stages_title"), unbalanced_stages),
    rank_rule("waiting_ranks", said("ranks_in_turn_title"), ranks_in_turn),
)
