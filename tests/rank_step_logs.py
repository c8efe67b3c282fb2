"""Writes logs of the steps of each rank as TorchTitan's structured logger does, with planted faults."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

START_US = 1_796_000_000_000_000
FILE = "training.global_rank_{rank}.2026{attempt:04d}-120000-ABCDEF.jsonl"


def write_attempt(
    directory: Path,
    ranks: int,
    steps: range,
    *,
    attempt: int = 0,
    at: float = 0.0,
    usual: float = 0.1,
    noise: float = 0.02,
    work: Callable[[int, int], float] = lambda _rank, _step: 0.0,
    checkpoint: Callable[[int], float] = lambda _step: 0.0,
) -> float:
    """A start of a job in step: seconds of ``work`` of a rank delay all, as others wait in ``fwd_bwd``.
    ``at`` and the result: seconds since the start at which it begins and ends."""
    place = directory / "structured_logs"
    place.mkdir(parents=True, exist_ok=True)
    drawn = np.random.default_rng(attempt + 1).normal(1, noise, (len(steps), ranks))
    lines: list[list[str]] = [[_line(rank, None, at, "setup", 500.0)] for rank in range(ranks)]
    now = at
    for row, step in enumerate(steps):
        data = [usual * 0.2 * drawn[row, rank] + work(rank, step) for rank in range(ranks)]
        whole = max(data) + usual * 0.8
        saving = checkpoint(step)
        for rank in range(ranks):
            spans = {"fetch": data[rank], "fwd_bwd": whole - data[rank], "save_checkpoint": saving}
            end = now
            for name, took in spans.items():
                end += took
                if took:
                    lines[rank].append(_line(rank, step, end, name, took * 1000))
            lines[rank].append(_line(rank, step, end, "step", (whole + saving) * 1000))
        now += whole + saving
    for rank, mine in enumerate(lines):
        (place / FILE.format(rank=rank, attempt=attempt)).write_text("".join(mine), encoding="utf-8")
    return now


def _line(rank: int, step: int | None, seconds: float, name: str, milliseconds: float) -> str:
    held = {"delta_ms": 0.1, "tid": 7, "rank": rank, "global_rank": rank, "source": "training"}
    if step is not None:
        held |= {"step": step, "relative_step": step}
    time_us = START_US + round(seconds * 1e6)
    held |= {
        "time": time_us // 1_000_000,
        "time_ms": time_us // 1000,
        "time_us": time_us,
        "log_type": "event",
    }
    begins = json.dumps({**held, "log_type_name": f"{name}_start", "event_name": None, "seq_id": 1})
    held |= {"log_type_name": f"{name}_end", "event_name": None, "value": milliseconds, "seq_id": 2}
    ends = json.dumps({**held, "caller": "trainer.py:796:train_step", "message": f"[step 5] {name}_end took"})
    return f"{begins}\n{ends}\n"
