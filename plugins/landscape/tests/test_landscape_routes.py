"""What the landscape plugin reads and answers: of given payloads, and of real and damaged logs."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_landscape
import numpy as np
import pytest
from insight_landscape import mindspore, stored
from insight_landscape.claims import COMPUTED, LANDSCAPE_FIELD, LINEAGE_FILES
from insight_landscape.decoder import landscape_of
from insight_landscape.landscape import Landscape
from safetensors.numpy import load, save
from werkzeug.test import Client, TestResponse

from insight_authoring.testing import wire
from insight_core.plugin import EventField, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host
from insight_record import landscapes
from insight_record.landscapes import landscape_file
from tests.hosts import client_of
from tests.support.landscapes import mindspore_landscape, points

SAMPLE_LOGS = Path(__file__).parents[3] / "examples/logs"

X = np.array([-1.0, 0.0, 2.0], np.float32)
Y = np.array([0.5, 1.5], np.float32)
Z = np.array([[1, 2, 3], [4, 5, np.inf]], np.float32)
SURFACE = points(X, Y, Z)
WAY = points([-1, 0.5, 0], [0.5, 1, 1.5], [3, 2, 1])
END = points([0], [0], [1])


def _tensor(content: bytes) -> bytes:
    return wire.text_tensor([content])


def _read(data: bytes) -> Landscape:
    return landscape_of(Payload(data, LANDSCAPE_FIELD))


@pytest.mark.parametrize("transposed", [False, True])
def test_axes_and_meshgrids_are_one_landscape(transposed: bool) -> None:
    x, y = np.meshgrid(X, Y)
    surface = points(x.T, y.T, Z.T) if transposed else points(x, y, Z)
    for encoded in (SURFACE, surface, points(X[::-1], Y, Z[:, ::-1])):
        found = _read(mindspore_landscape(encoded, convergence=END))
        np.testing.assert_array_equal(found.x, X)
        np.testing.assert_array_equal(found.y, Y)
        np.testing.assert_array_equal(found.z, Z)
        assert found.final
        assert found.flaws == ()


@pytest.mark.parametrize("side", [2, 256])
def test_grids_of_any_size(side: int) -> None:
    z = np.arange(side * side, dtype=np.float32).reshape(side, side)
    found = _read(mindspore_landscape(points(np.arange(side), np.arange(side), z)))
    np.testing.assert_array_equal(found.z, z)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "no surface"),
        (b"\x0a\xff", "a varint does not end"),
        (mindspore_landscape(points(X, Y, Z[:, :2])), r"x is of shape \[3\]"),
        (mindspore_landscape(points(X, Y, Z.reshape(-1))), "not a grid"),
        (mindspore_landscape(points(X, [1, 1], Z)), "the axis y has the same value twice"),
        (mindspore_landscape(points([0, np.nan, 1], Y, Z)), "the axis x has values that are not finite"),
        (mindspore_landscape(points(Z, Z, Z)), "do not form a grid"),
        (mindspore_landscape(points(X[:1], Y, Z[:, :1])), "1 x 2 points"),
        (mindspore_landscape(points(range(257), Y, np.zeros((2, 257)))), "257 x 2 points"),
        (mindspore_landscape(wire.message_field(1, b"\xff")), "x: "),
        (
            mindspore_landscape(wire.message_field(1, b"")),
            "x: the tensor is empty: only metadata was written",
        ),
        (mindspore_landscape(SURFACE[:33]), "a field runs over the end"),
        (mindspore_landscape(SURFACE[:-4]), "a field runs over the end"),
    ],
)
def test_a_surface_that_cannot_be_read_is_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        _read(data)


@pytest.mark.parametrize(
    ("data", "name", "flaw"),
    [
        (
            mindspore_landscape(SURFACE, at=[1, 2, 3], convergence=END),
            "1-3",
            "path of training cannot be read: it has no points",
        ),
        (
            mindspore_landscape(SURFACE, at=[1, 2], path=WAY, convergence=END),
            "1-2",
            "2 numbers of epochs or steps, 3 x",
        ),
        (mindspore_landscape(SURFACE, at=[1, 2, 3], path=WAY), "1-3", "point of convergence is missing"),
        (
            mindspore_landscape(SURFACE, convergence=b"\xff\xff"),
            "final",
            "point of convergence cannot be read",
        ),
        (wire.message_field(1, SURFACE) + wire.message_field(4, END), "final", "metadata is missing"),
        (
            wire.message_field(2, b"\xff") + mindspore_landscape(SURFACE, convergence=END),
            "",
            "the interval cannot be read",
        ),
    ],
)
def test_other_pieces_that_are_damaged_are_named(data: bytes, name: str, flaw: str) -> None:
    found = _read(data)
    np.testing.assert_array_equal(found.z, Z)
    assert found.id == name
    assert len(found.flaws) == 1
    assert flaw in found.flaws[0]


def _stored(landscape: Landscape) -> bytes:
    """The safetensors file that is written of it."""
    return landscape_file(landscapes.landscape_of(stored.recorded(landscape)))


def test_a_stored_landscape_that_is_damaged() -> None:
    whole = _stored(Landscape(np.array([0.0, 1]), np.array([0.0, 1]), np.eye(2)))
    assert stored.landscape_of(_tensor(whole)).flaws == ("the point of convergence is missing",)
    for content, problem in (
        (whole[:-3], "not a safetensors"),
        (b"", "not a safetensors"),
        (b"{}" * 9, "not a safetensors"),
    ):
        with pytest.raises(ValueError, match=problem):
            stored.landscape_of(_tensor(content))
    with pytest.raises(ValueError, match="z are of type complex64"):
        stored.landscape_of(_tensor(save(PLANE | {"z": np.zeros((2, 3), np.complex64)})))
    with pytest.raises(ValueError, match="one element"):
        stored.landscape_of(wire.text_tensor([whole, whole]))
    with pytest.raises(ValueError, match="one element"):
        stored.landscape_of(wire.number_tensor(1.0))


PLANE = {"x": np.arange(3.0), "y": np.arange(2.0), "z": np.zeros((2, 3)), "convergence": np.zeros(3)}
WALK = {"path_x": np.zeros(2), "path_y": np.zeros(2), "path_z": np.zeros(2)}


@pytest.mark.parametrize(
    ("columns", "metadata", "flaw"),
    [
        ({"path_at": np.array([np.nan, 1]), **WALK}, "{}", "not all whole numbers"),
        ({"path_at": np.array([1e300, 1]), **WALK}, "{}", "not all whole numbers"),
        ({"path_at": np.array([2**64 - 1, 1], np.uint64), **WALK}, "{}", "not all whole numbers"),
        ({"path_at": np.array([1, 2]), **WALK, "path_z": np.zeros(2, np.complex64)}, "{}", "complex64"),
        ({"convergence": np.zeros(3, np.complex64)}, "{}", "complex64"),
        ({}, '{"notes": ' + "[" * 50_000 + "]" * 50_000 + "}", "metadata cannot be read: RecursionError"),
        ({}, "nonsense", "metadata cannot be read"),
    ],
    ids=["nan", "large", "uint64", "complex", "complex end", "deep", "nonsense"],
)
def test_pieces_of_a_stored_landscape_that_are_damaged_are_named(
    columns: dict[str, Any], metadata: str, flaw: str
) -> None:
    found = stored.landscape_of(_tensor(save(PLANE | columns, {"landscape": metadata})))
    assert len(found.flaws) == 1
    assert flaw in found.flaws[0]
    np.testing.assert_array_equal(found.z, PLANE["z"])


@pytest.mark.parametrize("claim", [LANDSCAPE_FIELD, COMPUTED])
def test_damaged_bytes_are_refused_or_flawed(claim: EventField | SummaryPlugin) -> None:
    """Whatever single byte is another: no other error, and no warning."""
    x, y = np.meshgrid(X, Y)
    whole = mindspore_landscape(points(x, y, Z), at=[4, 5, 6], path=WAY, convergence=END)
    if claim == COMPUTED:
        whole = _tensor(_stored(_read(whole)))
    for place in range(len(whole)):
        for value in (0, 0x7F, 0xFF):
            with contextlib.suppress(ValueError):
                landscape_of(Payload(whole[:place] + bytes([value]) + whole[place + 1 :], claim))


@pytest.fixture
def client() -> Client:
    fake = FakeProvider()
    final = mindspore_landscape(SURFACE, decomposition="Random", convergence=END)
    interval = mindspore_landscape(SURFACE, at=[4, 5, 6], path=WAY, convergence=END)
    first = mindspore_landscape(SURFACE, at=[1, 2, 4], path=WAY, convergence=END)
    values = {
        "landscape_[6]": [final],
        "landscape_[4, 6]": [b"", interval],  # computed again
        "landscape_[1, 4]": [first],
        "landscape_[7, 9]": [b"\xff\xff"],
        "other/landscape_[6]": [final],
    }
    for tag, payloads in values.items():
        fake.add_records("landscape", "a", tag, payloads, claim=LANDSCAPE_FIELD, steps=[0] * len(payloads))
    fake.add_records("landscape", "b/c", "landscape_[2]", [final], claim=LANDSCAPE_FIELD)
    registry = Registry.of([("landscape", lambda: insight_landscape)])
    assert not registry.failures
    return Client(Host(registry, fake))


def _get(client: Client, route: str, **query: Any) -> TestResponse:  # noqa: ANN401
    return client.get(f"/data/plugin/landscape{route}", query_string=query)


def _json(client: Client, route: str, **query: Any) -> Any:  # noqa: ANN401
    answer = _get(client, route, **query)
    assert answer.status_code == 200, answer.text
    return json.loads(answer.data)


def test_intervals_are_in_the_order_of_training_and_damage_is_named(client: Client) -> None:
    runs = {entry["run"]: entry["landscapes"] for entry in _json(client, "/intervals")["runs"]}
    assert [one["id"] for one in runs["a"]] == ["1-4", "4-6", "final", "final~2", "[7, 9]"]
    assert "'landscape_[7, 9]' of run 'a'" in runs["a"][-1]["error"]
    assert runs["a"][1] == {
        "id": "4-6",
        "tag": "landscape_[4, 6]",
        "step": 0,
        "wall_time": runs["a"][1]["wall_time"],
        "kind": "interval",
        "interval": [4, 6],
        "unit": "epoch",
        "size": [3, 2],
        "flaws": [],
    }
    assert [entry["run"] for entry in _json(client, "/intervals", run="b/c")["runs"]] == ["b/c"]
    assert _json(client, "/intervals", run="nobody") == {"runs": []}


def test_flatness_of_final_landscapes_and_of_one(client: Client) -> None:
    found = _json(client, "/flatness", run="a")
    assert [(one["run"], one["id"], one["loss"]) for one in found["runs"]] == [("a", "final", 1)]
    one = _json(client, "/flatness", run="a", id="4-6", radius=0.25)
    assert (one["radius"], one["runs"][0]["id"], one["runs"][0]["normalised"]) == (0.25, "4-6", False)
    assert _json(client, "/flatness", run="nobody")["runs"] == []
    assert _get(client, "/flatness").status_code == 400


def test_a_list_decodes_each_landscape_once(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _json(client, "/intervals")
    decoded: list[bytes] = []
    whole = mindspore.landscape_of

    def counted(data: bytes) -> Landscape:
        decoded.append(data)
        return whole(data)

    monkeypatch.setattr(mindspore, "landscape_of", counted)
    assert _json(client, "/intervals") == first
    assert _json(client, "/intervals", run="a")["runs"] == [
        entry for entry in first["runs"] if entry["run"] == "a"
    ]
    assert not decoded
    _json(client, "/landscape", run="a", id="4-6")
    _json(client, "/landscape", run="a", id="4-6")
    assert len(decoded) == 1


def test_the_plugin_is_light() -> None:
    """A host starts with every plugin: what reads and computes landscapes is loaded when it is asked for."""
    program = "import sys, insight_landscape; insight_landscape.insight_plugin(); print(*sorted(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = answer.stdout.split()
    assert [name for name in loaded if name.startswith("insight_landscape")] == [
        "insight_landscape",
        "insight_landscape.claims",
    ]
    assert "safetensors" not in loaded
    assert insight_landscape.TrainingPath is not None
    with pytest.raises(AttributeError, match="calculate"):
        _ = insight_landscape.calculate


def test_a_landscape_in_both_formats(client: Client) -> None:
    found = _json(client, "/landscape", run="a", id="4-6")
    assert found["z"] == [[1, 2, 3], [4, 5, "Infinity"]]
    assert (found["path_at"], found["path_z"]) == ([4, 5, 6], [3, 2, 1])
    assert (found["decomposition"], found["step_per_epoch"], found["convergence"]) == ("PCA", 32, [0, 0, 1])
    assert found["facts"] == {
        "network": None,
        "optimizer": None,
        "learning_rate": None,
        "loss": None,
        "metric": {},
    }
    answer = _get(client, "/landscape", run="a", id="4-6", format="safetensors")
    columns = load(answer.data)
    np.testing.assert_array_equal(columns["z"], Z)
    assert columns["z"].dtype == np.float64
    np.testing.assert_array_equal(columns["path_at"], [4, 5, 6])
    final = _json(client, "/landscape", run="a", id="final")
    assert (final["kind"], final["path_at"], final["interval"]) == ("final", [], None)


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        ({"id": "final"}, 400, "run is missing"),
        ({"run": "a"}, 400, "id is missing"),
        ({"run": "a", "id": "final", "format": "csv"}, 400, "format must be"),
        ({"run": "a", "id": "3-4"}, 404, "no landscape '3-4'"),
        ({"run": "z", "id": "final"}, 404, "'z'"),
        ({"run": "a", "id": "[7, 9]"}, 422, "a varint does not end"),
    ],
)
def test_refusals(client: Client, query: dict[str, str], status: int, text: str) -> None:
    answer = _get(client, "/landscape", **query)
    assert answer.status_code == status
    assert text in json.loads(answer.data)["error"]


@pytest.fixture
def sample() -> Iterator[Client]:
    with client_of(SAMPLE_LOGS, landscape=insight_landscape) as client:
        yield client


def test_real_runs_with_what_their_lineage_says(sample: Client) -> None:
    runs = {entry["run"]: entry["landscapes"] for entry in _json(sample, "/intervals")["runs"]}
    assert {run: [one["id"] for one in found] for run, found in runs.items()} == {
        f"mindspore/lenet_lr{rate}": ["1-3", "2-4", "final"] for rate in ("0.002", "0.01")
    }
    assert set(_json(sample, "/tags")) == set(runs)
    found = _json(sample, "/landscape", run="mindspore/lenet_lr0.01", id="2-4")
    assert found["path_at"] == [2, 3, 4]
    facts = found["facts"]
    assert (facts["network"], facts["optimizer"]) == ("LeNet5", "Momentum")
    assert facts["learning_rate"] == pytest.approx(0.01)
    assert facts["loss"] > 0
    assert "Accuracy" in facts["metric"]


def test_facts_survive_lineage_files_of_nonsense() -> None:
    fake = FakeProvider()
    final = mindspore_landscape(SURFACE, convergence=END)
    fake.add_records("landscape", "a", "landscape_[1]", [final], claim=LANDSCAPE_FIELD)
    event = wire.message_field(6, wire.message_field(3, wire.message_field(1, b"Net")) + b"\xff")
    good = wire.message_field(6, wire.message_field(3, wire.message_field(1, b"Net")))
    odd = wire.message_field(7, wire.message_field(2, b'{"Accuracy": NaN, "deep": [[[]]]}'))
    deep = wire.message_field(7, wire.message_field(2, b"[" * 100_000))
    last = b"".join(map(wire.record, (good, odd, deep)))
    for n, content in enumerate((b"\x01" * 40, wire.record(event), wire.record(good)[:-6], last)):
        fake.add_records("landscape", "a", f"{n}_lineage", [content], claim=LINEAGE_FILES)
    registry = Registry.of([("landscape", lambda: insight_landscape)])
    found = _json(Client(Host(registry, fake)), "/landscape", run="a", id="final")
    assert found["facts"]["network"] == "Net"
    assert found["facts"]["metric"] == {"Accuracy": "NaN"}
