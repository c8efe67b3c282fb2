"""Every value of the tables of ``insight_host.open`` equals what TensorBoard's EventAccumulator loads."""

from __future__ import annotations

from pathlib import Path

import insight_host
from insight_host.export import export
from tests.conformance.conftest import REPOSITORY, Oracle, Scalars


def scalars_of(logs: insight_host.Logs) -> Scalars:
    found: Scalars = {}
    for run, tag, step, wall_time, value in logs.scalars().rows():
        found.setdefault(run, {}).setdefault(tag, []).append([step, wall_time.hex(), value.hex()])
    return found


def test_the_samples_of_tensorboard_formats_have_equal_values(tensorboard: Oracle) -> None:
    compared = 0
    for name in ("torch", "keras"):
        place = REPOSITORY / "examples/logs" / name
        with insight_host.open(place) as logs:
            found = scalars_of(logs)
        wanted = {run: tags for run, tags in tensorboard(place).items() if tags}
        assert found == wanted
        compared += sum(len(points) for tags in wanted.values() for points in tags.values())
    assert compared > 500


def test_tensorboard_reads_every_exported_point(tensorboard: Oracle, tmp_path: Path) -> None:
    with insight_host.open(REPOSITORY / "examples/logs") as logs:
        for _ in export(logs, tmp_path / "out", "tensorboard"):
            pass
        found = scalars_of(logs)
    assert tensorboard(tmp_path / "out") == found
