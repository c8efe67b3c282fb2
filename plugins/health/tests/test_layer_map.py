"""The route of the tab over a training by torch with a planted fault, and over tensors of MindSpore."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_health
import insight_histogram
import insight_scalar
import insight_tensor
import numpy as np
import pytest
from safetensors.numpy import load
from werkzeug.test import Client

from insight_core.plugin import Dialect
from insight_core.plugin.testing import EventWriter
from tests.hosts import client_of

FIXTURES = Path(__file__).parent / "fixtures"
MODULES: dict[str, object] = {
    "health": insight_health,
    "histogram": insight_histogram,
    "tensor": insight_tensor,
    "scalar": insight_scalar,
}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A host of the committed logs."""
    with client_of(FIXTURES, **MODULES) as made:
        yield made


def _ask(client: Client, status: int = 200, /, **query: object) -> tuple[dict[str, Any], dict[str, Any]]:
    answer = client.get("/data/plugin/health/map", query_string=query)
    assert answer.status_code == status, answer.get_data(as_text=True)
    if status != 200:
        return answer.get_json(), {}
    content = answer.get_data()
    length = int.from_bytes(content[:8], "little")
    said = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["map"])
    return said, load(content)


def _whole(client: Client, **query: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The answer when all records were read."""
    while True:
        said, columns = _ask(client, **query)
        if said["read"] == said["records"]:
            return said, columns


def _grid(said: dict[str, Any], columns: dict[str, Any], name: str = "numbers") -> Any:  # noqa: ANN401
    return columns[name].reshape(-1, said["columns"])


RANKS = ["job/rank_0", "job/rank_1"]


@pytest.mark.parametrize("measure", ["mean", "std", "size", "zeros", "nonfinite"])
def test_every_number_of_a_training_by_torch_is_that_of_numpy(client: Client, measure: str) -> None:
    expected = json.loads((FIXTURES / "expected.json").read_text())
    for run in RANKS:
        said, columns = _whole(client, run=RANKS, rank=run, measure=measure)
        grid = _grid(said, columns)
        compared = 0
        for row, layer in enumerate(said["layers"]):
            prefix = {"weight": "", "gradient": "gradients/", "activation": "activations/"}[layer["kind"]]
            for column, of_step in enumerate(expected[run][f"{prefix}{layer['name']}"]):
                nan, inf, mean, std, size, zeros = of_step
                numbers = {"mean": mean, "std": std, "size": size, "zeros": zeros, "nonfinite": nan + inf}
                whole = nan + inf == 0 or measure in ("zeros", "nonfinite")
                # without the sums, which are not finite, buckets tell
                np.testing.assert_allclose(
                    grid[row, column], numbers[measure], rtol=1e-4 if whole else 0.2, atol=1e-6
                )
                compared += 1
        assert compared == sum(map(len, expected[run].values()))


def test_the_first_bad_layer_of_the_training_is_the_planted_one(client: Client) -> None:
    said, _ = _whole(client, run=RANKS)
    first = said["faults"][0]
    assert (first["run"], first["name"], first["kind"]) == ("job/rank_1", "blocks.1", "activation")
    assert (first["step"], first["word"], first["fault"]) == (2, "+Inf", "nonfinite")
    assert {fault["run"] for fault in said["faults"]} == {"job/rank_1"}


def test_a_rank_and_a_layer_can_be_an_axis(client: Client) -> None:
    by_rank, columns = _whole(client, run=RANKS, view="ranks", layer="activation:blocks.1")
    assert by_rank["runs"] == RANKS
    assert _grid(by_rank, columns, "flags").astype(bool).tolist() == [
        [False] * 4,
        [False, False, True, False],
    ]
    matrix, columns = _whole(client, run=RANKS, view="matrix", kind="activation")
    assert _grid(matrix, columns, "flags").astype(bool).tolist() == [[False, False], [False, True]] + (
        [[False, False]] * (len(matrix["layers"]) - 2)
    )


def test_all_ranks_together_say_whose_number_is_shown(client: Client) -> None:
    said, columns = _whole(client, run=RANKS, kind="gradient")
    alone = [_grid(*_whole(client, run=RANKS, rank=run, kind="gradient")) for run in RANKS]
    both = _grid(said, columns)
    np.testing.assert_array_equal(
        both[:, :2],
        np.fmax(alone[0], np.pad(alone[1], ((0, 0), (0, 4 - alone[1].shape[1])), constant_values=np.nan))[
            :, :2
        ],
    )
    whose = _grid(said, columns, "whose")
    assert set(whose[:, 3]) == {1}  # the other rank had crashed
    assert {1, 2} == set(whose[:, :2].ravel())


def test_gradients_are_compared_with_the_weights_of_the_same_layer(client: Client) -> None:
    expected = json.loads((FIXTURES / "expected.json").read_text())["job/rank_0"]
    said, columns = _whole(client, run=["job/rank_0"], measure="ratio")
    grid = _grid(said, columns)
    assert [layer["name"] for layer in said["layers"]] == [
        "blocks.0.weight",
        "blocks.1.weight",
        "head.weight",
    ]
    for row, layer in enumerate(said["layers"]):
        size = [
            gradient[4] / weight[4]
            for gradient, weight in zip(
                expected[f"gradients/{layer['name']}"], expected[layer["name"]], strict=True
            )
        ]
        np.testing.assert_allclose(grid[row], size, rtol=1e-4)


def test_tensors_of_mindspore_tell_dead_units(tmp_path: Path) -> None:
    outputs = np.maximum(np.random.default_rng(1).normal(1, 1, (5, 16, 8)), 0).astype(np.float32)
    outputs[2:, :, :6] = 0
    with EventWriter(tmp_path / "run", Dialect.MINDSPORE) as writer:
        for step, array in enumerate(outputs):
            writer.tensor("activations/fc", step, array)
    with client_of(tmp_path, **MODULES) as client:
        said, columns = _whole(client, run="run", measure="dead")
        expected = (outputs == 0).all(axis=1).mean(axis=1)
        np.testing.assert_allclose(_grid(said, columns)[0], expected)
        assert [(one["fault"], one["step"]) for one in said["faults"]] == [("dead", 2)]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"run": "job/rank_0", "view": "ranks", "layer": "weight:nothing"}, 404),
        ({"run": "job/rank_0", "rank": "nobody"}, 404),
        ({"run": "job/rank_0", "measure": "beauty"}, 400),
        ({"run": "job/rank_0", "columns": "0"}, 400),
        ({"run": [str(number) for number in range(257)]}, 400),
    ],
)
def test_bad_questions_have_an_answer_that_says_why(
    client: Client, query: dict[str, Any], status: int
) -> None:
    said, _ = _ask(client, status, **query)
    assert said["error"]


def test_runs_without_layers_are_no_error(client: Client) -> None:
    said, _ = _ask(client, run="nobody")
    assert said["layers"] == []
    assert said["all_runs"] == []
