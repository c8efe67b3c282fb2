"""``SummaryWriter``: its life, the files next to events, ranks, and what it needs of other packages."""

from __future__ import annotations

import logging
import pickle
import sys
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

import insight_host
from insight_record import SummaryWriter
from tests.recording.accumulated import accumulated, wall_times
from tests.waiting import eventually


def test_the_host_offers_the_same_class() -> None:
    assert insight_host.SummaryWriter is SummaryWriter


def test_without_a_directory_it_is_named_after_time_and_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_lr0.1") as writer:
        writer.add_scalar("a", 1)
    [run] = (tmp_path / "runs").iterdir()
    assert run.name.endswith("_lr0.1")
    assert writer.log_dir == writer.get_logdir() == f"runs/{run.name}"


def test_it_is_closed_at_the_end_of_with_and_opens_again_for_more(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run", filename_suffix=".mine") as writer:
        writer.add_scalar("a", 1, 1)
        assert writer.file_writer is not None
    assert writer.file_writer is None
    writer.close()
    writer.flush()
    writer.add_scalar("a", 2, 2)
    writer.close()
    files = sorted((tmp_path / "run").iterdir())
    assert len(files) == 2
    assert all(file.name.endswith(".mine") for file in files)
    assert accumulated(tmp_path)["run"]["scalars"] == {"a": [(1, 1), (2, 2)]}


def test_the_error_of_a_scalar_is_a_series_named_after_its_tag(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("accuracy", 0.5, 1, error=np.float32(0.25))
        writer.add_scalar("accuracy", 0.75, 2)
        writer.add_scalar("exact", 0.5, 1, double_precision=True, error=0)
        with pytest.raises(TypeError, match="scalar 'accuracy_stderr'"):
            writer.add_scalar("accuracy", 0.5, 3, error="much")
    assert accumulated(tmp_path)["."]["scalars"] == {
        "accuracy": [(1, 0.5), (2, 0.75)],
        "accuracy_stderr": [(1, 0.25)],
        "exact": [(1, 0.5)],
        "exact_stderr": [(1, 0.0)],
    }


def test_a_value_is_in_the_file_without_a_flush_although_flush_secs_is_longer(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path, flush_secs=1000)
    writer.add_scalar("a", 1, 1)
    eventually(lambda: accumulated(tmp_path)["."]["scalars"] == {"a": [(1, 1)]})
    writer.close()


def test_steps_and_times_of_many_types(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("a", np.float32(1), np.int32(1), walltime=5)
        writer.add_scalar("a", Decimal("1.5"), np.array(2), walltime=np.float64(6))
        with writer.use_metadata(global_step=3, walltime=7.0):
            writer.add_scalar("a", [[2]])
            writer.add_scalar("a", 2.5, 4)
        for step, problem in (("x", TypeError), (2**63, ValueError)):
            with pytest.raises(problem, match="a step is a whole number"):
                writer.add_scalar("a", 1.0, step)
    assert accumulated(tmp_path)["."]["scalars"] == {"a": [(1, 1), (2, 1.5), (3, 2), (4, 2.5)]}
    assert wall_times(tmp_path, "a") == [5, 6, 7, 7]


@pytest.mark.parametrize(
    ("method", "arguments", "problem"),
    [
        ("add_scalar", ("a", [1, 2, 3]), "scalar 'a': a scalar is one number"),
        ("add_scalar", ("a", "1"), "scalar 'a': a scalar is a number, not str"),
        ("add_scalar", ("", 1.0), "a name must not be empty"),
        ("add_scalars", ("a", {"b": None}), "scalar 'a b'"),
        ("add_histogram", ("a", []), "no elements"),
        ("add_histogram", ("a", [1.0], 0, "cats"), "cats"),
        ("add_histogram_raw", ("a", 0, 1, 1, 1, 1, [1, 2], [1]), "2 bucket_limits and 1 bucket_counts"),
        ("add_image", ("a", np.zeros((2, 5, 5))), "1, 3 or 4 channels, not 2"),
        ("add_image", ("a", np.zeros((3, 5))), r"does not fit an array of shape \[3, 5\]"),
        ("add_image", ("a", np.zeros((3, 5, 5)), 0, None, "CCH"), "HW, CHW or NCHW in any order"),
        ("add_video", ("a", np.zeros((3, 5, 5))), "does not fit a video"),
        ("add_audio", ("a", np.zeros((3, 5))), r"\[n\], \[1, n\] or \[n, 2\]"),
        ("add_text", ("a", b"bytes"), "it is text, not bytes"),
        ("add_pr_curve", ("a", [1], [0.5, 0.5]), "1 labels and 2 predictions"),
        ("add_mesh", ("a", np.zeros((5, 3))), r"vertex is \[batch, n, 3\]"),
        ("add_embedding", (np.zeros((2, 3)), ["one"]), "2 points and 1 labels"),
        ("add_embedding", (np.eye(2), ["a", "bc"], None, 0, "t", ["x"]), "1 names and a label 2 columns"),
        ("add_custom_scalars_marginchart", (["a", "b"],), "a margin chart has"),
        ("add_hparams", ([], {}), "hparam_dict is a mapping, not list"),
        ("add_hparams", ({"a": 1}, []), "metric_dict is a mapping, not list"),
        ("add_hparams", ({"a": 1}, {}, {"a": ["b"]}), "the domain of 'a'"),
    ],
)
def test_a_wrong_value_is_refused_and_the_rest_recorded(
    tmp_path: Path, method: str, arguments: tuple[Any, ...], problem: str
) -> None:
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises((ValueError, TypeError), match=problem):
            getattr(writer, method)(*arguments)
        writer.add_scalar("loss", 1.0, 3)
    assert accumulated(tmp_path)["."]["scalars"] == {"loss": [(3, 1)]}


def test_nested_hyperparameters_are_flat_and_a_bool_is_one(tmp_path: Path) -> None:
    parameters = {
        "optimizer": {"name": "adam", "lr": Decimal("0.5")},
        "amp": True,
        "none": None,
        "sizes": [1, 2],
    }
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(parameters, {"loss": 1}, run_name="trial")
    content, *_ = accumulated(tmp_path)["trial"]["described"]["_hparams_/session_start_info"]
    found = {name: value.ListFields()[0][1] for name, value in content.session_start_info.hparams.items()}
    assert found == {"optimizer/name": "adam", "optimizer/lr": 0.5, "amp": True, "sizes": "[1, 2]"}


def test_hyperparameters_are_those_of_the_run_and_others_are_another_trial(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_scalar("loss", step, step)
        writer.add_hparams({"lr": 0.1}, {})
        writer.add_hparams({"lr": 0.1}, {"acc": 0.5}, global_step=3)
        writer.add_hparams({"lr": 0.2}, {"acc": 0.75})
    found = accumulated(tmp_path)
    assert found.keys() == {".", "trial_2"}
    assert found["."]["scalars"].keys() == {"loss", "acc"}
    for run, rate in ((".", 0.1), ("trial_2", 0.2)):
        content, *_ = found[run]["described"]["_hparams_/session_start_info"]
        assert content.session_start_info.hparams["lr"].number_value == rate
    assert found["trial_2"]["scalars"] == {"acc": [(0, 0.75)]}


def test_digits_that_a_double_loses_are_text(tmp_path: Path) -> None:
    """Numbers of hyperparameters are doubles in TensorBoard's messages."""
    parameters = {"seed": 2**53 + 1, "least": -(2**70), "exact": 2**53, "lr": 1e300}
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(parameters, {}, {"seed": [2**53 + 1, 2**53 + 3]}, run_name="trial")
    described = accumulated(tmp_path)["trial"]["described"]
    content, *_ = described["_hparams_/session_start_info"]
    found = {name: value.ListFields()[0][1] for name, value in content.session_start_info.hparams.items()}
    assert found == {"seed": str(2**53 + 1), "least": str(-(2**70)), "exact": 2.0**53, "lr": 1e300}
    content, *_ = described["_hparams_/experiment"]
    [seed] = [info for info in content.experiment.hparam_infos if info.name == "seed"]
    assert [value.string_value for value in seed.domain_discrete.values] == [str(2**53 + 1), str(2**53 + 3)]
    assert seed.type == 1  # DATA_TYPE_STRING


def test_sounds_of_two_channels_and_pictures_with_alpha(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_audio("a", np.zeros((10, 2)), 1, 8000)
        writer.add_image("i", np.zeros((4, 2, 2), np.uint8), 1)
        writer.add_images("l", [np.zeros((3, 2, 2))] * 3, 1, dataformats="CHW")
    read = accumulated(tmp_path)["."]
    [(_, file, _, rate, frames)] = read["audio"]["a"]
    assert (rate, frames, file[22:24]) == (8000, 10, b"\2\0")
    assert read["images"]["i"][0][-1] == [[[[0, 0, 0, 0]] * 2] * 2]
    assert read["images"]["l"][0][1:3] == (6, 2)


def test_an_embedding_is_files_that_the_projector_reads(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        pictures = np.zeros((3, 3, 5, 5), np.uint8)
        writer.add_embedding(np.eye(3), [33, 44, 55], pictures, global_step=2, tag="a/b")
        labels = [(33, "test"), (44, "test"), (55, "train")]
        writer.add_embedding(np.eye(3, 2), labels, metadata_header=["digit", "set"])
    config = ProjectorConfig()
    text_format.Parse((tmp_path / "projector_config.pbtxt").read_text(encoding="utf-8"), config)
    first, second = config.embeddings
    assert (first.tensor_name, list(first.sprite.single_image_dim)) == ("a/b:00002", [5, 5])
    np.testing.assert_array_equal(np.loadtxt(tmp_path / first.tensor_path), np.eye(3))
    assert (tmp_path / first.sprite.image_path).read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / second.metadata_path).read_text().splitlines()[:2] == ["digit\tset", "33\ttest"]


def test_labels_with_line_breaks_and_tabs_stay_one_line_for_each_point(tmp_path: Path) -> None:
    breaks = ["a\nb", "a\r\nb", "a\tb", "a\rb\n", "a\u2028b", "\udce9"]
    with SummaryWriter(tmp_path) as writer:
        writer.add_embedding(np.eye(6), breaks, tag="column")
        writer.add_embedding(
            np.eye(6), [[one, 1] for one in breaks], tag="table", metadata_header=["x\ny", "n"]
        )
    column = (tmp_path / "00000/column/metadata.tsv").read_text(encoding="utf-8")
    assert column.split("\n") == ["a b"] * 5 + ["?", ""]
    table = (tmp_path / "00000/table/metadata.tsv").read_text(encoding="utf-8")
    assert table.split("\n") == ["x y\tn", *["a b\t1"] * 5, "?\t1", ""]


def test_messages_of_other_libraries_are_recorded(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        files = writer._get_file_writer()
        files.add_summary(Summary(value=[Summary.Value(tag="a", simple_value=2)]), 3, 4)
        files.add_event(Event(step=5, summary=Summary(value=[Summary.Value(tag="a", simple_value=6)])))
        assert files.get_logdir() == str(tmp_path)
    assert accumulated(tmp_path)["."]["scalars"] == {"a": [(3, 2), (5, 6)]}


def test_threads_do_not_mix_their_values(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:

        def record(thread: int) -> None:
            for step in range(2000):
                writer.add_scalar(str(thread), float(step), step)

        threads = [threading.Thread(target=record, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    expected = [(step, step) for step in range(2000)]
    assert accumulated(tmp_path)["."]["scalars"] == dict.fromkeys("0123", expected)


def test_other_ranks_record_nothing_and_say_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RANK", "1")
    with caplog.at_level(logging.WARNING), SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalar("a", 1.0, 1)
        writer.add_scalars("b", {"c": 1.0}, 1)
        writer.add_embedding(np.eye(3))
        writer.add_hparams({"a": 1}, {"b": 1})
        writer.flush()
        assert not writer.records
    assert not (tmp_path / "run").exists()
    [message] = caplog.messages
    assert "rank 1 records nothing" in message


def test_each_rank_has_a_run_of_its_own_on_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    with SummaryWriter(tmp_path, per_rank=True) as writer:
        writer.add_scalar("a", 1.0, 1)
        writer.add_scalars("b", {"c": 2.0}, 1)
    writer.add_scalar("a", 2.0, 2)  # opens again, in the same directory
    writer.close()
    with SummaryWriter(tmp_path / "mine", all_ranks=True) as writer:
        writer.add_scalar("a", 1.0, 1)
    found = {run: read["scalars"] for run, read in accumulated(tmp_path).items()}
    assert found == {
        "rank_1": {"a": [(1, 1), (2, 2)]},
        "rank_1/b_c": {"b": [(1, 2)]},
        "mine": {"a": [(1, 1)]},
    }


def test_a_pickled_writer_goes_on_in_a_file_of_its_own(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("a", 1.0, 1)
        with pickle.loads(pickle.dumps(writer)) as other:
            other.add_scalar("a", 2.0, 2)
    assert accumulated(tmp_path)["."]["scalars"] == {"a": [(1, 1), (2, 2)]}
    assert len(list(tmp_path.iterdir())) == 2


def test_nothing_is_written_without_write_to_disk(tmp_path: Path) -> None:
    with SummaryWriter(logdir=tmp_path / "run", write_to_disk=False) as writer:
        writer.add_scalar("a", 1.0, 1)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("package", "method", "arguments"),
    [
        ("PIL", "add_video", ("a", np.zeros((1, 2, 3, 4, 4)))),
        ("PIL", "add_image_with_boxes", ("a", np.zeros((3, 4, 4)), [[0, 0, 2, 2]])),
        ("matplotlib", "add_figure", ("a", None)),
        ("onnx", "add_onnx_graph", ("model.onnx",)),
    ],
)
def test_without_a_package_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, method: str, arguments: tuple[Any, ...]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    name = "pillow" if package == "PIL" else package
    with SummaryWriter(tmp_path) as writer, pytest.raises(ModuleNotFoundError, match=f"pip install {name}"):
        getattr(writer, method)(*arguments)


def test_videos_play_at_their_speed(tmp_path: Path) -> None:
    frames = np.zeros((3, 4, 1, 6, 8), np.uint8)
    frames[:, 1] = 255
    frames[:, 3] = 90
    with SummaryWriter(tmp_path) as writer:
        writer.add_video("v", frames, 1, fps=10)
    [(step, width, height, (kind, milliseconds), shown)] = accumulated(tmp_path)["."]["images"]["v"]
    assert (step, width, height, kind, milliseconds) == (1, 32, 6, "GIF", 100)
    assert np.shape(shown)[:3] == (4, 6, 32)
