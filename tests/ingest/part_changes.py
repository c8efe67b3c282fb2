"""Runs with directories of hyperparameters, what may become of one while no host runs, and what is seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.support.sweeps import T, write_trial


def facts(provider: LocalProvider) -> dict[str, object]:
    """All that a client sees of the runs, but whether they are loading. Values as texts: some are NaN."""
    provider.load()  # again: also what turned out meanwhile
    keys = [info.key for info in provider.series("scalar")]
    found = provider.scalars("scalar", keys)
    return {
        "runs": {(run.name, run.start_time, run.dialects, run.damage) for run in provider.runs()},
        "infos": {name: sorted(map(repr, provider.series(name))) for name in ("scalar", "lineage")},
        "points": {
            key: (one.steps.tolist(), one.values.tolist(), one.wall_times.tolist(), one.hidden)
            for key, one in found.items()
        },
        "files": {(file.run, file.path) for file in provider.run_files()},
    }


def write_trials(logs: Path) -> None:
    """A trial of each kind."""
    for trial in range(3):
        write_trial(logs / f"trial{trial}", {"lr": 0.1 * trial}, {"acc": trial / 4})
    write_trial(logs / "empty", {"lr": 0.1}, {"acc": 0.5}, steps=0)
    write_trial(logs / "same_tag", {"lr": 0.1}, {"loss": 0.25}, steps=4)
    write_trial(logs / "later_begun", {"lr": 0.1}, {"acc": 0.5}, name="1.5")
    write_trial(logs / "restarted", {"lr": 0.1}, {"acc": 0.5})
    with EventWriter(logs / "restarted", start_time=T + 50) as writer:
        writer.scalar("loss", 1, 0.125)
    for session in range(2):
        write_trial(logs / "sessions", {"s": session}, {"acc": session / 4}, start_time=T + 10 * session)
    write_trial(logs / "purged", {"lr": 0.1}, {"acc": 0.5})
    with EventWriter(logs / "purged", start_time=T + 60) as writer:
        writer.session_start(1)
        writer.scalar("loss", 1, 0.0625)


CHANGES: dict[str, Callable[[Path, Path], object]] = {
    "nothing": lambda run, part: None,
    "part grows": lambda run, part: append(part, 1, 0.75),
    "part becomes a run": lambda run, part: append(part, 2, 0.75),
    "part is deleted": lambda run, part: part.unlink(),
    "run grows": lambda run, part: append(next(run.glob("events*")), 3, 0.75),
    "run is deleted": lambda run, part: next(run.glob("events*")).unlink(),
    "restart": lambda run, part: write(run, T + 99),
    "earlier file": lambda run, part: write(run / "events.out.tfevents.0000000000.early", 0.5),
    "file of the same second": lambda run, part: write(Path(f"{next(run.glob('events*'))}.x"), 0.5),
    "file in part": lambda run, part: write_trial(
        run, {"lr": 9.0}, {"other": 0.5}, steps=0, start_time=T + 70, name=part.parent.name, is_finished=False
    ),
    "number in part": lambda run, part: write(part.parent, T + 70),
    "second trial": lambda run, part: write_trial(run, {"lr": 9.0}, {"acc": 0.75}, start_time=T + 70),
}


def write(path: Path, start_time: float) -> None:
    """Writes one more file of a run, or at a path."""
    with EventWriter(path, start_time=start_time) as writer:
        writer.scalar("loss", 0, 4.0)


def append(path: Path, step: int, value: float) -> None:
    """Appends a point of a result."""
    with EventWriter(path, append=True) as writer:
        writer.scalar("acc", step, value)
