"""Rules about how steps divide, data queues and memory, for profiles that have only sums too;
and about time in functions of Python, of traces with stacks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from attrs import frozen

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence, Rows
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.places import EvidencePlace
from insight_profiler.advice.words import milliseconds, percent, said
from insight_profiler.analysis.memory import peak
from insight_profiler.analysis.outliers import median_of
from insight_profiler.analysis.pipeline import empty_share
from insight_profiler.analysis.steps import of_rows, summary, usual_rows
from insight_profiler.model import Category, Source, Table

# MindInsight's thresholds for intervals and queues, torch-tb-profiler's for memory
_INTERVAL = 500_000  # ns between steps
_EMPTY = 0.3  # of the batches found the queue empty
_IDLE = 0.2
_BUBBLE = 0.1
_TAIL = 0.2
_MEMORY = 0.9  # of the device's
_JITTER = 1.5  # times the median
_FEW = 5  # steps tell nothing of how they vary
_GROWTH = 0.02  # of the memory, in a step


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
    """Steps in which nothing runs for long, where no timeline of a device says why."""
    if evidence.is_work_known:
        raise NotChecked(said("has_timeline"))
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
        said("idle_steps_change"),
        (EvidencePlace("view", "steps"),),
        promised(share),
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
        change = said("between_operators_stack_change")
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
        said("interval_change"),
        (EvidencePlace("view", "steps"),),
        promised(min(1.0, interval / duration)),
    )


def iteration_tail(evidence: Evidence) -> Iterator[Finding]:
    """Time after the backward pass: the last reduction of gradients, and the optimiser."""
    share = _divided(evidence, "tail")
    if share <= _TAIL:
        return
    yield finding(
        evidence, said("tail", share=percent(share)), said("tail_change"), (EvidencePlace("view", "steps"),)
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
    """Steps of which some take much longer than others."""
    steps = _steps(evidence)
    told = summary(steps)
    if told is None or told["count"] < _FEW:
        raise NotChecked(said("needs_more_steps"))
    if told["p95"] <= told["p50"] * _JITTER:
        return
    row = int(np.argmax(steps["duration"]))
    usual = float(told["p50"]) * len(steps["number"])
    yield finding(
        evidence,
        said(
            "jitter",
            p50=milliseconds(told["p50"]),
            p95=milliseconds(told["p95"]),
            most=milliseconds(told["maximum"]),
            step=int(steps["number"][row]),
        ),
        said("jitter_change"),
        (evidence.step_place(int(steps["number"][row])),),
        promised(max(0.0, 1 - usual / max(1.0, float(steps["duration"].clip(0).sum())))),
        "hint",
    )


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


def full_memory(evidence: Evidence) -> Iterator[Finding]:
    """A device whose memory is nearly full."""
    top = peak(evidence.profile)
    sizes = {
        device.name: float(size)
        for device in evidence.profile.devices
        if (size := device.facts.get("memory_bytes") or device.facts.get("totalGlobalMem"))
    }
    size = None if top is None else sizes.get(top["device"])
    if top is None or not size:
        raise NotChecked(said("needs_memory"))
    if top["value"] <= size * _MEMORY:
        return
    yield finding(
        evidence,
        said("memory_full", share=percent(top["value"] / size), device=top["device"]),
        evidence.change("memory_full_change"),
        (EvidencePlace("view", "memory"),),
    )


def memory_growth(evidence: Evidence) -> Iterator[Finding]:
    """Memory that grows from step to step."""
    steps = _steps(evidence)
    counters = evidence.profile.tables.get("counters")
    place = next(
        (
            at
            for at, counter in enumerate(evidence.profile.counters)
            if counter.group == "memory" and "alloc" in counter.label.lower() and counter.unit == "bytes"
        ),
        None,
    )
    known = steps["start"] >= 0
    if counters is None or place is None or known.sum() < _FEW:
        raise NotChecked(said("needs_curve"))
    rows = np.flatnonzero(counters["counter"] == place)
    rows = rows[np.argsort(counters["time"][rows], kind="stable")]
    ends = np.sort((steps["start"] + steps["duration"])[known])
    at = np.searchsorted(counters["time"][rows], ends, "right") - 1
    values = counters["value"][rows][np.maximum(at, 0)]
    grown = np.diff(values)
    if (
        not len(grown)
        or not values[0]
        or (grown <= 0).any()
        or float(np.median(grown)) < _GROWTH * float(values[0])
    ):
        return
    yield finding(
        evidence,
        said("memory_growth", size=round(float(np.median(grown)) / 1e6, 1)),
        evidence.change("memory_growth_change"),
        (EvidencePlace("view", "memory"),),
        severity="error",
    )


RULES = (
    profile_rule("idle_steps", said("idle_steps_title"), idle_steps),
    profile_rule("iteration_interval", said("interval_title"), iteration_interval),
    profile_rule("iteration_tail", said("tail_title"), iteration_tail),
    profile_rule("pipeline_bubble", said("bubble_title"), pipeline_bubble),
    profile_rule("step_jitter", said("jitter_title"), step_jitter),
    profile_rule("empty_queue", said("queue_title"), empty_queue),
    profile_rule("full_memory", said("memory_full_title"), full_memory),
    profile_rule("memory_growth", said("memory_growth_title"), memory_growth),
)


_FUNCTION = re.compile(r"\.py\(\d+\): ")  # train.py(12): step
_BUILT_IN = re.compile(r"<built-in ")
_PROFILER = re.compile(r"torch/(profiler/|autograd/profiler)|_record_function|torch\.profiler|_kineto")
_LIBRARY = re.compile(
    r"site-packages/|dist-packages/|^(torch|keras|jax|numpy|importlib|threading|typing)\b|<frozen "
)


@frozen
class PythonTimes:
    """In the steps that count. ``longest``: the row of the longest call of the function of the program, not
    of a library, in which most time passes outside of other functions and of operators; None if there is
    none. ``time`` is that of all its calls, ``profiler`` that of functions of the profiler, ns.
    ``are_known``: whether stacks were recorded."""

    longest: int | None
    time: int
    profiler: int
    are_known: bool

    @classmethod
    def of(cls, evidence: Evidence) -> PythonTimes:
        """What the slices say."""
        names, own = evidence.slices["name"], evidence.slices["self"]

        def named(kind: re.Pattern[str], rows: Rows) -> Rows:
            return evidence.named(lambda text: kind.search(text) is not None, rows)

        rows = np.flatnonzero(evidence.inside)
        functions, built_in = named(_FUNCTION, rows), named(_BUILT_IN, rows)
        measuring = named(_PROFILER, np.concatenate((functions, built_in)))
        times = np.zeros(len(names), np.int64)
        times[functions] = own[functions]
        parents = evidence.slices["parent"][built_in]  # time in a built-in function is that of who calls it
        np.add.at(times, parents[parents >= 0], own[built_in[parents >= 0]])
        mine = np.setdiff1d(functions, np.concatenate((measuring, named(_LIBRARY, functions))))
        profiler = int(own[measuring].sum())
        if not len(mine):
            return cls(None, 0, profiler, bool(len(functions)))
        sums = np.bincount(names[mine], times[mine])
        calls = mine[names[mine] == np.argmax(sums)]
        return cls(int(calls[np.argmax(times[calls])]), int(sums.max()), profiler, True)
