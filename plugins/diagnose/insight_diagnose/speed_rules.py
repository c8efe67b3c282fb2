"""Rules about the speed of a training: how well it uses its devices from beginning to end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Reason, ReasonKind
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.findings import Examined, Finding, NotChecked
from insight_core.plugin.lab import is_held_out, words_of
from insight_diagnose.curves import Floats, short
from insight_diagnose.examined_curves import curve_of_writer, found_in
from insight_diagnose.throughput import slowdown

_TOKENS = frozenset({"tok", "toks", "token", "tokens"})
_SECOND = frozenset({"s", "sec", "secs", "second", "seconds"})
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


def is_speed(tag: str, run: str = "") -> bool:
    """Whether a tag is of MFU, or of tokens a second in the training."""
    return _names_speed(tag) and not is_held_out(tag, run)


@lru_cache(maxsize=1 << 16)  # most runs have the tags of others
def _names_speed(tag: str) -> bool:
    words = words_of(tag)
    if not {"mfu", "tps"}.isdisjoint(words):
        return True
    tokens = [at for at, word in enumerate(words) if word in _TOKENS]
    # "seconds per token" is no speed
    seconds = [at for at, word in enumerate(words) if word in _SECOND and at > min(tokens, default=at)]
    return bool(tokens) and (bool(seconds) or "throughput" in words)


def mfu_falls(examined: Examined) -> Iterator[Finding]:
    """A speed that falls within the run, beyond its noise, and does not come back.

    MFU is proportional to tokens a second as long as model and devices are the same: either tells. Of a run
    that logs both MFU counts alone.
    """
    tags = [tag for tag in examined.series().tags if is_speed(tag, examined.run)]
    if not tags:
        raise NotChecked(_NEEDS())
    own = [tag for tag in tags if "mfu" in words_of(tag)]
    key = SeriesKey(examined.run, (own or tags)[0])
    columns = examined.read(key)
    if columns is None or not len(columns.steps):
        return
    curve = curve_of_writer(examined, key, columns)
    found = slowdown(curve)
    if found is None:
        return
    step, first, last = curve.step(found.at), int(curve.steps[0]), int(curve.steps[-1])
    length = max(1, last - first)
    if not own and (np.abs(columns.restarts - step) <= _NEAR * length).any():
        return
    fall = 1 - found.after / found.before
    saw = _FELL(
        tag=key.tag,
        percent=round(100 * fall),
        before=short(found.before),
        after=short(found.after),
        step=step,
    )
    lost = fall * _time_after(columns.wall_times, columns.steps, step)
    yield found_in(key, "warning", saw, _CHANGE, (step, last), short(lost))


def _time_after(wall_times: Floats, steps: NDArray[np.int64], step: int) -> float:
    """The share of the time of the run after a step."""
    whole = float(wall_times[-1] - wall_times[0])
    at = min(int(np.searchsorted(steps, step)), len(steps) - 1)
    return float(wall_times[-1] - wall_times[at]) / whole if whole > 0 else 0.0
