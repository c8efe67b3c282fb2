"""Every value of ``insight_host.open`` equals what TensorBoard's and MindInsight's loaders read, from every
kind of source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import insight_host
from insight_core.plugin.data import ShownAttempts
from insight_host.export import export
from tests.conformance.conftest import REPOSITORY, Oracle, Scalars
from tests.conformance.payload_values import histogram_value, image_value, tensor_value
from tests.opened_logs import STORED, opened_as

EXAMPLES = REPOSITORY / "examples/logs"
Values = dict[tuple[str, str, str], list[list[Any]]]  # by run, kind and tag: step, wall time, value


def scalars_of(logs: insight_host.Logs, attempts: ShownAttempts = "last") -> Scalars:
    found: Scalars = {}
    table = logs.scalars(attempts=attempts)
    columns = (table[name].tolist() for name in ("run", "tag", "step", "wall_time", "value"))
    for run, tag, step, wall_time, value in zip(*columns, strict=True):
        found.setdefault(run, {}).setdefault(tag, []).append([step, wall_time.hex(), value.hex()])
    return found


def values_of(logs: insight_host.Logs) -> Values:
    """Images, histograms and tensors of every attempt."""
    found: Values = {}
    for kind, run, tag, step, wall_time, value in _decoded(logs):
        found.setdefault((run, kind, tag), []).append([step, float(wall_time).hex(), value])
    return found


def _decoded(logs: insight_host.Logs) -> Iterator[tuple[str, str, str, int, float, Any]]:
    for image in logs.images(attempts="all"):
        read = image.read()
        value = image_value(read.width, read.height, read.encoded)
        yield "image", image.run, image.tag, image.step, image.wall_time, value
    for one in logs.histograms(attempts="all"):
        buckets = one.read()
        value = histogram_value(buckets.left.tolist(), buckets.right.tolist(), buckets.counts.tolist())
        yield "histogram", one.run, one.tag, one.step, one.wall_time, value
    for tensor in logs.tensors(attempts="all"):
        value = tensor_value(tensor.read().values)
        yield "tensor", tensor.run, tensor.tag, tensor.step, tensor.wall_time, value


def _flat(payloads: dict[str, dict[str, dict[str, list[Any]]]], kinds: Iterable[str]) -> Values:
    return {
        (run, kind, tag): rows
        for run, tags_by_kind in payloads.items()
        for kind, tags in tags_by_kind.items()
        if kind in kinds
        for tag, rows in tags.items()
    }


@pytest.fixture(scope="module")
def of_tensorboard(tensorboard: Oracle) -> dict[str, Scalars]:
    """Of each run, with what `add_hparams` wrote into a directory of its own (named by the time)."""
    found: dict[str, Scalars] = {}
    for name in ("torch", "keras"):
        runs = found.setdefault(name, {})
        for run, tags in tensorboard(EXAMPLES / name).items():
            above, _, last = run.rpartition("/")
            if tags:
                runs.setdefault(above if re.fullmatch(r"\d+\.\d+", last) else run, {}).update(tags)
    return found


@pytest.fixture(scope="module")
def of_mindinsight(mindinsight: Oracle) -> Scalars:
    found: Scalars = mindinsight(EXAMPLES / "mindspore", "read")
    return {run: tags for run, tags in found.items() if tags}


@pytest.mark.parametrize("kind", STORED)
def test_scalars_are_those_of_tensorboard(kind: str, of_tensorboard: dict[str, Scalars]) -> None:
    for name, wanted in of_tensorboard.items():
        with opened_as(kind, EXAMPLES / name) as logs:
            assert scalars_of(logs) == wanted
    assert (
        sum(len(rows) for runs in of_tensorboard.values() for tags in runs.values() for rows in tags.values())
        > 500
    )


@pytest.mark.parametrize("kind", STORED)
def test_scalars_are_those_of_mindinsight(kind: str, of_mindinsight: Scalars) -> None:
    with opened_as(kind, EXAMPLES / "mindspore") as logs:
        assert scalars_of(logs, "all") == of_mindinsight
    assert sum(len(rows) for tags in of_mindinsight.values() for rows in tags.values()) > 40


@pytest.mark.parametrize("name", ["torch", "keras"])
def test_images_histograms_and_tensors_are_those_of_tensorboard(
    name: str, tensorboard_payloads: Oracle
) -> None:
    payloads = tensorboard_payloads(EXAMPLES / name)
    with opened_as("directory", EXAMPLES / name) as logs:
        found = values_of(logs)
    assert {key: rows for key, rows in found.items() if key[1] != "tensor"} == _flat(
        payloads, ("image", "histogram")
    )
    tensors = _flat(payloads, ("tensor",))
    for key, rows in found.items():  # TensorBoard has those of other plugins among them
        if key[1] == "tensor":
            assert rows == tensors[key]
    assert len(found) > 1


def test_images_histograms_and_tensors_are_those_of_mindinsight(mindinsight_payloads: Oracle) -> None:
    wanted = _flat(mindinsight_payloads(EXAMPLES / "mindspore", "read"), ("image", "histogram", "tensor"))
    with opened_as("directory", EXAMPLES / "mindspore") as logs:
        assert values_of(logs) == wanted
    assert {kind for _, kind, _ in wanted} == {"image", "histogram", "tensor"}


def test_tensorboard_reads_every_exported_point(tensorboard: Oracle, tmp_path: Path) -> None:
    with insight_host.open(EXAMPLES) as logs:
        for _ in export(logs, tmp_path / "out", "tensorboard"):
            pass
        found = scalars_of(logs)
    assert tensorboard(tmp_path / "out") == found
