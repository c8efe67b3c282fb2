"""Lineage files of MindSpore: what they say together, and files that say too little."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_lineage import hparams
from insight_lineage.decoder import decoded
from insight_lineage.mindspore import file_order, flattened, joined, lineage_of

from insight_authoring.testing import wire
from insight_core.plugin import FileName, SummaryPlugin, encode_json
from insight_core.plugin.data import Payload

WHOLE = Path(__file__).parents[3] / "examples/logs/mindspore/lenet_lr0.01"


def _files() -> list[bytes]:
    return [path.read_bytes() for path in sorted(WHOLE.glob("*_lineage"), key=lambda p: file_order(p.name))]


def test_a_run_with_two_files() -> None:
    run = joined(map(lineage_of, _files()))
    assert run.cells["learning_rate"] == 0.01
    assert run.cells["metric/Accuracy"] == 0.2646484375
    assert run.cells["custom/git"] == "abc"
    assert run.pipeline is not None
    assert [stage.name for stage in run.pipeline] == ["GeneratorDataset", "Map", "Map", "Shuffle", "Batch"]
    assert run.cells["pipeline/Batch"] == (
        "batch_size: 32, connector_queue_size: 16, drop_remainder: true, num_parallel_workers: 2"
    )
    assert run.cells["pipeline/Map#2/HwcToChw"] == "tensor_op_params: none"


def test_training_again_begins_anew_and_an_evaluation_does_not() -> None:
    first, second = map(lineage_of, _files())
    assert "metric/Accuracy" not in joined([first, second, first]).cells
    assert "metric/Accuracy" in joined([first, second, second]).cells
    assert joined([second]).cells.keys() == {"metric/Accuracy", "test_dataset_count"}


def test_a_file_that_is_cut_off_anywhere_gives_what_is_whole() -> None:
    for data in _files():
        whole = lineage_of(data)
        assert whole.problems == ()
        for end in range(0, len(data), 7):
            cut = lineage_of(data[:end])
            assert cut.trained in (None, whole.trained)
            assert cut.pipeline in (None, whole.pipeline)
            assert len(cut.problems) <= 1
        assert "ends within the record" in lineage_of(data[:-20]).problems[0]


@given(st.integers(0, 5000), st.integers(0, 255))
def test_a_changed_byte_costs_what_it_is_in(place: int, value: int) -> None:
    data = bytearray(_files()[0])
    data[place % len(data)] = value
    lineage_of(bytes(data))


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    lineage_of(data)
    for read in (hparams.metrics_of, hparams.session_of, hparams.status_of):
        try:
            read(data)
        except ValueError as error:
            assert str(error)  # noqa: PT017  # an error without a message is a bug


@pytest.mark.parametrize(
    ("metrics", "says"),
    [("{", "not valid JSON"), ("[1]", "not a JSON object"), ("[" * 100_000, "not valid JSON")],
)
def test_metrics_that_are_none_are_named(metrics: str, says: str) -> None:
    event = wire.record(wire.message_field(7, wire.message_field(2, metrics.encode())))
    [problem] = lineage_of(event).problems
    assert says in problem
    assert "byte 12" in problem


def test_nested_values() -> None:
    values = {"a": {"b": {"c": 1}}, "d": [1, "x"], "e": None, "f": math.nan, "g": 1 << 70, "h": True}
    found = dict(flattened(values))
    assert math.isnan(found.pop("f"))  # type: ignore[arg-type]
    assert found == {"a/b/c": 1, "d": [1, "x"], "g": str(1 << 70), "h": True}
    deep: dict[str, object] = {}
    for _ in range(5000):
        deep = {"x": deep}
    [(name, value)] = flattened(deep)
    assert (name.count("/"), value) == (20, "…")


@pytest.mark.parametrize("depth", [100, 600, 950])
def test_a_list_too_deep_for_json_costs_only_itself(depth: int) -> None:
    metrics = '{"deep": ' + "[" * depth + "NaN" + "]" * depth + ', "y": 1}'
    event = wire.record(wire.message_field(7, wire.message_field(2, metrics.encode())))
    with ThreadPoolExecutor(1) as fresh:  # whose stack is not as deep as that of a runner of tests
        file = fresh.submit(lineage_of, event).result()
    assert (file.problems, file.metrics) == ((), file.metrics)
    assert file.metrics is not None
    assert file.metrics["metric/y"] == 1
    assert b"\\u2026" in encode_json(file.metrics["metric/deep"])


def test_a_record_that_was_changed_is_left_out_and_named() -> None:
    first, second = _files()
    content = first.index(b"Momentum")
    file = lineage_of(first[:content] + b"X" + first[content + 1 :] + second)
    assert (file.trained, file.metrics is None) == (None, False)
    assert file.problems == ("the record at byte 957 does not have its checksum",)
    file = lineage_of(first + b"\x01" + second[1:])
    assert (file.trained is None, file.metrics) == (False, None)
    assert f"the length of the record at byte {len(first)}" in file.problems[0]


def test_files_are_in_the_order_of_their_time_then_backwards_by_name() -> None:
    names = ["a.summary.2.b", "z.summary.10.b", "c.summary.10.b", "nothing"]
    assert sorted(names, key=file_order) == ["nothing", "a.summary.2.b", "z.summary.10.b", "c.summary.10.b"]


def test_the_decoder_reads_files_and_has_no_values_of_hparams() -> None:
    trained = decoded(Payload(_files()[0], FileName("*_lineage"))).trained
    assert trained is not None
    assert trained["epoch"] == 4
    with pytest.raises(ValueError, match="hparams"):
        decoded(Payload(b"", SummaryPlugin("hparams")))
