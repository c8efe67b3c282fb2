"""Rules about how steps divide, data queues and memory, for profiles that have only sums too;
and about time in functions of Python, of traces with stacks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.python_times import PythonTimes, quiet_function
from insight_profiler.advice.reads import idle_after_reading, slow_windows
from insight_profiler.advice.replay import ReplayChange
from insight_profiler.advice.savings import Savings, if_changed, shares_without
from insight_profiler.advice.waiting_rules import tail_after_reading
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.outliers import median_of
from insight_profiler.analysis.pipeline import empty_share
from insight_profiler.analysis.spans import Spans, gaps, length, within
from insight_profiler.analysis.steps import SLOW, of_rows, slow_steps, summary, usual_rows
from insight_profiler.model import Category, Source, Table

# MindInsight's thresholds for intervals and queues, torch-tb-profiler's for memory
_INTERVAL = 500_000  # ns between steps
_EMPTY = 0.3  # of the batches found the queue empty
_IDLE = 0.2
_BUBBLE = 0.1
_TAIL = 0.2
_WAITS = 0.1  # of the time the device waits for one function
_PERIODIC = 0.05  # of the time
_MOSTLY = 0.6
_FEW = 5  # steps tell nothing of how they vary


def _steps(evidence: Evidence) -> Table:
    if evidence.steps is None:
        raise NotChecked(said("needs_steps"))
    return evidence.steps


def _divided(evidence: Evidence, column: str) -> float:
    """The share of a column of the steps that are not outliers. Raises NotChecked where it is unknown."""
    steps = _steps(evidence)
    if (steps[column] < 0).all():
        raise NotChecked(said("needs_division"))
    usual = of_rows(steps, usual_rows(steps))
    return float(usual[column].clip(0).sum() / max(1, usual["duration"].clip(0).sum()))


def idle_steps(evidence: Evidence) -> Iterator[Finding]:
    """Steps in which nothing runs for long: devices wait for a function of Python that launches nothing; or
    no timeline of a device says why."""
    if evidence.is_work_known:
        yield from _in_functions(evidence)
        return
    steps = _steps(evidence)
    if "slices" in evidence.profile.tables and (evidence.slices["category"] == Category.OPERATOR).any():
        yield from _between_operators(evidence)
        return
    column = "free" if (steps["free"] > 0).any() else "idle"
    share = _divided(evidence, column)
    if share <= _IDLE:
        return
    yield finding(
        evidence,
        said("idle_steps", share=percent(share)),
        evidence.change("idle_steps_change"),
        (EvidencePlace("view", "steps"),),
        promised(share),
    )


def _in_functions(evidence: Evidence) -> Iterator[Finding]:
    """A function between launches for which the device waits, what it does after a value is read left out."""
    replay = evidence.replay
    evidence.work  # noqa: B018 - none without a device
    if replay is None:
        raise NotChecked(said("has_timeline"))
    late = gaps(idle_after_reading(evidence, evidence.reads), evidence.late_spans)
    late = gaps(slow_windows(evidence), late)  # of which the rule about jitter tells
    function = quiet_function(evidence, late)
    if function is None or function.time < _WAITS * evidence.whole:
        return
    change = ReplayChange(lag=shares_without(replay, evidence.union(function.rows)))
    saves = if_changed(evidence, replay, change)
    place = evidence.slice_place(function.longest)
    share = percent(function.time / evidence.whole)
    if saves.high < _WAITS:
        raise NotChecked(said("no_saving_function", name=place.text, share=share))
    told = {"share": share, "name": place.text, "time": milliseconds(function.time / evidence.counted)}
    yield finding(
        evidence,
        said("waits_for_function_in", **told, caller=function.caller)
        if function.caller
        else said("waits_for_function", **told),
        evidence.change("waits_for_function_change"),
        (place,),
        saves,
    )


def _between_operators(evidence: Evidence) -> Iterator[Finding]:
    """Time of the host in which neither an operator runs nor data are loaded, and the function of Python in
    which most of it passes. What the profiler itself takes does not count: recording stacks slows all of
    Python down, so then a single function must be the matter."""
    share = _divided(evidence, "idle")
    functions = PythonTimes.of(evidence)
    if evidence.profile.source is Source.TORCH:  # others have threads of their own among other things
        share += _divided(evidence, "other") - functions.profiler / evidence.whole
    if share <= _IDLE or (functions.are_known and functions.time <= _IDLE * evidence.whole):
        return
    saw, place = said("between_operators", share=percent(share)), EvidencePlace("view", "timeline")
    change = evidence.change("between_operators_change")
    if functions.longest is not None:
        place = evidence.slice_place(functions.longest)
        saw = said(
            "between_operators_in",
            share=percent(share),
            name=place.text,
            time=milliseconds(functions.time / evidence.counted),
        )
    elif evidence.profile.source is Source.TORCH:
        change = evidence.change("between_operators_stack_change")
    yield finding(evidence, saw, change, (place,), promised(share))


def iteration_interval(evidence: Evidence) -> Iterator[Finding]:
    """Time that passes between steps of a device."""
    steps = _steps(evidence)
    interval = median_of(steps["iteration_interval"])
    if interval is None:
        raise NotChecked(said("needs_division"))
    duration = max(1, median_of(steps["duration"]) or 1)
    if interval <= _INTERVAL or interval < 0.02 * duration:
        return
    yield finding(
        evidence,
        said("interval", time=milliseconds(interval), share=percent(interval / duration)),
        evidence.change("interval_change"),
        (EvidencePlace("view", "steps"),),
        promised(min(1.0, interval / duration)),
    )


def iteration_tail(evidence: Evidence) -> Iterator[Finding]:
    """Time after the backward pass: the last reduction of gradients, and the optimiser; or what the host does
    after it has read a value of the device."""
    if evidence.profile.source is Source.TORCH and evidence.is_work_known:
        yield from tail_after_reading(evidence)
        return
    share = _divided(evidence, "tail")
    if share <= _TAIL:
        return
    yield finding(
        evidence,
        said("tail", share=percent(share)),
        evidence.change("tail_change"),
        (EvidencePlace("view", "steps"),),
    )


def pipeline_bubble(evidence: Evidence) -> Iterator[Finding]:
    """Time in which a pipeline stage waits for another."""
    steps = _steps(evidence)
    is_received = bool((steps["bubble"] < 0).all())
    share = _divided(evidence, "receive" if is_received else "bubble")
    if share <= _BUBBLE:
        return
    yield finding(
        evidence,
        said("receive", share=percent(share)) if is_received else said("bubble", share=percent(share)),
        evidence.change("bubble_change"),
        (EvidencePlace("view", "steps"), EvidencePlace("view", "cluster")),
        promised(share),
    )


def step_jitter(evidence: Evidence) -> Iterator[Finding]:
    """Steps of which some take much longer than others, at equal distances or not."""
    steps = _steps(evidence)
    told = summary(steps)
    if told is None or told["count"] < _FEW:
        raise NotChecked(said("needs_more_steps"))
    if told["p95"] <= told["p50"] * SLOW:
        return
    slow = slow_steps(steps)
    row = int(np.argmax(steps["duration"]))
    usual = float(told["p50"]) * len(steps["number"])
    share = max(0.0, 1 - usual / max(1.0, float(steps["duration"].clip(0).sum())))
    saves = Savings(share, share)
    stalls = _stalls(evidence)
    if (replay := evidence.replay) is not None and length(stalls):
        change = ReplayChange(lag=shares_without(replay, stalls))
        saves = Savings(share, share, change=change, assumes=said("assumes_usual_steps"))
    period = _period(slow)
    often = {
        "period": period,
        "p50": milliseconds(told["p50"]),
        "slow": milliseconds(float(np.median(steps["duration"][slow]))),
        "steps": ", ".join(map(str, steps["number"][slow][:3].tolist())),
    }
    seldom = {
        "p50": often["p50"],
        "p95": milliseconds(told["p95"]),
        "most": milliseconds(told["maximum"]),
        "step": int(steps["number"][row]),
    }
    doing = _more_in(evidence, slow)
    saw = said("jitter_period", **often) if period else said("jitter", **seldom)
    if doing:
        saw = (
            said("jitter_period_in", **often, name=doing)
            if period
            else said("jitter_in", **seldom, name=doing)
        )
    yield finding(
        evidence,
        saw,
        said("jitter_period_change", period=period) if period else evidence.change("jitter_change"),
        (evidence.step_place(int(steps["number"][row])),),
        saves,
        "warning" if period and share >= _PERIODIC else "hint",
    )


def _period(slow: NDArray[np.bool_]) -> int:
    """How many steps apart the slow ones are, where all of them are equally far apart; else 0."""
    places = np.flatnonzero(slow)
    apart = np.unique(np.diff(places))
    if len(apart) != 1 or apart[0] < 2:
        return 0
    period = int(apart[0])
    return period if max(places[0], len(slow) - 1 - places[-1]) < period else 0


def _stalls(evidence: Evidence) -> Spans:
    """When the device waits for the host in slow steps longer than it ever does in others."""
    if not evidence.is_work_known:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    late, longer = evidence.late_spans, slow_windows(evidence)
    outside = gaps(longer, late)
    most = int((outside[1] - outside[0]).max(initial=0))
    inside = within(late, longer)
    chosen = inside[1] - inside[0] > most
    return inside[0][chosen], inside[1][chosen]


def _more_in(evidence: Evidence, slow: NDArray[np.bool_]) -> str:
    """The innermost function, operator or call of the host in which slow steps pass most of the time that
    they take longer; "" if none is known."""
    steps = _steps(evidence)
    if slow.all() or "slices" not in evidence.profile.tables:
        return ""
    slices = evidence.slices
    rows = np.flatnonzero(evidence.inside & ~evidence.is_work & ~evidence.marks_step)
    if not len(rows):
        return ""
    is_slow = slow[slices["step"][rows] - evidence.step_rows[0]]
    durations, names = slices["duration"][rows], slices["name"][rows]
    sums = [np.bincount(names[part], durations[part], names.max() + 1) for part in (is_slow, ~is_slow)]
    more = sums[0] / slow.sum() - sums[1] / (~slow).sum()
    longer = float(steps["duration"][slow].mean() - steps["duration"][~slow].mean())
    found = np.flatnonzero((more > _MOSTLY * longer) & (more < 1.5 * longer))
    return evidence.text(int(found[np.argmin(more[found])])) if len(found) else ""


def empty_queue(evidence: Evidence) -> Iterator[Finding]:
    """Batches that found a queue of data empty."""
    queues = empty_share(evidence.profile)
    if not queues:
        raise NotChecked(said("needs_queues"))
    for queue, share in queues.items():
        if share > _EMPTY:
            yield finding(
                evidence,
                said("queue_empty", percent=percent(share), queue=queue),
                evidence.change("data_change"),
                (EvidencePlace("view", "pipeline"),),
            )


RULES = (
    profile_rule("idle_steps", said("idle_steps_title"), idle_steps),
    profile_rule("iteration_interval", said("interval_title"), iteration_interval),
    profile_rule("iteration_tail", said("tail_title"), iteration_tail),
    profile_rule("pipeline_bubble", said("bubble_title"), pipeline_bubble),
    profile_rule("step_jitter", said("jitter_title"), step_jitter),
    profile_rule("empty_queue", said("queue_title"), empty_queue),
)
