"""Embeddings: projector files of torch, tensorboardX and TensorBoard, against its reader, numpy and scipy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_embeddings
import numpy as np
import pytest
from insight_embeddings import neighbours
from insight_embeddings.config import MOST_EMBEDDINGS
from insight_embeddings.matrix import Matrix
from insight_embeddings.metadata import metadata_of
from insight_embeddings.neighbours import neighbour_graph
from werkzeug.test import Client

from benchmarks.processes import peak_memory
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import FileName, LogFormat
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider
from insight_core.worker import decoding
from tests.hosts import client_of
from tests.support.pictures import png

FIXTURES = Path(__file__).parent / "fixtures"
LAST = "hidden:00040"


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """A host of the committed logs."""
    with client_of(FIXTURES, embeddings=insight_embeddings) as made:
        yield made


def _get(client: Client, route: str, status: int = 200, **query: object) -> Any:  # noqa: ANN401
    answer = client.get(f"/data/plugin/embeddings/{route}", query_string=query)
    assert answer.status_code == status, answer.get_data(as_text=True)
    return answer.get_json()


def _expected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))
    return found


def test_every_embedding_of_every_writer_is_listed_with_its_step(client: Client) -> None:
    found = _get(client, "embeddings", run=["torch", "tensorboardx", "bytes"])["runs"]
    listed = [
        (each["run"], e["name"], e["group"], e["step"], e["problem"])
        for each in found
        for e in each["embeddings"]
    ]
    assert listed == [
        *(("torch", f"hidden:{step:05}", "hidden", step, None) for step in (0, 5, 40)),
        ("tensorboardx", "default:00000", "default", 0, None),
        ("bytes", "points", "points", None, None),
    ]
    assert [e["picture_size"] for e in found[0]["embeddings"]] == [[8, 8]] * 3


@pytest.mark.parametrize(
    ("run", "name"), [("torch", LAST), ("tensorboardx", "default:00000"), ("bytes", "points")]
)
def test_points_are_those_of_tensorboards_own_projector(client: Client, run: str, name: str) -> None:
    """Distances between points do not depend on how they are turned."""
    from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.plugins.base_plugin import TBContext
    from tensorboard.plugins.projector.projector_plugin import ProjectorPlugin

    multiplexer = EventMultiplexer()
    multiplexer.AddRun(str(FIXTURES / run), run)
    multiplexer.Reload()
    provider = MultiplexerDataProvider(multiplexer, str(FIXTURES))
    plugin = ProjectorPlugin(TBContext(data_provider=provider, logdir=str(FIXTURES)))
    served = Client(plugin.get_plugin_apps()["/tensor"]).get("/", query_string={"run": run, "name": name})
    assert served.status_code == 200, served.get_data(as_text=True)
    ours = _get(client, "points", run=run, name=name)
    theirs = np.frombuffer(served.data, np.float32).reshape(ours["points"], ours["dimensions"])
    centred = theirs - theirs.mean(axis=0, dtype=np.float64)
    _, singular, directions = np.linalg.svd(centred, full_matrices=False)
    count = ours["components"]
    expected = centred @ directions[:count].T
    coordinates = np.array(ours["coordinates"])
    signs = np.sign((coordinates * expected.T).sum(axis=1))
    np.testing.assert_allclose(coordinates * signs[:, None], expected.T, atol=1e-5)
    np.testing.assert_allclose(ours["shares"], (singular**2 / (singular**2).sum())[:count], rtol=1e-9)


def test_shares_of_the_variance_are_those_of_scikit_learn(client: Client) -> None:
    found = _get(client, "points", run="torch", name=LAST)
    expected = _expected()
    np.testing.assert_allclose(found["shares"], expected["shares"], rtol=1e-5)
    np.testing.assert_allclose(np.std(found["coordinates"], axis=1), expected["spread"], rtol=1e-5)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_neighbours_are_those_of_scipy(client: Client, metric: str) -> None:
    for point, expected in _expected()[metric].items():
        found = _get(client, "neighbours", run="torch", name=LAST, point=point, metric=metric, count=10)
        np.testing.assert_allclose(found["distances"], expected["distances"], rtol=1e-6, atol=1e-12)
        assert found["points"] == expected["points"]


def test_metadata_with_a_header_and_without(client: Client) -> None:
    [digit, predicted, correct] = _get(client, "metadata", run="torch", name=LAST)["columns"]
    assert (digit["name"], digit["is_number"]) == ("digit", True)
    assert [digit["labels"][code] for code in digit["codes"][:10]] == list("0123456789")
    assert predicted["is_number"]
    assert (set(correct["labels"]), correct["is_number"]) == ({"yes", "no"}, False)
    [words] = _get(client, "metadata", run="tensorboardx", name="default:00000")["columns"]
    assert words["name"] == "label"
    assert [words["labels"][code] for code in words["codes"]] == [f"word {number}" for number in range(60)]
    assert _get(client, "metadata", run="bytes", name="points") == {"columns": []}


def test_the_sprite_is_the_file(client: Client) -> None:
    answer = client.get("/data/plugin/embeddings/sprite", query_string={"run": "torch", "name": LAST})
    assert answer.mimetype == "image/png"
    assert answer.data == (FIXTURES / "torch/00040/hidden/sprite.png").read_bytes()


def _write(directory: Path, config: str, **files: str | bytes) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "projector_config.pbtxt").write_text(config, encoding="utf-8")
    for name, content in files.items():
        path = directory / name.replace("__", ".")
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _embedding(tensor: str, more: str = "") -> str:
    return f'embeddings {{ tensor_name: "t" tensor_path: "{tensor}" {more} }}'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Runs that are broken in one way each."""
    logs = tmp_path_factory.mktemp("hostile")
    table = "1\t2\n3\t4\n5\t7\n"
    (logs / "secret.tsv").write_text(table, encoding="utf-8")
    _write(logs / "malformed", "embeddings { tensor_name: ")
    _write(logs / "deep", "unknown {" * 5000)
    _write(logs / "many", _embedding("t.tsv") * (MOST_EMBEDDINGS + 1), t__tsv=table)
    _write(logs / "outside", _embedding("../secret.tsv"))
    _write(logs / "missing", _embedding("gone.tsv"))
    _write(logs / "checkpoint", 'embeddings { tensor_name: "w" }')
    _write(logs / "words", _embedding("t.tsv"), t__tsv="1\t2\n3\tfour\n")
    _write(logs / "ragged", _embedding("t.tsv"), t__tsv="1\t2\n3\n")
    _write(logs / "empty", _embedding("t.tsv"), t__tsv="")
    _write(logs / "nan", _embedding("t.tsv"), t__tsv="1\t2\nnan\t4\n5\t7\ninf\t1\n")
    _write(logs / "all_nan", _embedding("t.tsv"), t__tsv="nan\t2\nnan\t4\n")
    _write(logs / "same", _embedding("t.tsv"), t__tsv="1\t2\n1\t2\n")
    _write(logs / "one", _embedding("t.tsv"), t__tsv="1\t2\t3\n")
    _write(logs / "no_shape", _embedding("t.bytes"), t__bytes=b"\0" * 24)
    _write(logs / "wrong_shape", _embedding("t.bytes", "tensor_shape: [3, 3]"), t__bytes=b"\0" * 24)
    _write(logs / "huge_shape", _embedding("t.bytes", "tensor_shape: [4000000000, 9]"), t__bytes=b"\0" * 24)
    _write(logs / "absolute", _embedding("/home/me/logs/absolute/t.tsv"), t__tsv=table)
    _write(logs / "short", _embedding("t.tsv", 'metadata_path: "m.tsv"'), t__tsv=table, m__tsv="a\n")
    _write(
        logs / "uneven",
        _embedding("t.tsv", 'metadata_path: "m.tsv"'),
        t__tsv=table,
        m__tsv="a\tb\n1\t2\n3\n4\t5\n",
    )
    _write(
        logs / "no_picture",
        _embedding("t.tsv", 'sprite { image_path: "sprite.png" single_image_dim: [1, 1] }'),
        t__tsv=table,
        sprite__png="no",
    )
    wide = png(np.zeros((1, 9000, 3), np.uint8))
    _write(
        logs / "wide",
        _embedding("t.tsv", 'sprite { image_path: "sprite.png" }'),
        t__tsv=table,
        sprite__png=wide,
    )
    with client_of(logs, embeddings=insight_embeddings) as made:
        yield made


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("missing", "embeddings_missing_file"),
        ("outside", "embeddings_missing_file"),
        ("checkpoint", "embeddings_checkpoint"),
    ],
)
def test_files_that_are_not_below_the_configuration_are_named(hostile: Client, run: str, code: str) -> None:
    [found] = _get(hostile, "embeddings", run=run)["runs"]
    [embedding] = found["embeddings"]
    assert embedding["problem"]["code"] == code
    assert _get(hostile, "points", 422, run=run, name=embedding["name"])


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("malformed", "embeddings_bad_config"),
        ("deep", "embeddings_bad_config"),
        ("many", "embeddings_many"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_an_error_of_its_run(
    hostile: Client, run: str, code: str
) -> None:
    [found] = _get(hostile, "embeddings", run=run)["runs"]
    assert found["embeddings"] == []
    [error] = found["errors"]
    assert error["details"]["cause"]["code"] == code


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("words", "embeddings_not_numbers"),
        ("ragged", "embeddings_not_numbers"),
        ("empty", "embeddings_no_points"),
        ("all_nan", "embeddings_none_finite"),
        ("no_shape", "embeddings_no_shape"),
        ("wrong_shape", "embeddings_wrong_size"),
        ("huge_shape", "embeddings_many_values"),
    ],
)
def test_points_that_cannot_be_read_are_an_error_that_names_the_file(
    hostile: Client, run: str, code: str
) -> None:
    error = _get(hostile, "points", 422, run=run, name="t")
    assert error["details"]["cause"]["code"] == code
    assert error["details"]["tag"] in ("t.tsv", "t.bytes")


def test_points_that_are_not_finite_are_left_out_of_the_components(hostile: Client) -> None:
    found = _get(hostile, "points", run="nan", name="t")
    assert found["not_finite"] == 2
    first = found["coordinates"][0]
    assert [isinstance(value, float) for value in first] == [True, False, True, False]
    np.testing.assert_allclose([abs(first[0]), abs(first[2])], np.hypot(4, 5) / 2, rtol=1e-6)
    near = _get(hostile, "neighbours", run="nan", name="t", point=0, metric="euclidean")
    assert near["points"] == [2]
    assert _get(hostile, "neighbours", run="nan", name="t", point=1)["points"] == []


@pytest.mark.parametrize("run", ["same", "one"])
def test_points_without_any_variance_are_at_the_origin(hostile: Client, run: str) -> None:
    found = _get(hostile, "points", run=run, name="t")
    assert not np.any(found["coordinates"])
    assert not np.any(found["shares"])


def test_an_absolute_path_of_another_machine_is_found_by_its_end(hostile: Client) -> None:
    assert _get(hostile, "points", run="absolute", name="t")["points"] == 3


@pytest.mark.parametrize(
    ("run", "code"), [("short", "embeddings_metadata_lines"), ("uneven", "embeddings_metadata_width")]
)
def test_metadata_that_do_not_fit_leave_the_points(hostile: Client, run: str, code: str) -> None:
    assert _get(hostile, "points", run=run, name="t")["points"] == 3
    assert _get(hostile, "metadata", 422, run=run, name="t")["details"]["cause"]["code"] == code


@pytest.mark.parametrize("run", ["no_picture", "wide"])
def test_a_sprite_that_cannot_be_shown_leaves_the_points(hostile: Client, run: str) -> None:
    assert _get(hostile, "points", run=run, name="t")["points"] == 3
    _get(hostile, "sprite", 422, run=run, name="t")


def test_points_of_unit_length_are_those_of_numpy(client: Client) -> None:
    """TensorBoard calls this "spherize"."""
    points = np.loadtxt(FIXTURES / "torch/00040/hidden/tensors.tsv")
    centred = points - points.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    singular = np.linalg.svd(unit - unit.mean(axis=0), compute_uv=False)
    found = _get(client, "points", run="torch", name=LAST, unit_length=1)
    np.testing.assert_allclose(found["shares"], (singular**2 / (singular**2).sum())[:10], rtol=1e-5)


def test_more_dimensions_than_points_have_the_components_of_the_points(tmp_path: Path) -> None:
    points = np.random.default_rng(3).normal(size=(6, 40)).astype(np.float32)
    _write(tmp_path / "a", _embedding("t.bytes", "tensor_shape: [6, 40]"), t__bytes=points.tobytes())
    with client_of(tmp_path, embeddings=insight_embeddings) as client:
        found = _get(client, "points", run="a", name="t")
    expected = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[:5]
    np.testing.assert_allclose(np.linalg.norm(found["coordinates"], axis=1)[:5], expected, rtol=1e-5)


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_the_graph_of_all_points_has_the_neighbours_of_each(client: Client, metric: str) -> None:
    graph = _get(client, "graph", run="torch", name=LAST, metric=metric, count=10)
    assert graph["points"] == list(range(300))
    for point, expected in _expected()[metric].items():
        assert graph["indices"][int(point)] == expected["points"]
        found = graph["distances"][int(point)]
        np.testing.assert_allclose(found, expected["distances"], rtol=1e-5, atol=1e-7)


def test_points_far_from_the_origin_keep_their_neighbours() -> None:
    """Where distances are the small differences of large squares."""
    line = np.arange(40, dtype=np.float32)[:, None] / 8
    far = np.hstack([line + 100_000, np.full((40, 1), 300_000, np.float32)])
    graph = neighbour_graph(Matrix(far, np.ones(40, np.bool_)), "euclidean", 2)
    assert {*graph.indices[20].tolist()} == {19, 21}
    np.testing.assert_array_equal(graph.distances[20], [0.125, 0.125])


def test_a_graph_of_many_points_is_one_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "MOST_POINTS", 50)
    values = np.random.default_rng(1).normal(size=(200, 4)).astype(np.float32)
    finite = np.ones(200, np.bool_)
    finite[::2] = False
    graph = neighbour_graph(Matrix(values, finite), "euclidean", 5)
    assert len(graph.points) == 50
    assert (graph.points % 2 == 1).all()
    chosen = values[graph.points].astype(np.float64)
    distances = np.linalg.norm(chosen[:, None] - chosen, axis=2)
    np.testing.assert_array_equal(graph.indices, np.argsort(distances, axis=1)[:, 1:6])


def test_a_graph_needs_three_points(hostile: Client) -> None:
    error = _get(hostile, "graph", 422, run="nan", name="t")
    assert error["details"]["cause"]["code"] == "embeddings_few_points"


def test_only_files_of_runs_with_a_configuration_are_files_of_embeddings(tmp_path: Path) -> None:
    """Many programs write TSV; a file that is read as a metric log does not belong to an embedding."""
    other, words = tmp_path / "other", tmp_path / "words"
    for run in (other, words):
        (run / "plots" / "metrics").mkdir(parents=True)
        (run / "plots" / "metrics" / "loss.tsv").write_text("step\tloss\n0\t1\n")
        (run / "learn_error.tsv").write_text("iter\tRMSE\n0\t1\n")
        (run / "points.bytes").write_bytes(bytes(8))
    (words / "projector_config.pbtxt").write_text('embeddings { tensor_path: "points.bytes" }')
    reader = LogFormat("metrics", FileName("plots/metrics/*.tsv"), lambda stream, state: ([], {}))
    plugins = [insight_embeddings.insight_plugin()]
    provider = LocalProvider([Logdir(str(tmp_path))], plugins, log_formats=[reader], reload_interval=0)
    provider.load()
    assert {info.key for info in provider.series("embeddings")} == {
        SeriesKey("words", tag) for tag in ("projector_config.pbtxt", "points.bytes", "learn_error.tsv")
    }
    (words / "projector_config.pbtxt").unlink()
    provider.load()
    assert not provider.series("embeddings")
    provider.close()


def test_one_long_label_takes_no_more_than_its_letters() -> None:
    labels = ["x" * 85_000, *(f"l{row}" for row in range(8_999))]
    before = peak_memory()
    [column] = metadata_of("\n".join(labels).encode(), len(labels))
    assert peak_memory() - before < 100  # MB; as an array of texts the labels take 3 GB
    assert (column.labels, column.numbers) == (labels, None)


def test_large_metadata_have_the_same_columns_as_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"name\tvalue\n" + b"".join(b"a%d\t%d.5\n" % (row % 7, row) for row in range(1_000)) + b"\t\n"
    here = metadata_of(content, 1_001)
    monkeypatch.setattr(decoding, "SMALL", 0)
    there = metadata_of(content, 1_001)
    for one, other in zip(here, there, strict=True):
        assert (one.name, one.labels, one.codes.tolist()) == (other.name, other.labels, other.codes.tolist())
    values = there[1].numbers
    assert values is not None
    assert values[:1_000].tolist() == [row + 0.5 for row in range(1_000)]
    assert np.isnan(values[1_000])
    with pytest.raises(ValueError, match="2 lines for 3 points") as caught:
        metadata_of(b"a\nb\n", 3)
    assert caught.value.args[0].code == "embeddings_metadata_lines"


def test_digits_with_underlines_are_labels() -> None:
    [column] = metadata_of(b"1_0\n20\n", 2)
    assert column.numbers is None
