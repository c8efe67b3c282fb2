"""Rules about copies: from pageable memory, and copies that nothing hides."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from insight_core.plugin.findings import Finding, NotChecked
from insight_profiler.advice.evidence import Evidence
from insight_profiler.advice.findings import finding, profile_rule
from insight_profiler.advice.replay import WAIT, ReplayChange
from insight_profiler.advice.savings import if_changed, if_shorter
from insight_profiler.advice.words import milliseconds, per_step, percent, said
from insight_profiler.analysis.device_peaks import host_link
from insight_profiler.model import Category

_LITTLE = 0.01  # of the time of a step that a change must save
_MORE = 0.05
_COPIES = 0.1  # of the time, while nothing is computed
_CALL = 5_000  # ns of a call that does not wait for the copy
_HALF = 0.5  # of the time of copies from pageable memory, where their rate is not known


def pinned_memory(evidence: Evidence) -> Iterator[Finding]:
    """Copies to the device from memory that can be swapped out."""
    rows = evidence.named(_is_pageable, evidence.of(Category.MEMCPY))
    if not len(rows):
        return
    replay = evidence.replay
    if replay is None:
        raise NotChecked(said("needs_launches"))
    calls = evidence.launchers[rows]
    waits = ~((replay.kind == WAIT) & np.isin(replay.row, calls[calls >= 0]))
    call, mine = replay.nodes_of(calls[calls >= 0]), replay.nodes_of(rows)
    rate, link = _rates(evidence)

    def change(left: float) -> ReplayChange:
        duration = np.where(mine, left, 1.0)
        duration[call] = _CALL / np.maximum(replay.duration[call], _CALL)
        return ReplayChange(duration, waits=waits)

    pinned = min(1.0, rate / link) if rate and link else _HALF
    saves = if_changed(evidence, replay, change(pinned), change(0.0), said("assumes_hidden_copies"))
    told = {
        "count": per_step(len(rows) / evidence.counted),
        "time": milliseconds(evidence.time(rows) / evidence.counted),
    }
    if saves.high < _LITTLE:
        raise NotChecked(said("no_saving_pageable", **told))
    yield finding(
        evidence,
        said("pageable_rate", **told, rate=round(rate / 1e9, 1), link=round(link / 1e9))
        if rate and link
        else said("pageable", **told),
        evidence.change("pageable_change"),
        (evidence.slice_place(evidence.longest(rows)),),
        saves,
    )


def _is_pageable(name: str) -> bool:
    return "HtoD" in name and "Pageable" in name


def _rates(evidence: Evidence) -> tuple[float, float]:
    """Bytes a second of copies from pageable memory, and what pinned memory reaches: as copies from it do in
    this profile, or as the link of the device allows; 0 where that is not known."""
    link = None if evidence.device is None else host_link(evidence.device)
    pinned = _rate(evidence, lambda name: "HtoD" in name and "Pinned" in name)
    return _rate(evidence, _is_pageable), max(pinned, link or 0.0)


def _rate(evidence: Evidence, kind: Callable[[str], bool]) -> float:
    """Bytes a second of copies whose names are of a kind, 0 where that is not known."""
    known = evidence.profile.documents.get("copies", {})
    mine = [one for name, one in known.items() if kind(name)]
    time = sum(one["time"] for one in mine)
    return float(sum(one["bytes"] for one in mine)) / time * 1e9 if time else 0.0


def memory_copies(evidence: Evidence) -> Iterator[Finding]:
    """Copies that no computation hides."""
    rows = evidence.of(Category.MEMCPY)
    exposed = evidence.exposed(rows) / evidence.whole
    if exposed < _COPIES:
        return
    savings = if_shorter(evidence, rows, 0.0)
    if not savings.is_worth(_LITTLE):
        raise NotChecked(said("no_saving_copies", share=percent(exposed)))
    name = evidence.biggest_name(rows)
    told = {"share": percent(exposed), "name": name, "count": round(len(rows) / evidence.counted)}
    rate = _rate(evidence, lambda text: text == name)
    yield finding(
        evidence,
        said("copies_rate", **told, rate=round(rate / 1e9, 1)) if rate else said("copies", **told),
        evidence.change("copies_within_change" if "DtoD" in name else "copies_change"),
        (evidence.slice_place(evidence.longest(rows)),),
        savings,
        savings.severity(_MORE),
    )


RULES = (
    profile_rule("pinned_memory", said("pageable_title"), pinned_memory),
    profile_rule("memory_copies", said("copies_title"), memory_copies),
)
