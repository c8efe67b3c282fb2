"""Trials as torch's ``SummaryWriter`` and its ``add_hparams`` write them: hyperparameters below a curve."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from insight_core.plugin.testing import EventWriter
from tests.lineage_samples import Hparams, hparams_value, write_run

T = 1_700_000_000.0


def write_trial(
    directory: Path,
    hparams: Hparams,
    results: Mapping[str, float],
    *,
    steps: int = 3,
    start_time: float = T,
    name: str | None = None,
    is_finished: bool = True,
) -> Path:
    """A run with a curve ``loss`` of some steps, a second each; returns the directory of hyperparameters.

    Its ``name`` is by default the time, as torch has it. With ``is_finished`` the session ends.
    """
    with EventWriter(directory, start_time=start_time) as writer:
        for step in range(steps):
            writer.scalar("loss", step, 2.0**-step)
    ended = start_time + steps
    child = directory / (f"{ended:.6f}1" if name is None else name)
    write_run(child, hparams, results, ended)
    if is_finished:
        [path] = child.iterdir()
        with EventWriter(path, start_time=ended, append=True) as writer:
            writer.values(0, [hparams_value("session_end_info", 4, b"\x08\x01")])
    return child
