"""Our data as plugins of TensorBoard see them: the contract, and what is ours beyond it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from insight_tensorboard.hosted import data as hosted_data
from insight_tensorboard.hosted.context import SamplingHints
from insight_tensorboard.hosted.data import TensorBoardDataProvider
from insight_tensorboard.hosted.requests import Budget
from tensorboard import errors
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.data.provider import RunTagFilter

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Unavailable, Undecodable
from insight_core.plugin.data import DataProvider
from insight_core.plugin.testing import EventWriter, FakeProvider
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from tests.support.pictures import png
from tests.tensorboard import hosts
from tests.tensorboard.provider_logs import write_logs
from tests.tensorboard.provider_suite import CASES, Case, Subject

provider = hosts.provider  # a fixture


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_contract_of_data_providers(case: Case, provider: DataProvider) -> None:
    case(Subject(TensorBoardDataProvider(provider)))


@pytest.fixture(scope="module")
def provider_of_tensorboard(tmp_path_factory: pytest.TempPathFactory) -> MultiplexerDataProvider:
    """TensorBoard's own provider of the same logs, every point kept."""
    logdir = tmp_path_factory.mktemp("logs")
    write_logs(logdir)
    every_point = dict.fromkeys(("scalars", "images", "text", "custom"), 0)
    multiplexer = EventMultiplexer(tensor_size_guidance=every_point)
    multiplexer.AddRunsFromDirectory(str(logdir))
    multiplexer.Reload()
    return MultiplexerDataProvider(multiplexer, str(logdir))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_the_contract_is_the_one_of_tensorboards_own_provider(
    case: Case, provider_of_tensorboard: MultiplexerDataProvider
) -> None:
    case(Subject(provider_of_tensorboard))


def test_a_case_fails_where_the_contract_is_broken(provider: DataProvider) -> None:
    class Forgetful(TensorBoardDataProvider):
        def read_scalars(self, ctx: object = None, *, downsample: int | None = None, **more: Any) -> Any:  # noqa: ANN401
            fewer = downsample - 1 if downsample is not None and downsample > 1 else 1
            return super().read_scalars(ctx, downsample=fewer, **more)

    failed = []
    for case in CASES:
        try:
            case(Subject(Forgetful(provider)))
        except AssertionError:
            failed.append(case.__name__)
    assert failed == [
        "as_many_points_are_read_as_asked_for",
        "none_is_none",
        "how_many_has_to_be_said",
    ]


def test_what_mindspore_wrote_is_what_tensorboard_reads(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run", "mindspore") as writer:
        writer.scalar("loss", 1, 0.5)
        writer.histogram("weights", 1, [0.0, 1.0, 2.0])
        writer.image("input", 1, png([[0, 255]]), 2, 1)
    provider = LocalProvider([Logdir(str(tmp_path))], Registry.discover().plugins.values(), reload_interval=0)
    provider.load()
    data = Subject(TensorBoardDataProvider(provider))
    assert [point.value for point in data.series("read_scalars", "scalars", "run", "loss")] == [0.5]
    [histogram] = data.series("read_tensors", "histograms", "run", "weights")
    assert histogram.numpy.shape[1] == 3
    assert histogram.numpy[:, 2].sum() == 3
    [picture] = data.series("read_blob_sequences", "images", "run", "input")
    keys = [reference.blob_key for reference in picture.values]
    assert [data.provider.read_blob(blob_key=key) for key in keys] == [b"2", b"1", png([[0, 255]])]
    provider.close()


def test_doubles_are_not_rounded(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        writer.scalars_tf2("loss", 0, 0.1, double=True)
    provider = LocalProvider([Logdir(str(tmp_path))], Registry.discover().plugins.values(), reload_interval=0)
    provider.load()
    data = Subject(TensorBoardDataProvider(provider))
    assert data.series("read_scalars", "scalars", "run", "loss")[0].value == 0.1
    provider.close()


def test_unsaid_how_many_an_answer_has_as_many_as_a_page_can_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("a", "b"):
        with EventWriter(tmp_path / run) as writer:
            for step in range(40):
                writer.scalar("loss", step, 0.5)
                writer.histogram("weights", step, [0.0, 1.0])
    monkeypatch.setattr(hosted_data, "SCALARS", Budget(50, 20))
    monkeypatch.setattr(hosted_data, "TENSORS", Budget(30, 20))
    provider = LocalProvider([Logdir(str(tmp_path))], Registry.discover().plugins.values(), reload_interval=0)
    provider.load()
    told: list[bool] = []
    data = TensorBoardDataProvider(provider, lambda: told.append(True))

    def points(read: Any, plugin: str, hint: int, *runs: str) -> list[int]:  # noqa: ANN401
        found = read(
            experiment_id="", plugin_name=plugin, downsample=hint, run_tag_filter=RunTagFilter(runs=runs)
        )
        assert all(series[-1].step == 39 for tags in found.values() for series in tags.values())
        return [len(series) for tags in found.values() for series in tags.values()]

    unsaid, all_points = SamplingHints({})["scalars"], SamplingHints({"scalars": 0})["scalars"]
    assert points(data.read_scalars, "scalars", unsaid, "a") == [40]
    assert points(data.read_scalars, "scalars", all_points, "a", "b") == [40, 40]
    assert points(data.read_scalars, "scalars", 3, "a", "b") == [3, 3]
    assert (data.sampled(), told) == ({}, [])  # it is as was said
    assert points(data.read_scalars, "scalars", unsaid, "a", "b") == [25, 25]
    assert points(data.read_scalars, "scalars", unsaid, "a", "b") == [25, 25]
    assert (data.sampled(), told) == ({"scalars": {"shown": 25, "points": 40}}, [True])
    assert points(data.read_tensors, "histograms", unsaid, "a") == [30]
    assert points(data.read_tensors, "histograms", unsaid, "a", "b") == [20, 20]  # no fewer of each
    assert points(data.read_tensors, "histograms", all_points, "a", "b") == [40, 40]
    assert data.sampled()["histograms"] == {"shown": 20, "points": 40}
    provider.close()


def test_a_budget_is_used_up_before_anything_is_left_out() -> None:
    random = np.random.default_rng(3)
    for _ in range(200):
        counts = random.integers(0, 60, random.integers(1, 8)).tolist()
        limit = Budget(100, 1).limit(counts)
        assert (limit is None) == (sum(counts) <= 100)
        if limit is not None:
            taken = [sum(min(count, most) for count in counts) for most in (limit, limit + 1)]
            assert taken[0] <= 100 < taken[1]
    assert Budget(100, 30).limit([50] * 10) == 30
    assert Budget(100, 30).limit([]) is None
    assert Budget(100, 30).limit([0, 0]) is None  # nobody knows how many they have


def test_runs_without_a_start_are_last(tmp_path: Path) -> None:
    for name, wall_time in (("unknown", float("nan")), ("late", 3.0), ("early", 1.0)):
        run = tmp_path / name
        run.mkdir()
        (run / "events.out.tfevents.1.x").write_bytes(
            wire.record(wire.event(0, wall_time, wire.summary([wire.scalar_value("loss", 0.5)])))
        )
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/events.out.tfevents.1.x").write_bytes(b"")
    provider = LocalProvider([Logdir(str(tmp_path))], Registry.discover().plugins.values(), reload_interval=0)
    provider.load()
    runs = TensorBoardDataProvider(provider).list_runs(experiment_id="")
    found = [(run.run_name, run.start_time) for run in runs]
    assert found == [("early", 1.0), ("late", 3.0), ("unknown", None)]
    provider.close()


def test_errors_are_those_of_tensorboard(provider: DataProvider) -> None:
    data = TensorBoardDataProvider(provider)
    with pytest.raises(errors.InvalidArgumentError, match="failed to parse blob key"):
        data.read_blob(blob_key="!")
    picture = Subject(data).series("read_blob_sequences", "images", "train", "picture")[0].values[0]
    other = "A" * len(picture.blob_key)
    with pytest.raises(errors.PublicError):
        data.read_blob(blob_key=other)
    with pytest.raises(errors.InvalidArgumentError, match="negative"):
        data.read_scalars(experiment_id="", plugin_name="scalars", downsample=-1)
    with pytest.raises(TypeError):
        RunTagFilter(runs="train")


def test_data_that_cannot_be_reached_are_a_503() -> None:
    class Away(FakeProvider):
        def runs(self) -> NoReturn:
            raise Unavailable("the data server is away")

    with pytest.raises(errors.PublicError, match="away") as caught:
        TensorBoardDataProvider(Away("logs")).list_runs(experiment_id="")
    assert caught.value.http_code == 503


def test_a_damaged_value_is_a_422() -> None:
    class Damaged(FakeProvider):
        def runs(self) -> NoReturn:
            raise Undecodable("'i' of run 'r', step 3 (record 1): the checksum is wrong")

    with pytest.raises(errors.PublicError, match="step 3") as caught:
        TensorBoardDataProvider(Damaged("logs")).list_runs(experiment_id="")
    assert caught.value.http_code == 422
