"""Written by our EventWriter, read by the peers: where we agree, and where we differ on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from insight_authoring.testing import wire
from insight_core.plugin.testing import EventWriter
from tests.support.damaged_logdir import damaged_logdir

Scalars = dict[str, dict[str, list[list[Any]]]]
Read = Callable[..., Scalars]


def _steps(scalars: Scalars, run: str) -> list[int]:
    return [point[0] for point in scalars.get(run, {}).get("loss", [])]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The damage corpus without what makes TensorBoard's own loader raise or recurse."""
    damaged_logdir(tmp_path / "logs")
    (tmp_path / "logs" / "loop" / "self").unlink()
    return tmp_path / "logs"


def test_the_writer_is_read_alike(tmp_path: Path, insight: Read, tensorboard: Read) -> None:
    odd = [0.1, -0.0, math.nan, math.inf, -math.inf, 3.4e38, 1e-45]
    with EventWriter(tmp_path / "one_by_one") as writer:
        for step, value in enumerate(odd):
            writer.scalar("simple", step, value)
            writer.scalars_tf2("float", step, value)
            writer.scalars_tf2("double", step, value, double=True)
            writer.scalars_tf2("packed", step, value, packed=True)
            writer.text("note", step, "not a scalar")
        values = [wire.scalar_value("a", 1.5), wire.scalar_value("损失/β", 2.5)]
        writer.values(7, values, wall_time=12.25)
    steps = np.array([-3, 0, 1, 127, 128, 2**31, 2**62])
    for form in ("simple", "tensor", "tensor64", "tf2"):
        with EventWriter(tmp_path / form) as writer:
            block = np.stack([odd, odd[::-1]], axis=1)
            writer.scalar_block(["x", "yy"], steps, block, steps / 3, form=form)
    ours, theirs = insight(tmp_path, "all"), tensorboard(tmp_path)
    assert ours == theirs
    assert {run: sorted(tags) for run, tags in ours.items()} == {
        "one_by_one": ["a", "double", "float", "packed", "simple", "损失/β"],
        "simple": ["x", "yy"],
        "tensor": ["x", "yy"],
        "tensor64": ["x", "yy"],
        "tf2": ["x", "yy"],
    }
    assert [point[0] for point in ours["tensor"]["yy"]] == steps.tolist()


def test_the_writer_is_read_alike_in_mindspore_s_dialect(
    tmp_path: Path, insight: Read, mindinsight: Read
) -> None:
    with EventWriter(tmp_path / "run", "mindspore") as writer:
        for step, value in enumerate([0.1, math.nan, math.inf, -1e30]):
            writer.scalar("loss/auto", step, value)
        writer.scalar_block(["x", "y"], range(300), np.arange(600).reshape(300, 2))
    assert insight(tmp_path) == mindinsight(tmp_path, "read") == mindinsight(tmp_path, "kept")


@pytest.mark.parametrize(
    "run", ["good", "negative_steps", "same_step", "nan_wall_time", "truncated", "no_version"]
)
def test_agreement_on_odd_logs(corpus: Path, insight: Read, tensorboard: Read, run: str) -> None:
    ours = insight(corpus / run)
    assert ours == tensorboard(corpus / run)
    assert _steps(ours, ".")


@pytest.mark.parametrize("run", ["bad_data_crc", "bad_length_crc", "random_in_the_middle"])
def test_we_read_on_after_damage(corpus: Path, insight: Read, tensorboard: Read, run: str) -> None:
    """TensorBoard ends at the first record it cannot read; we skip it, list it, and go on."""
    assert _steps(tensorboard(corpus / run), ".") == [0]
    assert _steps(insight(corpus / run), ".") == [0, 2]


def test_we_do_not_show_values_whose_checksum_is_wrong(
    tmp_path: Path, insight: Read, mindinsight: Read
) -> None:
    """MindInsight verifies no checksum and shows damaged numbers as good."""
    with EventWriter(tmp_path / "run", "mindspore") as writer:
        writer.scalar("loss", 0, 0.0)
        body = wire.summary([wire.scalar_value("loss", 1.0, writer.dialect)])
        writer.raw(wire.record(wire.event(1, 1.0, body), bad_data_crc=True))
        writer.scalar("loss", 2, 2.0)
    assert _steps(mindinsight(tmp_path, "kept"), "run") == [0, 1, 2]
    assert _steps(insight(tmp_path), "run") == [0, 2]


def test_a_restart_hides_what_it_wrote_anew(tmp_path: Path, insight: Read, tensorboard: Read) -> None:
    """TensorBoard (file_version 2) keeps both attempts mixed; we show the last and keep all."""
    with EventWriter(tmp_path) as writer:
        for step in (0, 1, 2, 3, 1, 2):
            writer.scalar("loss", step, step)
    theirs = tensorboard(tmp_path)
    assert _steps(theirs, ".") == [0, 1, 2, 3, 1, 2]
    assert insight(tmp_path, "all") == theirs
    assert _steps(insight(tmp_path, "last"), ".") == [0, 1, 2]


def test_a_session_restart(tmp_path: Path, insight: Read, tensorboard: Read) -> None:
    """TensorBoard purges for good what a SessionLog.START overtakes; we hide it, and keep it."""
    with EventWriter(tmp_path) as writer:
        writer.session_start(0)
        for step in range(5):
            writer.scalar("loss", step, step)
        writer.session_start(2)
        for step in (2, 3):
            writer.scalar("loss", step, 100 + step)
    theirs = tensorboard(tmp_path)
    assert _steps(theirs, ".") == [0, 1, 2, 3]
    assert insight(tmp_path, "last") == theirs
    assert _steps(insight(tmp_path, "all"), ".") == [0, 1, 2, 3, 4, 2, 3]


def test_a_second_file_that_records_step_zero_anew(tmp_path: Path, insight: Read, mindinsight: Read) -> None:
    """MindInsight's restart rule lets a landscape file wipe a training; ours replaces that one step."""
    with EventWriter(tmp_path / "run", "mindspore", start_time=1_700_000_000.0) as writer:
        for step in range(5):
            writer.scalar("loss", step, step)
    with EventWriter(tmp_path / "run", "mindspore", start_time=1_700_000_500.0) as writer:
        writer.scalar("loss", 0, 9.0)
    assert _steps(mindinsight(tmp_path, "kept"), "run") == [0]
    ours = insight(tmp_path)["run"]["loss"]
    assert [(step, float.fromhex(value)) for step, _, value in ours] == [
        (0, 9),
        (1, 1),
        (2, 2),
        (3, 3),
        (4, 4),
    ]
