"""Rules about every step of every rank: a rank that stays slow, time that restarts and checkpoints cost."""

from __future__ import annotations

from collections.abc import Iterator

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.every_step import slow_ranks
from insight_profiler.analysis.goodput import KINDS, goodput

_PLACE = (EvidencePlace("view", "every_step"),)
_LOST = 0.1  # of the time
_LEAST_STEPS = 50
_NAMED = 5  # ranks


def straggler(evidence: Evidence) -> Iterator[Finding]:
    """Ranks that take longer than the others, to the last step."""
    _needs_steps(evidence)
    found = slow_ranks(evidence.profile)
    for one in found[:_NAMED]:
        facts = {
            "rank": one.rank,
            "span": one.span,
            "since": one.since,
            "steps": one.steps,
            "more": milliseconds(one.more),
            "share": percent(one.share),
        }
        change = said("every_step_slow_change", rank=one.rank, span=one.span)
        yield finding(evidence, said("every_step_slow", **facts), change, _PLACE, severity="warning")


def low_goodput(evidence: Evidence) -> Iterator[Finding]:
    """More than a tenth of the time of a job that restarts or checkpoints cost."""
    _needs_steps(evidence)
    attempts = goodput(evidence.profile)
    if not attempts or sum(one.last - one.first + 1 for one in attempts) < _LEAST_STEPS:
        raise NotChecked(said("needs_more_steps"))
    times = {kind: sum(one.times[kind] for one in attempts) for kind in KINDS}
    whole = sum(times.values())
    useful = percent(times["useful"] / whole)
    share = times["restarting"] / whole
    if share > _LOST:
        facts = {"share": percent(share), "useful": useful, "restarts": len(attempts) - 1}
        saw, change = said("goodput_restarting", **facts), said("goodput_restarting_change")
        yield finding(evidence, saw, change, _PLACE, severity="warning")
    share = times["checkpointing"] / whole
    if share > _LOST:
        saw = said("goodput_checkpointing", share=percent(share), useful=useful)
        yield finding(evidence, saw, said("goodput_checkpointing_change"), _PLACE, severity="warning")


def _needs_steps(evidence: Evidence) -> None:
    if "step_runs" not in evidence.profile.tables:
        raise NotChecked(said("needs_rank_steps"))


RULES = (
    profile_rule("straggler_steps", said("every_step_slow_title"), straggler),
    profile_rule("goodput", said("goodput_title"), low_goodput),
)
