"""Rules about communication between ranks, as one rank sees it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.exposed_rules import (
    LEAST,
    REDUCES,
    exposed_communication,
    host_communication,
    needs_ranks,
)
from insight_profiler.advice.findings import finding, profile_rule, promised
from insight_profiler.advice.words import microseconds, milliseconds, said

_SHORT = 60_000  # ns of a collective that is bound by latency
_MANY = 50  # collectives in a step


def small_collectives(evidence: Evidence) -> Iterator[Finding]:
    """Many collectives that are too short to use the bandwidth."""
    if not evidence.is_work_known or not len(evidence.communication):
        raise needs_ranks()
    rows = evidence.communication
    short = rows[evidence.slices["duration"][rows] < _SHORT]
    if len(short) < _MANY * evidence.counted or len(short) < 0.5 * len(rows):
        return
    replay = evidence.replay
    saves = evidence.exposed(short) / evidence.whole
    if replay is not None:
        calls = evidence.launchers[short]
        mine = replay.nodes_of(np.concatenate((short, calls[calls >= 0])))
        saves = replay.saves(
            duration=np.where(mine, replay.duration // 5, replay.duration),
            lag=np.where(mine & (replay.lag > 0), replay.lag // 5, replay.lag),
        )
    if saves < LEAST:
        return
    yield finding(
        evidence,
        said("small_collectives", count=round(len(short) / evidence.counted), limit=microseconds(_SHORT)),
        said("small_collectives_change"),
        (evidence.slice_place(int(short[len(short) // 2])),),
        promised(saves, is_replayed=replay is not None),
    )


def gradient_accumulation(evidence: Evidence) -> Iterator[Finding]:
    """Gradients that are reduced for each batch although several batches make a step of the optimiser."""
    slices = evidence.slices
    updates = len(evidence.annotations("Optimizer.step#"))
    forwards = evidence.annotations("DistributedDataParallel.forward")
    if not updates or not len(forwards) or not evidence.is_work_known:
        raise NotChecked(said("needs_ddp"))
    batches = len(forwards) / updates
    rows = evidence.named(lambda name: bool(REDUCES.search(name)), evidence.communication)
    if batches < 1.5 or not len(rows):
        return
    calls = evidence.launchers[rows]
    # between which forward passes gradients are reduced
    after = np.searchsorted(
        np.sort(slices["start"][forwards]), slices["start"][np.maximum(calls, 0)], "right"
    )
    reduced = len(np.unique(after[(calls >= 0) & (after > 0)]))
    if reduced < 1.5 * updates:
        return
    replay = evidence.replay
    share = evidence.exposed(rows) / evidence.whole * (1 - 1 / batches)
    saves = share
    if replay is not None:
        mine = replay.nodes_of(rows)
        saves = replay.saves(
            duration=np.where(mine, (replay.duration / batches).astype(np.int64), replay.duration)
        )
    if saves < LEAST:
        return
    yield finding(
        evidence,
        said(
            "accumulation",
            batches=round(batches, 1),
            time=milliseconds(evidence.time(rows) / evidence.counted),
        ),
        evidence.change("accumulation_change"),
        (evidence.slice_place(int(rows[0])),),
        promised(saves, is_replayed=replay is not None),
    )


RULES = (
    profile_rule("host_communication", said("host_communication_title"), host_communication),
    profile_rule("communication", said("exposed_title"), exposed_communication),
    profile_rule("small_collectives", said("small_collectives_title"), small_collectives),
    profile_rule("gradient_accumulation", said("accumulation_title"), gradient_accumulation),
)
