"""All scalars of real logs equal what TensorBoard and MindInsight read from the same files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Scalars = dict[str, dict[str, list[list[Any]]]]


def _runs_of(logs: Path, pattern: str) -> set[str]:
    """Directories with an event file of this name, relative to the logdir."""
    return {
        path.parent.relative_to(logs).as_posix()
        for path in logs.rglob("*")
        if path.is_file() and re.search(pattern, path.name) and not path.name.endswith("_lineage")
    }


def _differences(ours: Scalars, theirs: Scalars) -> list[str]:
    """What a reader needs to know of two unequal tables; empty when they are equal."""
    found = []
    for run in sorted(ours.keys() | theirs.keys()):
        mine, other = ours.get(run, {}), theirs.get(run, {})
        for tag in sorted(mine.keys() | other.keys()):
            a, b = mine.get(tag, []), other.get(tag, [])
            if a != b:
                pairs = enumerate(zip(a, b, strict=False))
                at = next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
                lengths = f"{len(a)} points against {len(b)}"
                found.append(f"{run} {tag}: {lengths}, from {at}: {a[at : at + 1]} {b[at : at + 1]}")
    return found


@pytest.mark.parametrize("attempts", ["last", "all"])
def test_tensorboard_dialect(
    logs: Path, insight: Callable[..., Scalars], tensorboard: Callable[..., Scalars], attempts: str
) -> None:
    runs = _runs_of(logs, "tfevents")
    theirs = tensorboard(logs)
    ours = {run: tags for run, tags in insight(logs, attempts).items() if run in runs}
    assert _differences(ours, theirs) == []
    assert bool(theirs) == bool(runs)


def test_mindspore_dialect_every_point(
    logs: Path, insight: Callable[..., Scalars], mindinsight: Callable[..., Scalars]
) -> None:
    runs = _runs_of(logs, r"summary\.\d+")
    theirs = mindinsight(logs, "read")
    ours = {run: tags for run, tags in insight(logs, "all").items() if run in runs}
    assert _differences(ours, theirs) == []
    assert bool(theirs) == bool(runs)


def test_mindspore_dialect_default_view(
    logs: Path, insight: Callable[..., Scalars], mindinsight: Callable[..., Scalars]
) -> None:
    """MindInsight shows one point a step, the last; we show all (MindSpore repeats the end of an epoch)."""
    runs = _runs_of(logs, r"summary\.\d+")
    ours = {run: tags for run, tags in insight(logs).items() if run in runs}
    assert _differences(_last_of_each_step(ours), mindinsight(logs, "kept")) == []


def _last_of_each_step(scalars: Scalars) -> Scalars:
    return {
        run: {tag: list({point[0]: point for point in points}.values()) for tag, points in tags.items()}
        for run, tags in scalars.items()
    }
