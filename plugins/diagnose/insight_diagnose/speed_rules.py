"""Rules about the speed of a training: how well it uses its devices from beginning to end."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.findings import Examined, Finding, NotChecked
from insight_diagnose.curves import curve_of, short
from insight_diagnose.examined_curves import found_in
from insight_diagnose.throughput import slowdown

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_TOKENS = frozenset({"tok", "toks", "token", "tokens"})
_SECOND = frozenset({"s", "sec", "secs", "second", "seconds", "throughput"})
_HELD_OUT = frozenset({"val", "valid", "validation", "eval", "evaluation", "test"})
_NEAR = 0.02  # of the run: a fall that begins at a restart may be of other devices
_NEEDS = ReasonKind("diagnose_needs_speed", "no tag is of tokens a second or of MFU")
_FELL = ReasonKind(
    "diagnose_mfu_falls",
    "{tag} falls by {percent} %, from {before:g} to {after:g}, at step {step} and stays there",
)
_CHANGE = Reason(
    "compare a profile before and after that step; look whether data came later (storage, workers), a device "
    "became hot or was shared, memory became scarce, or sequences became longer",
    "diagnose_mfu_falls_change",
)


def is_speed(tag: str) -> bool:
    """Whether a tag is of MFU, or of tokens a second in the training."""
    words = {word.lower() for word in _WORDS.findall(tag)}
    if words & _HELD_OUT:
        return False
    return bool(words & {"mfu", "tps"}) or bool(words & _TOKENS and words & _SECOND)


def mfu_falls(examined: Examined) -> Iterator[Finding]:
    """A speed that falls within the run, beyond its noise, and does not come back.

    MFU is proportional to tokens a second as long as model and devices are the same: either tells. Of a run
    that logs both MFU counts alone.
    """
    tags = [tag for tag in examined.series().tags if is_speed(tag)]
    if not tags:
        raise NotChecked(_NEEDS())
    own = [tag for tag in tags if "mfu" in {word.lower() for word in _WORDS.findall(tag)}]
    for tag in (own or tags)[:1]:
        key = SeriesKey(examined.run, tag)
        columns = examined.read(key)
        if columns is None or not len(columns.steps):
            continue
        curve = curve_of(columns.steps, columns.values)
        found = slowdown(curve)
        if found is None:
            continue
        step, first, last = curve.step(found.at), int(curve.steps[0]), int(curve.steps[-1])
        length = max(1, last - first)
        if not own and (np.abs(columns.restarts - step) <= _NEAR * length).any():
            continue
        fall = 1 - found.after / found.before
        saw = _FELL(
            tag=tag,
            percent=round(100 * fall),
            before=short(found.before),
            after=short(found.after),
            step=step,
        )
        lost = fall * _time_after(columns.wall_times, columns.steps, step)
        yield found_in(key, "warning", saw, _CHANGE, (step, last), short(lost))


def _time_after(
    wall_times: np.ndarray[tuple[int], np.dtype[np.float64]],
    steps: np.ndarray[tuple[int], np.dtype[np.int64]],
    step: int,
) -> float:
    """The share of the time of the run after a step."""
    whole = float(wall_times[-1] - wall_times[0])
    at = min(int(np.searchsorted(steps, step)), len(steps) - 1)
    return float(wall_times[-1] - wall_times[at]) / whole if whole > 0 else 0.0
