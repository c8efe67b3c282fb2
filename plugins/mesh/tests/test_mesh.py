"""Shapes: logs of torch, tensorboardX and TensorFlow against TensorBoard's plugin, and malformed records."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_mesh
import numpy as np
import pytest
from insight_mesh import clouds, frames, routes, shapes
from insight_mesh.parts import Part, boxes_of, part_of
from insight_mesh.scenes import scene_of
from werkzeug.test import Client

from insight_authoring.testing.tensors import tensorflow_tensor
from insight_authoring.testing.wire import message_field
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.testing import EventWriter, FakeProvider, context_of
from insight_core.registry import Registry
from insight_core.web import Host
from tests.hosts import client_of

FIXTURES = Path(__file__).parent / "fixtures"
CLAIM = SummaryPlugin("mesh")
TENSOR = EventField(Dialect.TENSORBOARD, "tensor")
MESHES = [
    ("torch", "reconstruction", "reconstruction_VERTEX"),
    ("tensorboardx", "cloud", "cloud_1"),
    ("tensorflow", "ball", "ball_VERTEX"),
    ("tensorflow", "scope/colored", "scope/colored_VERTEX"),
]
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)


def _registry() -> Registry:
    registry = Registry.of([("mesh", lambda: insight_mesh)])
    assert not registry.failures
    return registry


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A host of the committed logs."""
    with client_of(FIXTURES, mesh=insight_mesh) as made:
        yield made


def _json(client: Client, route: str, status: int = 200, **query: object) -> Any:  # noqa: ANN401
    answer = client.get(f"/data/plugin/mesh/{route}", query_string=query)
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer.get_json()


def _recorded(plugin: str = "mesh", **parts: object) -> Client:
    """A host of one run with one record of each part of ``shape``."""
    fake = FakeProvider()
    claim = CLAIM if plugin == "mesh" else TENSOR
    for name, values in parts.items():
        tag = f"shape_{name}" if plugin == "mesh" else name
        fake.add_records(plugin, "a", tag, [tensorflow_tensor(np.asarray(values))], claim=claim)
    return Client(Host(_registry(), fake))


def _shape(client: Client, **query: int) -> Any:  # noqa: ANN401
    query.setdefault("index", 0)
    return _json(client, "shape", run="a", tag="shape_VERTEX", **query)


def _codes(shape: Any) -> list[str]:  # noqa: ANN401
    return [note["code"] for note in shape["notes"]]


def _causes(shape: Any) -> list[str]:  # noqa: ANN401
    return [note["details"]["cause"]["code"] for note in shape["notes"]]


@pytest.mark.parametrize(("run", "tag", "points"), MESHES)
def test_every_number_is_that_of_tensorboards_own_plugin(
    client: Client, run: str, tag: str, points: str
) -> None:
    from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.plugins.base_plugin import TBContext
    from tensorboard.plugins.mesh.mesh_plugin import MeshPlugin

    multiplexer = EventMultiplexer().AddRunsFromDirectory(str(FIXTURES))
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, str(FIXTURES))
    apps = MeshPlugin(TBContext(data_provider=provider)).get_plugin_apps()
    listed = Client(apps["/meshes"]).get("/", query_string={"run": run, "tag": tag}).get_json()
    samples = Client(apps["/tags"]).get("/").get_json()[run][tag]["samples"]
    steps = {entry["step"]: entry for entry in listed if entry["content_type"] == 1}
    table = _json(client, "records", run=run, tag=points)
    assert table["steps"] == sorted(steps)
    for index, step in enumerate(table["steps"]):
        assert table["wall_times"][index] == steps[step]["wall_time"]
        for sample in range(samples):
            ours = _json(client, "shape", run=run, tag=points, index=index, sample=sample)
            assert (ours["samples"], ours["notes"]) == (samples, [])
            for name, kind, dtype in (
                ("vertices", "VERTEX", np.float32),
                ("faces", "FACE", np.int32),
                ("colors", "COLOR", np.uint8),
            ):
                query = {"run": run, "tag": tag, "step": step, "sample": sample, "content_type": kind}
                answer = Client(apps["/data"]).get("/", query_string=query)
                theirs = np.frombuffer(answer.get_data(), dtype).reshape(-1, 3)
                assert np.array_equal(np.array(ours.get(name, []), dtype).reshape(-1, 3), theirs), name


def test_columns_are_those_of_json(client: Client) -> None:
    from safetensors.numpy import load

    query: dict[str, Any] = {"run": "torch", "tag": "reconstruction_VERTEX", "index": 5}
    plain = _json(client, "shape", **query)
    answer = client.get("/data/plugin/mesh/shape", query_string={**query, "format": "safetensors"})
    columns = load(answer.get_data())
    assert columns["vertices"].dtype == np.float32
    assert columns["faces"].reshape(-1, 3).tolist() == plain["faces"]
    assert (plain["points"], plain["faces"][0], len(plain["faces"])) == (540, [0, 1, 31], 1020)


def test_the_scene_of_the_writer_is_read(client: Client) -> None:
    shape = _json(client, "shape", run="tensorboardx", tag="cloud_1", index=0)
    assert shape["scene"] == {"fov": 50, "position": [5, 2, 9], "look_at": [5, 0, 0], "color": "#cc6600"}
    assert _json(client, "shape", run="tensorflow", tag="ball_VERTEX", index=0)["scene"] == {}


@pytest.mark.parametrize(
    "config",
    [
        b"{",
        b"[1]",
        b"[" * 60_000,
        b'{"camera": {"position": [1, 2], "fov": 1e9, "lookAt": ["a", 0, 0]}, "material": {"color": "red"}}',
        b'{"camera": [], "material": {"color": -1, "wireframe": 1}}',
    ],
)
def test_a_scene_that_makes_no_sense_is_left_out(config: bytes) -> None:
    assert scene_of(message_field(5, config)) == {}
    assert scene_of(b"\xff\xff") == {}


def test_plain_tensors_of_points_are_clouds(client: Client) -> None:
    assert _json(client, "clouds") == {"clouds": {"torch": ["points/latent"]}}  # not the matrix of 3 x 3
    shape = _json(client, "shape", run="torch", tag="points/latent", index=0)
    assert (shape["points"], shape["step"], shape["triangles"]) == (300, 60, 0)


def test_a_run_with_plain_tensors_alone_has_the_tab() -> None:
    plugin = _registry().plugins["mesh"]
    for values, expected in (
        (np.zeros((40, 3)), True),
        (np.zeros((3, 3)), False),
        (np.zeros((40, 4)), False),
    ):
        fake = FakeProvider()
        fake.add_records("tensor", "a", "x", [tensorflow_tensor(values)], claim=TENSOR)
        assert clouds.has_shapes(context_of(plugin, fake)) is expected


def test_tensors_in_float64_keep_their_precision() -> None:
    shape = _json(
        _recorded("tensor", utm=np.full((12, 3), 500_000.0625 + 1e-6)), "shape", run="a", tag="utm", index=0
    )
    assert shape["vertices"][0] == [500_000.0625 + 1e-6] * 3


def test_the_frame_holds_all_runs_at_all_steps(client: Client) -> None:
    frame = _json(client, "frame", run=["torch", "tensorflow"], tag="ball_VERTEX", status=404)
    assert "ball_VERTEX" in frame["error"]
    frame = _json(client, "frame", run="tensorboardx", tag="cloud_1")
    assert (frame["read"], frame["records"]) == (3, 3)
    values = np.array(
        [
            _json(client, "shape", run="tensorboardx", tag="cloud_1", index=index, sample=sample)["vertices"]
            for index in range(3)
            for sample in range(2)
        ]
    ).reshape(-1, 3)
    assert frame["low"] == values.min(axis=0).tolist()
    assert frame["high"] == values.max(axis=0).tolist()


def test_a_frame_reads_a_bounded_number_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "MOST_RECORDS", 3)
    fake = FakeProvider()
    payloads = [tensorflow_tensor(POINTS * step) for step in range(1, 30)]
    fake.add_records("mesh", "a", "shape_VERTEX", payloads, claim=CLAIM)
    frame = _json(Client(Host(_registry(), fake)), "frame", run="a", tag="shape_VERTEX")
    assert frame == {"low": [0, 0, 0], "high": [29, 29, 29], "read": 3, "records": 29}


def test_points_far_from_all_others_do_not_count_for_the_frame() -> None:
    points = np.random.default_rng(1).normal(size=(1, 1000, 3))
    points[0, 7] = [1e6, 0, np.nan]
    points[0, 8] = [1e6, 0, 0]
    low, high = boxes_of(Part(points))[0]
    assert np.all(low > -6)
    assert np.all(high < 6)
    few = boxes_of(Part(points[:, 8:20]))[0]
    assert few[1, 0] == 1e6  # of few points all count
    assert np.isnan(boxes_of(Part(np.full((1, 5, 3), np.nan)))).all()


def test_points_that_are_not_finite_are_left_out_with_their_triangles() -> None:
    points = POINTS.copy()
    points[1, 2] = np.inf
    colors = np.arange(12, dtype=np.uint8).reshape(4, 3)
    shape = _shape(_recorded(VERTEX=points, FACE=[[0, 1, 2], [0, 2, 3]], COLOR=colors))
    assert _codes(shape) == ["mesh_not_finite"]
    assert shape["vertices"] == points[[0, 2, 3]].tolist()
    assert shape["colors"] == colors[[0, 2, 3]].tolist()
    assert (shape["faces"], shape["recorded_triangles"], shape["places"]) == ([[0, 1, 2]], 2, [0, 2, 3])


@pytest.mark.parametrize(
    "faces", [[[0, 1, 4]], [[0, 1, -1]], [[0.5, 1, 2]], [[np.nan, 1, 2]], [[1e30, 1, 2]]]
)
def test_triangles_with_corners_that_do_not_exist_are_left_out(faces: list[list[float]]) -> None:
    shape = _shape(_recorded(VERTEX=POINTS, FACE=np.array([*faces, [0, 1, 2]])))
    assert _codes(shape) == ["mesh_corners"]
    assert shape["faces"] == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("colors", "code"),
    [
        (np.zeros((3, 3)), "mesh_no_colors"),
        (np.zeros((4, 4)), "mesh_no_colors"),
        (["a", "b"], "mesh_no_colors"),
        (np.full((4, 3), 0.5), "mesh_color_range"),
    ],
)
def test_colours_that_do_not_fit_leave_the_points(colors: object, code: str) -> None:
    shape = _shape(_recorded(VERTEX=POINTS, COLOR=colors))
    assert _codes(shape) == [code]
    assert shape["points"] == 4
    assert shape.get("colors") == ([[127] * 3] * 4 if code == "mesh_color_range" else None)


def test_colours_beyond_255_are_clipped() -> None:
    shape = _shape(
        _recorded(VERTEX=POINTS, COLOR=np.array([[-5, 256, np.nan], [1, 2, 3], [0, 0, np.inf], [9, 9, 9]]))
    )
    assert shape["colors"] == [[0, 255, 0], [1, 2, 3], [0, 0, 255], [9, 9, 9]]


def test_a_large_cloud_is_thinned_and_a_large_mesh_shown_by_its_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shapes, "MOST_FACES", 1)
    shape = _shape(_recorded(VERTEX=POINTS, FACE=[[0, 1, 2], [0, 2, 3]]))
    assert (_causes(shape), shape["triangles"], shape["recorded_triangles"]) == (["mesh_many_faces"], 0, 2)
    monkeypatch.setattr(shapes.Shapes.at, "__kwdefaults__", {"most_points": 3})
    shape = _shape(_recorded(VERTEX=POINTS))
    assert (shape["recorded_points"], shape["points"], shape["places"]) == (4, 3, [0, 2, 3])


def test_ten_million_faces_are_not_read() -> None:
    head = tensorflow_tensor(np.zeros((1, 3), np.int32), shape=(10_000_000, 3))
    fake = FakeProvider()
    fake.add_records("mesh", "a", "shape_VERTEX", [tensorflow_tensor(POINTS)], claim=CLAIM)
    fake.add_records("mesh", "a", "shape_FACE", [head], claim=CLAIM)
    shape = _shape(Client(Host(_registry(), fake)))
    assert (_causes(shape), shape["recorded_triangles"]) == (["mesh_many_faces"], 10_000_000)


def test_parts_of_one_step_written_twice_belong_together_in_their_order(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a") as writer:
        for turn in (1, 2):
            writer.tensor("shape_VERTEX", 7, POINTS * turn, plugin="mesh")
            writer.tensor("shape_COLOR", 7, np.full((4, 3), turn, np.uint8), plugin="mesh")
        writer.tensor("shape_VERTEX", 8, POINTS, plugin="mesh")
    with client_of(tmp_path, mesh=insight_mesh) as client:
        for index, color in enumerate((1, 2)):
            assert _shape(client, index=index)["colors"][0] == [color] * 3
        assert "colors" not in _shape(client, index=2)


def test_names_that_tensorflow_made_unique_keep_their_parts() -> None:
    assert clouds.sibling("net/mesh_VERTEX_1", "FACE") == "net/mesh_FACE_1"
    assert clouds.sibling("mesh_VERTEX", "COLOR") == "mesh_COLOR"
    assert clouds.sibling("mesh_1", "COLOR") == "mesh_3"
    assert clouds.sibling("points", "COLOR") is None


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (Payload(b"", CLAIM), "empty"),
        (Payload(b"\xff\xff", CLAIM), "varint|truncated"),
        (Payload(tensorflow_tensor(np.zeros((1, 4, 2))), CLAIM), r"shape \[1, 4, 2\], not"),
        (Payload(tensorflow_tensor(np.zeros((1, 1, 4, 3))), CLAIM), "shape"),
        (Payload(tensorflow_tensor(np.zeros((0, 4, 3))), CLAIM), "shape"),
        (Payload(tensorflow_tensor(np.float32(3)), CLAIM), "shape"),
        (Payload(tensorflow_tensor(np.zeros((4, 3), np.complex64)), CLAIM), "complex64, not numbers"),
        (Payload(tensorflow_tensor(np.array([[b"a"] * 3])), CLAIM), "string, not numbers"),
    ],
)
def test_what_is_no_shape_is_refused_with_the_reason(payload: Payload, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        part_of(payload)


def test_an_empty_cloud_is_a_shape_without_points() -> None:
    client = _recorded(VERTEX=np.zeros((1, 0, 3), np.float32))
    assert _shape(client)["points"] == 0
    assert _json(client, "frame", run="a", tag="shape_VERTEX")["low"] == ["NaN"] * 3


def test_a_damaged_record_is_an_error_that_names_it() -> None:
    error = _json(_recorded(VERTEX=np.zeros((4, 2))), "shape", 422, run="a", tag="shape_VERTEX", index=0)
    assert error["details"]["cause"]["code"] == "mesh_shape"


@pytest.mark.parametrize(
    ("route", "query", "status"),
    [
        ("shape", {"sample": 1}, 400),
        ("shape", {"index": 9}, 404),
        ("shape", {"tag": "none"}, 404),
        ("records", {"run": "none"}, 404),
        ("frame", {"run": []}, 400),
        ("frame", {"run": [f"r{number}" for number in range(routes.MAX_RUNS + 1)]}, 400),
    ],
)
def test_wrong_questions_are_refused(route: str, query: dict[str, object], status: int) -> None:
    asked = {"run": "a", "tag": "shape_VERTEX", "index": 0, **query}
    assert _json(_recorded(VERTEX=POINTS), route, status, **asked)["error"]


def test_ply_files_are_read_by_another_program(client: Client) -> None:
    header, _, body = (
        client.get(
            "/data/plugin/mesh/ply", query_string={"run": "torch", "tag": "reconstruction_VERTEX", "index": 0}
        )
        .get_data()
        .partition(b"end_header\n")
    )
    assert b"element vertex 540" in header
    assert b"element face 1020" in header
    shape = _json(client, "shape", run="torch", tag="reconstruction_VERTEX", index=0)
    assert list(struct.unpack_from("<fff", body, 15)) == shape["vertices"][1]
    assert list(struct.unpack_from("<BBB", body, 12)) == shape["colors"][0]
    assert list(struct.unpack_from("<Biii", body, 540 * 15)) == [3, *shape["faces"][0]]
    assert len(body) == 540 * 15 + 1020 * 13
