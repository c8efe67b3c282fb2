"""Computed landscapes: of functions whose values are known, and as direct evaluation has them."""

from __future__ import annotations

import functools
import multiprocessing
import os
import subprocess
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path

import insight_landscape
import numpy as np
import pytest
from insight_landscape import compute
from insight_landscape.directions import Array, path_directions, random_direction

from insight_core.ingest.logdir import Logdir
from insight_core.providers.local import LocalProvider

CURVATURE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
CENTER = {"weight": np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]), "bias": np.array([3.0])}
ACROSS = {"weight": np.array([[1.0, 0, 0], [0, 0, 0]])}
DOWN = {"weight": np.array([[0, 0, 0], [0, 0, 2.0]])}


def bowl(parameters: dict[str, Array]) -> float:
    """Half the sum of curvature times the square of the distance from CENTER."""
    moved = parameters["weight"] - CENTER["weight"]
    return float((CURVATURE * moved**2).sum() / 2)


def bowl_of_scale(scale: float, parameters: dict[str, Array]) -> float:
    return scale * bowl(parameters)


def test_a_bowl_along_its_axes_is_the_parabola_that_it_is() -> None:
    found = compute(bowl, CENTER, directions=(ACROSS, DOWN), size=(7, 5), span=3)
    assert found.x.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert found.y.tolist() == [-3, -1.5, 0, 1.5, 3]
    expected = 1.0 * found.x[None, :] ** 2 / 2 + 6.0 * (2 * found.y[:, None]) ** 2 / 2
    np.testing.assert_allclose(found.z, expected, rtol=1e-14, atol=1e-14)
    assert found.convergence == (0.0, 0.0, 0.0)
    assert found.id == "final"


def test_random_directions_of_a_bowl_are_a_quadratic_form() -> None:
    """z = a x2 + b x y + c y2: six numbers are fitted to 81 points, and nothing is left over."""
    found = compute(bowl, CENTER, size=9, seed=4)
    x, y = np.meshgrid(found.x, found.y)
    terms = np.stack([x * x, x * y, y * y, x, y, np.ones_like(x)], -1).reshape(-1, 6)
    weights, *_ = np.linalg.lstsq(terms, found.z.reshape(-1), rcond=None)
    np.testing.assert_allclose(terms @ weights, found.z.reshape(-1), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(weights[3:], 0, atol=1e-12)
    assert found.decomposition == "Random"
    assert found.path is None


def test_filters_of_a_random_direction_have_the_norms_of_the_model() -> None:
    random = np.random.default_rng(0)
    model = {"conv": random.normal(size=(4, 3, 5, 5)), "zero": np.zeros((2, 2)), "bias": np.ones(4)}
    direction = random_direction(model, list(model), random, 0)
    ours, theirs = (np.linalg.norm(array["conv"].reshape(4, -1), axis=1) for array in (direction, model))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    assert not direction["zero"].any()
    assert "bias" not in direction
    last = random_direction(model, ["conv"], random, -1)["conv"]
    np.testing.assert_allclose(
        np.linalg.norm(last.reshape(-1, 5), axis=0), np.linalg.norm(model["conv"].reshape(-1, 5), axis=0)
    )


def _training(count: int = 6) -> list[dict[str, Array]]:
    """Checkpoints that lie in a plane but for a little."""
    random = np.random.default_rng(5)
    far = np.linspace(1, 0, count)
    return [
        {
            "weight": CENTER["weight"]
            + t * np.eye(2, 3)
            + t * t * np.ones((2, 3))
            + 1e-4 * t * random.normal(size=(2, 3)),
            "bias": CENTER["bias"],
        }
        for t in far
    ]


def test_the_path_of_training_is_in_the_plane_of_its_directions() -> None:
    training = _training()
    found = compute(bowl, training, size=5, at=[10, 20, 30, 40, 50, 60], unit="step", step_per_epoch=20)
    assert found.id == "10-60"
    path = found.path
    assert path is not None
    np.testing.assert_allclose(path.z, [bowl(one) for one in training], rtol=1e-14)
    assert (path.x[-1], path.y[-1]) == pytest.approx((0, 0), abs=1e-12)
    share = found.notes["share_of_path"]
    assert isinstance(share, float)
    assert 0.999 < share <= 1
    distances = [np.linalg.norm(one["weight"] - training[-1]["weight"]) for one in training]
    np.testing.assert_allclose(np.hypot(path.x, path.y), distances, atol=1e-3)
    for axis, on_path in ((found.x, path.x), (found.y, path.y)):
        room = 0.2 * np.ptp(on_path)
        assert (axis[0], axis[-1]) == pytest.approx((on_path.min() - room, on_path.max() + room))


def test_directions_of_a_path_are_orthonormal_and_the_best() -> None:
    """By the singular values of the same matrix."""
    training = _training()
    first, second, share = path_directions(training, ["weight"])
    inner = [
        float(np.vdot(a["weight"], b["weight"]))
        for a, b in ((first, first), (second, second), (first, second))
    ]
    assert inner == pytest.approx([1, 1, 0], abs=1e-9)
    matrix = np.stack([(one["weight"] - training[-1]["weight"]).reshape(-1) for one in training[:-1]])
    squares = np.linalg.svd(matrix, compute_uv=False) ** 2
    assert share == pytest.approx(squares[:2].sum() / squares.sum())


def test_every_point_is_what_direct_evaluation_gives() -> None:
    """Directions that are not orthogonal, parameters of float32."""
    random = np.random.default_rng(1)
    center = {"weight": CENTER["weight"].astype(np.float32), "count": np.array([3])}
    pair = [{"weight": random.normal(size=(2, 3))} for _ in range(2)]
    before = {name: array.copy() for name, array in center.items()}
    types = set()

    def loss(parameters: dict[str, Array]) -> float:
        types.add((parameters["weight"].dtype, parameters["count"].dtype))
        return bowl(parameters)

    found = compute(loss, center, directions=(pair[0], pair[1]), size=6)
    assert types == {(np.dtype(np.float32), np.dtype(np.int64))}
    for i, y in enumerate(found.y):
        for j, x in enumerate(found.x):
            there = center["weight"] + x * pair[0]["weight"] + y * pair[1]["weight"]
            assert found.z[i, j] == pytest.approx(bowl({"weight": there}), rel=1e-5)
    assert all((center[name] == before[name]).all() for name in center)


def test_many_processes_give_the_same_and_tell_how_far_they_are() -> None:
    loss = functools.partial(bowl_of_scale, 2.0)
    told: list[tuple[int, int]] = []
    found = compute(
        loss,
        CENTER,
        size=8,
        processes=2,
        start_method="fork",
        progress=lambda done, total: told.append((done, total)),
    )
    np.testing.assert_array_equal(found.z, compute(loss, CENTER, size=8).z)
    assert told[-1] == (65, 65)
    assert len(told) > 4
    assert told == sorted(told)


def test_an_error_of_the_loss_is_that_of_the_call() -> None:
    def loss(parameters: dict[str, Array]) -> float:
        if parameters["weight"][0, 0] > 1:
            raise FloatingPointError("too steep")
        return 0.0

    for processes in (1, 2):
        with pytest.raises(FloatingPointError, match="too steep") as caught:
            compute(loss, CENTER, directions=(ACROSS, DOWN), size=4, processes=processes, start_method="fork")
        (note,) = caught.value.__notes__
        assert note.startswith("The loss was evaluated at x = 1, y = ")


class TwoPartsError(Exception):
    """Cannot be unpickled: it is made of two arguments and keeps one."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one)


def _raises_two_parts(parameters: dict[str, Array]) -> float:
    if parameters["weight"][0, 0] > 1:
        raise TwoPartsError("too", "steep")
    return 0.0


def _dies(parameters: dict[str, Array]) -> float:
    if parameters["weight"][0, 0] > 1:
        os._exit(9)
    return 0.0


def _returns_nothing(parameters: dict[str, Array]) -> float:
    return None if parameters["weight"][0, 0] > 1 else 0.0  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("loss", "error", "text"),
    [
        (_raises_two_parts, RuntimeError, r"TwoPartsError: too\n.*x = 1, y = "),
        (_dies, RuntimeError, "has ended without an error"),
        (_returns_nothing, TypeError, "at x = 1, y = .* it returned a NoneType"),
    ],
)
def test_what_goes_wrong_in_a_process_is_told(
    loss: Callable[[dict[str, Array]], float], error: type[Exception], text: str, tmp_path: Path
) -> None:
    where = tmp_path / "run"
    with pytest.raises(error, match=text):
        compute(
            loss,
            CENTER,
            directions=(ACROSS, DOWN),
            size=4,
            processes=2,
            start_method="fork",
            log_dir=where,
        )
    assert list(where.iterdir()) == []


@pytest.mark.parametrize("guarded", [False, True])
def test_a_script_must_keep_its_calls_from_its_processes(tmp_path: Path, guarded: bool) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nfrom insight_landscape import compute\n\n"
        "def loss(parameters):\n    return float((parameters['w'] ** 2).sum())\n\n"
        + ("if __name__ == '__main__':\n    " if guarded else "")
        + "print(compute(loss, {'w': np.ones((2, 2))}, size=3, processes=2).z.shape)\n"
    )
    answer = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    if guarded:
        assert answer.stdout == "(3, 3)\n", answer.stderr
    else:
        assert answer.returncode == 1
        assert 'outside of `if __name__ == "__main__":`' in answer.stderr


def _slow(parameters: dict[str, Array]) -> float:
    time.sleep(0.02)
    return 0.0


@pytest.mark.parametrize("processes", [1, 2])
def test_an_interruption_ends_at_once_and_writes_nothing(tmp_path: Path, processes: int) -> None:
    def interrupt(done: int, total: int) -> None:
        if done > 1:
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        compute(
            _slow,
            CENTER,
            size=40,
            processes=processes,
            start_method="fork",
            progress=interrupt,
            log_dir=tmp_path / "run",
        )
    assert time.monotonic() - began < 5  # all of it would take 16 s, or more
    assert not multiprocessing.active_children()
    assert list((tmp_path / "run").iterdir()) == []


def test_progress_is_told_point_by_point() -> None:
    told: list[tuple[int, int]] = []
    compute(bowl, CENTER, size=(3, 2), progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 7) for done in range(1, 8)]


def test_a_directory_that_cannot_be_written_is_told_before_the_first_point(tmp_path: Path) -> None:
    def loss(parameters: dict[str, Array]) -> float:
        raise AssertionError("evaluated for nothing")

    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError, match="file"):
        compute(loss, CENTER, size=3, log_dir=tmp_path / "file")


def test_checkpoints_come_in_whatever_holds_them() -> None:
    training = _training()
    expected = compute(bowl, training, size=3).z
    for held in (tuple(training), iter(training), [types.MappingProxyType(one) for one in training]):
        np.testing.assert_array_equal(compute(bowl, held, size=3).z, expected)
    one = compute(bowl, types.MappingProxyType(CENTER), size=np.int64(3))  # type: ignore[arg-type]
    assert one.id == "final"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"size": 1}, "size must be 2 to 256"),
        ({"size": (3, 257)}, "size must be 2 to 256"),
        ({"checkpoints": []}, "no checkpoints"),
        ({"checkpoints": [CENTER, {"weight": np.zeros(2)}]}, "checkpoint 0 has other parameters"),
        ({"checkpoints": [CENTER, CENTER], "directions": "pca"}, "three checkpoints"),
        ({"checkpoints": [CENTER, CENTER, CENTER]}, "on a line"),
        ({"at": [1, 2]}, "2 numbers for 1 checkpoints"),
        ({"still": ["weights"]}, "unknown parameters to keep fixed: 'weights'"),
        ({"still": ["weight"]}, "normalising by filter"),
        ({"directions": (ACROSS, ACROSS), "checkpoints": [CENTER, CENTER]}, "the same but for their length"),
        ({"directions": (ACROSS, {"other": np.zeros(1)})}, "'other'"),
        ({"directions": (ACROSS, {"weight": np.zeros((2, 2))})}, r"of shape \[2, 2\]"),
        ({"directions": (ACROSS, {"weight": np.zeros((2, 3))})}, "moves nothing"),
        ({"directions": "circle"}, "directions must be"),
        ({"span": 0}, "no extent"),
        ({"span": float("nan")}, "no extent"),
        ({"size": 3.5}, "size must be a whole number"),
        ({"unit": "epochs"}, "unit must be one of epoch, step"),
        ({"processes": 0}, "processes must be 1 or more"),
        ({"checkpoints": [CENTER, CENTER], "at": [2, 1]}, "at must ascend"),
        ({"checkpoints": CENTER | {"weight": np.full((2, 3), np.nan)}}, "'weight' that are not finite"),
        ({"filter_axis": 2}, "no axis 2 of filters"),
        ({"loss": lambda parameters: 0.0, "processes": 2}, "cannot be sent to other processes"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, object], problem: str) -> None:
    arguments: dict[str, object] = {"loss": bowl, "checkpoints": CENTER, "size": 2} | change
    with pytest.raises(ValueError, match=problem):
        compute(**arguments)  # type: ignore[arg-type]


def test_what_is_written_is_read_back_bit_by_bit(tmp_path: Path) -> None:
    training = _training()
    made = compute(bowl, training, size=(4, 3), log_dir=tmp_path / "run", step_per_epoch=7)
    compute(bowl, training[-1], size=3, log_dir=tmp_path / "run")
    data = LocalProvider([Logdir(str(tmp_path))], [insight_landscape.insight_plugin()], reload_interval=0)
    try:
        data.load()
        assert not data.damage()
        keys = [info.key for info in data.series("landscape")]
        assert [key.tag for key in keys] == ["landscape/1-6", "landscape/final"]
        decoder = insight_landscape.insight_plugin().decoder
        assert decoder is not None
        assert decoder.decode is not None
        found = decoder.decode(data.payload("landscape", keys[0], 0))
        assert data.records("landscape", keys[0]).steps.tolist() == [6]
    finally:
        data.close()
    for name in ("x", "y", "z"):
        np.testing.assert_array_equal(getattr(found, name), getattr(made, name))
    assert made.path is not None
    for name in ("at", "x", "y", "z"):
        np.testing.assert_array_equal(getattr(found.path, name), getattr(made.path, name))
    for name in (
        "id",
        "unit",
        "step_per_epoch",
        "decomposition",
        "convergence",
        "notes",
        "flaws",
        "interval",
    ):
        assert getattr(found, name) == getattr(made, name), name
