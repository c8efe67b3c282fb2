"""Images, histograms and tensors are those that TensorBoard and MindInsight read; every step is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from insight_core.plugin.testing import EventWriter
from tests.conformance.independent_reader import Steps, steps_of
from tests.conformance.our_payloads import Payloads, Plugins, plugins_over
from tests.support.pictures import png

Oracle = Callable[..., Payloads]

DTYPES = ("float32", "float64", "float16", "int8", "int32", "int64", "uint8", "uint16", "bool", "complex64")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the sample logs lack: batches, restarts, odd values, every type, many steps."""
    logs = tmp_path_factory.mktemp("generated")
    random = np.random.default_rng(3)
    with EventWriter(logs / "tf") as writer:
        for step in range(120):
            pixels = random.integers(0, 256, (2, 4, 5, 3), np.uint8)
            writer.image("v1", step, png(pixels[0]), 5, 4)
            writer.images_tf2("batch", step, [png(one) for one in pixels], 5, 4)
            values = random.normal(step / 50, 1 + step / 20, 400)
            writer.histogram("v1/weights", step, values)
            writer.histogram_tf2("tf2/weights", step, values)
            writer.histogram_tf2("tf2/equal", step, np.full(7, step / 3))
        for dtype in DTYPES:
            for step, typed in enumerate((False, True)):
                array = random.integers(0, 2 if dtype == "bool" else 100, (3, 1, 4)).astype(dtype)
                writer.tensor(f"{dtype}", step, array, typed=typed)
        writer.tensor("odd", 0, np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32))
        writer.tensor("strings", 0, [["a", "β"], ["", "d"]])
        writer.tensor("empty", 0, np.zeros((0, 3)))
        writer.tensor("scalar", 0, np.float64(2.5), plugin="other")
        writer.tensor("nameless", 0, np.arange(6.0).reshape(2, 3), plugin="")
    with EventWriter(logs / "ms", "mindspore") as writer:
        for step in range(48):
            writer.image("picture", step, png(random.integers(0, 256, (3, 4), np.uint8)), 4, 3, channels=1)
            values = random.normal(step / 50, 1 + step / 20, 300).astype(np.float32)
            writer.histogram("weights", step, values)
            writer.histogram("spike", step, np.append(np.zeros(50), [-1.0, 1.0 + step]))
            writer.tensor("t", step, values.reshape(3, 100))
        writer.histogram("odd", 0, [np.nan, np.inf, 1.0, 2.0])
    return logs


@pytest.fixture(scope="module")
def logs(request: pytest.FixtureRequest) -> Path:
    place = str(request.param)
    if place == "generated":
        made: Path = request.getfixturevalue("generated")
        return made
    root = request.config.rootpath
    directory = root / "examples/logs" if place == "examples" else root.parent / "shared/data" / place
    if not directory.is_dir():
        pytest.skip(f"the real logs at {directory} are not on this machine")
    return directory


_TENSORBOARD = ("torch", "keras", "examples", "generated")
_MINDSPORE = ("mindspore", "examples", "generated")
EVERYWHERE = pytest.mark.parametrize("logs", ["mindspore", *_TENSORBOARD], indirect=True, scope="module")
OF_TENSORBOARD = pytest.mark.parametrize("logs", _TENSORBOARD, indirect=True, scope="module")
OF_MINDSPORE = pytest.mark.parametrize("logs", _MINDSPORE, indirect=True, scope="module")


@pytest.fixture(scope="module")
def plugins(logs: Path) -> Iterator[Plugins]:
    with plugins_over(logs) as opened:
        yield opened


@pytest.fixture(scope="module")
def ours(plugins: Plugins) -> Payloads:
    return plugins.payloads()


def _runs_of(logs: Path, pattern: str) -> set[str]:
    return {
        path.parent.relative_to(logs).as_posix()
        for path in logs.rglob("*")
        if path.is_file() and re.search(pattern, path.name)
    }


def _of(payloads: Payloads, runs: set[str]) -> Payloads:
    return {run: kinds for run, kinds in payloads.items() if run in runs}


@EVERYWHERE
def test_every_step_of_the_files_is_there(logs: Path, ours: Payloads) -> None:
    found: Steps = {
        run: {
            kind: {tag: [row[0] for row in rows] for tag, rows in tags.items()}
            for kind, tags in kinds.items()
        }
        for run, kinds in ours.items()
    }
    assert found == steps_of(logs)


@OF_TENSORBOARD
def test_values_and_pixels_are_those_that_tensorboard_reads(
    logs: Path, ours: Payloads, tensorboard_payloads: Oracle
) -> None:
    theirs = tensorboard_payloads(logs)
    assert theirs
    assert _differences(_of(ours, _runs_of(logs, "tfevents")), theirs) == []


@OF_MINDSPORE
def test_values_and_pixels_are_those_that_mindinsight_reads(
    logs: Path, ours: Payloads, mindinsight_payloads: Oracle
) -> None:
    theirs = mindinsight_payloads(logs, "read")
    assert theirs
    assert _differences(_of(ours, _runs_of(logs, r"summary\.\d+.*_MS$")), theirs) == []


def _differences(ours: Payloads, theirs: Payloads) -> list[str]:
    found = []
    mine, other = _flat(ours), _flat(theirs)
    for series in sorted(mine.keys() | other.keys()):
        a, b = mine.get(series, []), other.get(series, [])
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
            found.append(
                f"{series}: {len(a)} values against {len(b)}, from {at}: {a[at : at + 1]} {b[at : at + 1]}"
            )
    return found


def _flat(payloads: Payloads) -> dict[tuple[str, str, str], list[Any]]:
    return {
        (run, kind, tag): rows
        for run, kinds in payloads.items()
        for kind, tags in kinds.items()
        for tag, rows in tags.items()
    }


@OF_MINDSPORE
def test_histograms_on_one_axis_are_those_of_mindinsight(
    logs: Path, plugins: Plugins, mindinsight_payloads: Oracle
) -> None:
    """MindInsight rounds every count up, and its bins have the extremes of the values as their ends."""
    theirs = _series(mindinsight_payloads(logs, "answers"), "histogram")
    assert theirs
    for (run, _, tag), rows in theirs.items():
        bins = len(rows[0][2])
        ours = plugins.json("histogram", "histograms", run=run, tag=tag, steps=1000, bins=bins)
        places = {place: row for row, place in enumerate(zip(ours["steps"], ours["wall_times"], strict=True))}
        assert len(places) == ours["available"]
        close = 1e-6 * (ours["edges"][-1] - ours["edges"][0])
        for step, wall_time, buckets in rows:
            lefts, widths, counts = np.array(buckets).T
            np.testing.assert_allclose(lefts, ours["edges"][:-1], rtol=0, atol=close)
            np.testing.assert_allclose(lefts + widths, ours["edges"][1:], rtol=0, atol=close)
            found = np.array(ours["counts"][places[step, float.fromhex(wall_time)]])
            slack = 1e-3 * found.sum()  # a value at an edge may be on either side of it
            assert (found <= counts + slack).all(), (run, tag, step)
            assert (found > counts - 1 - slack).all(), (run, tag, step)


@OF_MINDSPORE
def test_statistics_of_tensors_are_those_of_mindinsight(
    logs: Path, plugins: Plugins, mindinsight_payloads: Oracle
) -> None:
    theirs = _series(mindinsight_payloads(logs, "answers"), "tensor")
    assert theirs
    for (run, _, tag), rows in theirs.items():
        series = {"run": run, "tag": tag, "attempts": "all"}
        table = plugins.json("tensor", "records", **series)
        places = list(zip(table["steps"], table["wall_times"], strict=True))
        for step, wall_time, value in rows:
            index = places.index((step, float.fromhex(wall_time)))
            ours, stated = plugins.json("tensor", "statistics", **series, index=index), value["statistics"]
            assert ours["shape"] == value["dims"]
            assert [ours[name] for name in ("count", "nan", "pos_inf", "neg_inf")] == [
                stated[name] for name in ("count", "nan_count", "pos_inf_count", "neg_inf_count")
            ]
            assert [ours[name] for name in ("min", "max", "mean")] == pytest.approx(
                [stated[name] for name in ("min", "max", "avg")], rel=1e-5
            )


@OF_MINDSPORE
def test_the_images_that_mindinsight_keeps_are_among_ours(
    logs: Path, ours: Payloads, mindinsight_payloads: Oracle
) -> None:
    theirs, found = _series(mindinsight_payloads(logs, "answers"), "image"), _series(ours, "image")
    assert theirs
    for series, rows in theirs.items():
        assert 0 < len(rows) <= 10
        assert all(row in found[series] for row in rows)


def _series(payloads: Payloads, kind: str) -> dict[tuple[str, str, str], list[Any]]:
    return {series: rows for series, rows in _flat(payloads).items() if series[1] == kind}
