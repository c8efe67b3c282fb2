"""Landscapes and the facts next to them are those of MindInsight, and hide nothing of the training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import insight_image
import insight_landscape
import insight_tensor
import numpy as np
import pytest
from werkzeug.test import Client

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.hosts import client_of
from tests.support.landscapes import LOSS_LANDSCAPE, mindspore_landscape, points

Oracle = Callable[..., Any]


@pytest.fixture(params=["examples", "shared", "generated"])
def landscapes(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = request.config.rootpath
    places = {
        "examples": root / "examples/logs/mindspore",
        "shared": root.parent / "shared/data/mindspore",
        "generated": tmp_path,
    }
    if request.param == "generated":
        _generate(tmp_path / "run")
    place = places[request.param]
    if not place.is_dir():
        pytest.skip(f"the real logs at {place} are not on this machine")
    return place


def _generate(run: Path) -> None:
    """Uneven axes, odd values, more columns than rows, steps."""
    random = np.random.default_rng(0)
    with EventWriter(run, "mindspore") as writer:
        for first in range(0, 50, 10):
            at = range(first + 1, first + 12)
            surface = points(np.sort(random.normal(size=40)), np.sort(random.normal(size=17)), _odd(random))
            path = points(*random.normal(size=(3, len(at))))
            message = mindspore_landscape(
                surface, at=at, path=path, unit="step", convergence=points([0.25], [-0.5], [1])
            )
            writer.values(0, [wire.value(f"landscape_[{at[0]}, {at[-1]}]", LOSS_LANDSCAPE, message)])
        message = mindspore_landscape(surface, decomposition="Random", convergence=points([0], [0], [1]))
        writer.values(0, [wire.value("landscape_[50]", LOSS_LANDSCAPE, message)])
    for second, metrics in [(8, '{"acc": 0.5, "other": 1}'), (9, '{"acc": 0.75}'), (10, '{"acc": 0.25}')]:
        evaluation = wire.message_field(7, wire.message_field(2, metrics.encode()))
        (run / f"events.out.events.summary.{second}.0.host_lineage").write_bytes(wire.record(evaluation))


def _odd(random: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float32]]:
    z = random.lognormal(size=(17, 40)).astype(np.float32)
    z[0, :3] = 1e-40, 3e38, 0
    return z


@pytest.fixture
def client(landscapes: Path) -> Iterator[Client]:
    with client_of(
        landscapes, landscape=insight_landscape, image=insight_image, tensor=insight_tensor
    ) as client:
        yield client


def _json(client: Client, route: str, **query: str) -> Any:  # noqa: ANN401
    answer = client.get(f"/data/plugin/{route}", query_string=query)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.data)


def test_landscapes_are_those_of_mindinsight(
    landscapes: Path, client: Client, mindinsight_landscapes: Oracle
) -> None:
    """Value for value: MindInsight's lists hold float32, and so do these numbers."""
    theirs = mindinsight_landscapes(landscapes)
    assert theirs
    ours = {entry["run"]: entry["landscapes"] for entry in _json(client, "landscape/intervals")["runs"]}
    assert set(ours) == set(theirs)
    for run, expected in theirs.items():
        intervals = [one["interval"] for one in ours[run] if one["kind"] == "interval"]
        assert intervals == expected["intervals"]
        assert {one["id"] for one in ours[run]} == set(expected["landscapes"])
        for name, answer in expected["landscapes"].items():
            found = _json(client, "landscape/landscape", run=run, id=name)
            assert {axis: found[axis] for axis in "xyz"} == answer["points"]
            path = answer.get("path", {"x": [], "y": [], "z": [], "intervals": []})
            assert [found[f"path_{axis}"] for axis in "xyz"] == [path[axis] for axis in "xyz"]
            assert found["path_at"] == path["intervals"]
            assert found["convergence"] == answer["convergence_point"]
            stated = answer["metadata"]
            assert [found[key] for key in ("decomposition", "unit", "step_per_epoch")] == [
                stated[key] for key in ("decomposition", "unit", "step_per_epoch")
            ]
            facts = found["facts"]
            for key in ("network", "optimizer", "metric"):
                assert facts[key] == stated[key]
            for key in ("learning_rate", "loss"):  # theirs are written in the digits of a float32
                assert _float32(facts[key]) == _float32(stated[key])


def _float32(value: float | None) -> float | None:
    return None if value is None else float(np.float32(value))


@pytest.mark.parametrize("landscapes", ["examples"], indirect=True)
def test_the_landscape_file_hides_no_training(client: Client) -> None:
    """MindInsight keeps step 0 alone of images and tensors that the second file records once more."""
    runs = {entry["run"] for entry in _json(client, "landscape/intervals")["runs"]}
    assert runs
    for run in runs:
        for plugin, tag in (("image", "Image"), ("tensor", "Tensor")):
            steps = _json(client, f"{plugin}/records", run=run, tag=tag)["steps"]
            everything = _json(client, f"{plugin}/records", run=run, tag=tag, attempts="all")["steps"]
            assert len(steps) > 1
            assert set(steps) == set(everything)
