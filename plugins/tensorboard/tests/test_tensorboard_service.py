"""TensorBoard's service over a data provider: filters, metadata, downsampling, growth."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import grpc
import numpy as np
import pytest

from insight_core.plugin import Dialect
from insight_core.plugin.data import SeriesInfo
from insight_core.plugin.testing import EventWriter
from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema import tensorboard_pb2 as values
from tests.rpc import conftest as rpc
from tests.rpc.conftest import Connect, Load
from tests.rpc.tensorboard_client import chosen, histogram_value, named, scalars, tensors

connect, load_with = rpc.connect, rpc.load_with  # fixtures

# --- what is there ---------------------------------------------------------------------------------


def test_runs_by_their_begin_and_only_those_with_events(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    for run, start in (("a", 300.0), ("b", 100.0), ("c", 200.0)):
        with EventWriter(tmp_path / run, start_time=start) as writer:
            writer.scalar("x", 1, 1.0)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/events.out.tfevents.1").touch()
    client = connect(load_with())
    listed = client.tensorboard.ListRuns(messages.ListRunsRequest(experiment_id="anything")).runs
    assert [(run.name, run.start_time) for run in listed] == [("b", 100.0), ("c", 200.0), ("a", 300.0)]
    experiment = client.tensorboard.GetExperiment(messages.GetExperimentRequest())
    assert experiment.data_location == str(tmp_path)
    assert not experiment.HasField("creation_time")


def test_metadata_of_a_scalar(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r", start_time=1000.0) as writer:
        for step in (3, 7):
            writer.scalars_tf2("acc", step, 0.5, display_name="Accuracy", description="of validation")
    client = connect(load_with())
    answer = client.tensorboard.ListScalars(messages.ListScalarsRequest(plugin_filter=named("scalars")))
    [run] = answer.runs
    [tag] = run.tags
    assert (run.run_name, tag.tag_name) == ("r", "acc")
    assert (tag.metadata.max_step, tag.metadata.max_wall_time) == (7, 1007.0)
    summary = tag.metadata.summary_metadata
    assert (summary.display_name, summary.summary_description) == ("Accuracy", "of validation")
    assert (summary.plugin_data.plugin_name, summary.data_class) == ("scalars", values.DATA_CLASS_SCALAR)
    for empty in (messages.ListTensorsRequest, messages.ListBlobSequencesRequest):
        call = getattr(client.tensorboard, empty.__name__.removesuffix("Request"))
        assert not call(empty(plugin_filter=named("scalars"))).runs


def test_series_are_listed_as_far_as_they_are_asked_for(
    connect: Connect, load_with: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("a", "b"):
        with EventWriter(tmp_path / run) as writer:
            for tag in ("x", "y"):
                writer.scalar(tag, 0, 1.0)
            writer.text("t", 0, "hi")
    provider = load_with()
    client = connect(provider)
    listed: list[tuple[str, str]] = []
    series = provider.series

    def noted(plugin: str, **which: object) -> Sequence[SeriesInfo]:
        found = series(plugin, **which)  # type: ignore[arg-type]
        listed.extend((info.key.run, info.key.tag) for info in found)
        return found

    monkeypatch.setattr(provider, "series", noted)
    plugins = client.tensorboard.ListPlugins(messages.ListPluginsRequest()).plugins
    assert [plugin.name for plugin in plugins] == ["scalars", "text"]
    assert listed == []
    request = messages.ReadScalarsRequest(
        plugin_filter=named("scalars"),
        run_tag_filter=chosen(["b"], ["y"]),
        downsample=messages.Downsample(num_points=9),
    )
    for _ in range(2):
        listed.clear()
        assert [run.run_name for run in client.tensorboard.ReadScalars(request).runs] == ["b"]
        assert listed == [("b", "y")]
    listed.clear()
    every = messages.ListScalarsRequest(plugin_filter=named("scalars"))
    assert [len(run.tags) for run in client.tensorboard.ListScalars(every).runs] == [2, 2]
    assert sorted(listed) == [(run, tag) for run in ("a", "b") for tag in ("x", "y")]
    listed.clear()
    with EventWriter(tmp_path / "b") as writer:
        writer.scalar("x", 1, 1.0)
    provider.load()
    steps = [tag.metadata.max_step for tag in client.tensorboard.ListScalars(every).runs[1].tags]
    assert (steps, listed) == ([1, 0], [("b", "x")])
    listed.clear()
    shutil.rmtree(tmp_path / "a")
    provider.load()
    assert [run.run_name for run in client.tensorboard.ListScalars(every).runs] == ["b"]
    assert listed == []


def test_filters_absent_empty_and_unknown(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    for run in ("a", "b"):
        with EventWriter(tmp_path / run) as writer:
            for tag in ("x", "y"):
                writer.scalar(tag, 0, 1.0)
    client = connect(load_with())

    def found(chosen_: messages.RunTagFilter | None) -> dict[str, list[str]]:
        request = messages.ReadScalarsRequest(
            plugin_filter=named("scalars"),
            run_tag_filter=chosen_,
            downsample=messages.Downsample(num_points=9),
        )
        answer = client.tensorboard.ReadScalars(request)
        return {run.run_name: [tag.tag_name for tag in run.tags] for run in answer.runs}

    assert found(None) == found(chosen()) == {"a": ["x", "y"], "b": ["x", "y"]}
    assert found(chosen(["b"], None)) == {"b": ["x", "y"]}
    assert found(chosen(["b", "b", "nothing"], ["y", "nothing"])) == {"b": ["y"]}
    assert found(chosen([], None)) == found(chosen(None, [])) == found(chosen(["nothing"], None)) == {}


@pytest.mark.parametrize(
    ("call", "request_", "text"),
    [
        ("ListScalars", messages.ListScalarsRequest(), "must specify non-empty plugin name"),
        ("ReadTensors", messages.ReadTensorsRequest(), "must specify non-empty plugin name"),
        (
            "ReadBlobSequences",
            messages.ReadBlobSequencesRequest(plugin_filter=named("images")),
            "must specify downsample",
        ),
        (
            "ReadScalars",
            messages.ReadScalarsRequest(
                plugin_filter=named("scalars"), downsample=messages.Downsample(num_points=-1)
            ),
            "num_points must be non-negative; got -1",
        ),
    ],
)
def test_requests_that_make_no_sense(
    connect: Connect, load_with: Load, call: str, request_: object, text: str
) -> None:
    client = connect(load_with())
    with pytest.raises(grpc.RpcError) as caught:
        getattr(client.tensorboard, call)(request_)
    assert (caught.value.code(), caught.value.details()) == (grpc.StatusCode.INVALID_ARGUMENT, text)


# --- numbers ---------------------------------------------------------------------------------------


def test_every_number_of_both_dialects(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    steps = [-3, 0, 127, 128, 2**31, 2**62]
    numbers = [1.5, float("nan"), float("inf"), float("-inf"), 1e-45, -3.4e38]
    for dialect in Dialect:
        with EventWriter(tmp_path / dialect, dialect, start_time=1.0) as writer:
            for step, number in zip(steps, numbers, strict=True):
                writer.scalar("x", step, number, wall_time=10.0 + step % 7)
    client = connect(load_with())
    for dialect in Dialect:
        data = scalars(client)[dialect, "x"]
        assert list(data.step) == steps
        assert list(data.wall_time) == [10.0 + step % 7 for step in steps]
        np.testing.assert_array_equal(np.array(data.value, np.float32), np.array(numbers, np.float32))


def test_doubles_become_floats(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step, number in enumerate((0.1, 1e300)):
            writer.scalars_tf2("x", step, number, double=True)
    data = scalars(connect(load_with()))["r", "x"]
    assert list(data.value) == [float(np.float32(0.1)), float("inf")]


def test_downsampling_keeps_the_last_and_the_same_of_all(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        writer.scalar_block(["x", "y"], np.arange(1000), np.zeros((1000, 2)))
    client = connect(load_with())
    for limit in (1, 2, 100, 999):
        data = scalars(client, limit)
        steps = list(data["r", "x"].step)
        assert len(steps) == limit
        assert steps[-1] == 999
        assert steps == sorted(set(steps))
        assert list(data["r", "y"].step) == steps == list(scalars(client, limit)["r", "x"].step)
    assert len(scalars(client, 1000)["r", "x"].step) == 1000
    empty = scalars(client, 0)["r", "x"]
    assert (list(empty.step), list(empty.wall_time), list(empty.value)) == ([], [], [])


def test_a_restart_hides_what_was_written_before_it(
    connect: Connect, load_with: Load, tmp_path: Path
) -> None:
    with EventWriter(tmp_path / "r") as writer:
        for step, number in ((0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0), (2, 20.0), (3, 30.0)):
            writer.scalar("x", step, number)
            writer.values(step, [histogram_value("h")])
    client = connect(load_with())
    assert list(scalars(client)["r", "x"].value) == [0.0, 1.0, 20.0, 30.0]
    assert list(tensors(client, "histograms")["r", "h"].step) == [0, 1, 2, 3]


def test_what_is_written_later_is_answered_later(connect: Connect, load_with: Load, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "a", start_time=100.0) as writer:
        writer.scalar("x", 1, 1.0)
    provider = load_with()
    client = connect(provider)
    listing = messages.ListScalarsRequest(plugin_filter=named("scalars"))
    assert client.tensorboard.ListScalars(listing).runs[0].tags[0].metadata.max_step == 1
    with EventWriter(tmp_path / "a", start_time=200.0) as writer:
        writer.scalar("x", 2, 2.0)
        writer.scalar("new", 2, 2.0)
        writer.values(5, [histogram_value("h")])
    provider.load()
    [run] = client.tensorboard.ListScalars(listing).runs
    assert {tag.tag_name: (tag.metadata.max_step, tag.metadata.max_wall_time) for tag in run.tags} == {
        "x": (2, 202.0),
        "new": (2, 202.0),
    }
    assert list(tensors(client, "histograms")["a", "h"].step) == [5]
    for path in (tmp_path / "a").iterdir():
        path.unlink()
    (tmp_path / "a").rmdir()
    provider.load()
    assert not client.tensorboard.ListScalars(listing).runs


@pytest.mark.parametrize("restarted", [True, False])
def test_a_list_says_where_each_series_ends_without_reading_it(
    connect: Connect, load_with: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarted: bool
) -> None:
    with EventWriter(tmp_path / "r", start_time=100.0) as writer:
        for step in (5, 9, 6, 7) if restarted else (5, 7):  # the attempt that begins at 6 hides 9
            writer.scalar("x", step, 1.0)
            writer.values(step, [histogram_value("h")])
    provider = load_with()

    def unasked(*_: object) -> None:
        raise AssertionError("a list needs no points")

    for name in ("scalars", "records", "payload"):
        monkeypatch.setattr(provider, name, unasked)
    client = connect(provider)
    numbers = client.tensorboard.ListScalars(messages.ListScalarsRequest(plugin_filter=named("scalars")))
    tensors = client.tensorboard.ListTensors(messages.ListTensorsRequest(plugin_filter=named("histograms")))
    for answer in (numbers, tensors):
        [metadata] = [tag.metadata for run in answer.runs for tag in run.tags]
        assert (metadata.max_step, metadata.max_wall_time) == (7, 107.0)
