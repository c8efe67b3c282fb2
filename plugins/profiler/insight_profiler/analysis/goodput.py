"""What the time of a job went to, over its restarts: useful, restarting, stalled, checkpointing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_profiler.analysis.every_step import STEP
from insight_profiler.derived.step_runs import StepRuns
from insight_profiler.model import Profile

KINDS = ("useful", "restarting", "stalled", "checkpointing")
_CHECKPOINT = re.compile(r"check_?point|ckpt|(^|_)save(_|$)", re.IGNORECASE)
_LONG = 5  # medians: what a step takes beyond them is a stall


@frozen
class Attempt:
    """A start of the job: when it began and ended (ns since the epoch), its steps, and ns of each kind, of
    which ``restarting`` includes the time since the attempt before."""

    attempt: int
    start: int
    end: int
    first: int
    last: int
    times: Mapping[str, int]


def goodput(profile: Profile) -> Sequence[Attempt]:
    """The attempts of a job by the clock of its lowest rank; their times add up to that from the first step
    to the last. Empty without steps."""
    runs = StepRuns.of(profile)
    runs = runs.chosen(runs.rank == runs.rank[:1])
    names = [profile.texts[number] for number in np.unique(runs.span).tolist()]
    if STEP not in names:
        return ()
    saving = [profile.texts.index(name) for name in names if _CHECKPOINT.search(name)]
    steps = _columns(runs.chosen(runs.span == profile.texts.index(STEP)))
    saves = _columns(runs.chosen(np.isin(runs.span, saving)))
    usual = float(np.median(steps["duration"]))
    numbers = np.unique(steps["attempt"]).tolist()
    firsts = [int(steps["step"][steps["attempt"] == number].min()) for number in numbers]
    found: list[Attempt] = []
    for at, number in enumerate(numbers):
        mine = {name: column[steps["attempt"] == number] for name, column in steps.items()}
        own = {name: column[saves["attempt"] == number] for name, column in saves.items()}
        before = found[-1].end if found else None
        found.append(_attempt(number, mine, own, usual, before, min(firsts[at + 1 :], default=None)))
    return found


def _columns(runs: StepRuns) -> dict[str, NDArray[np.int64]]:
    return {
        "attempt": np.repeat(runs.attempt.astype(np.int64), runs.counts()),
        "step": runs.steps(),
        "start": runs.starts(),
        "duration": np.rint(runs.durations()).astype(np.int64),
    }


def _attempt(
    number: int,
    steps: Mapping[str, NDArray[np.int64]],
    saves: Mapping[str, NDArray[np.int64]],
    usual: float,
    before: int | None,
    repeated: int | None,
) -> Attempt:
    """``before``: when the attempt before ended; ``repeated``: the first step that a later one repeats."""
    start, end = int(steps["start"].min()), int((steps["start"] + steps["duration"]).max())
    saved = np.zeros(len(steps["step"]), np.int64)
    order = np.argsort(steps["start"])
    place = np.searchsorted(steps["start"][order], saves["start"], side="right") - 1
    owner = order[np.maximum(place, 0)]
    is_within = (place >= 0) & (saves["start"] < (steps["start"] + steps["duration"])[owner])
    np.add.at(saved, owner[is_within], saves["duration"][is_within])
    saved = np.minimum(saved, steps["duration"])
    between = int(saves["duration"][~is_within].sum())
    working = steps["duration"] - saved
    useful = np.minimum(working, round(_LONG * usual))
    lost = np.zeros(len(working), bool) if repeated is None else steps["step"] >= repeated
    times = {
        "useful": int(useful[~lost].sum()),
        "restarting": int(useful[lost].sum()) + max(0, start - before if before is not None else 0),
        "checkpointing": int(saved.sum()) + between,
    }
    whole = end - (start if before is None else min(start, before))
    times["stalled"] = max(0, whole - sum(times.values()))
    return Attempt(number, start, end, int(steps["step"].min()), int(steps["step"].max()), times)
