"""What SummaryRecord takes, and what it refuses where it is added, with kind and name."""

from __future__ import annotations

import math
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from insight_record import SummaryRecord
from insight_record.arrays import array_of
from insight_record.encoders.encoder import DialectName
from tests.recording.reading import points

DIALECTS = pytest.mark.parametrize("dialect", ["mindspore", "tensorboard"])


@DIALECTS
def test_scalars_of_any_number_are_read_back(tmp_path: Path, dialect: DialectName) -> None:
    numbers = [0.1, 3, True, np.float32(0.5), np.int8(-3), np.array([2.5]), 1e300, np.nan, 10**400]
    with SummaryRecord(tmp_path, dialect=dialect) as record:
        for step, number in enumerate(numbers):
            record.add_value("scalar", "loss", number)
            record.record(step, wall_time=5.0 + step)
    expected = [np.float32(0.1), 3, 1, 0.5, -3, 2.5, np.inf, np.nan, np.inf]
    np.testing.assert_array_equal(points(tmp_path), [*enumerate(expected)])


@DIALECTS
def test_records_of_different_values_keep_their_order(tmp_path: Path, dialect: DialectName) -> None:
    steps = [0, 1, 127, 128, 2**31, 2**40, 3, -1, 2**63 - 1, -(2**63)] * 3
    with SummaryRecord(tmp_path, dialect=dialect) as record:
        for number, step in enumerate(steps):
            record.add_value("scalar", "loss", number)
            if number % 3 == 0:
                record.add_value("scalar", "löss/b", -number)
            if number % 4 == 0:
                record.add_value("tensor", "t", np.arange(number))
            record.record(step)
    assert points(tmp_path) == [(step, number) for number, step in enumerate(steps)]
    assert points(tmp_path, "löss/b") == [(steps[number], -number) for number in range(0, len(steps), 3)]


def test_values_are_those_of_when_they_were_added(tmp_path: Path) -> None:
    from insight_core.ingest.logdir import Logdir
    from insight_core.plugin.payloads import tensor_of
    from insight_core.providers.local import LocalProvider

    array = np.arange(6.0)
    with SummaryRecord(tmp_path, dialect="tensorboard", flush_seconds=60) as record:
        record.add_value("tensor", "t", array)
        array[:] = -1
        record.record(0)
    provider = LocalProvider([Logdir(str(tmp_path))], [], reload_interval=0)
    try:
        provider.load()
        [info] = provider.series("plugin:tensor")
        found = tensor_of(provider.payload("plugin:tensor", info.key, 0)).values
    finally:
        provider.close()
    assert found.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


class _Tensor:
    """Duck-types a tensor of PyTorch that lives elsewhere and has gradients."""

    dtype = "torch.bfloat16"

    def __init__(self, *calls: str) -> None:
        self.calls = list(calls)

    def __array__(self) -> None:
        raise RuntimeError("call detach() first")

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name not in ("detach", "cpu", "float", "numpy"):
            raise AttributeError(name)
        return lambda: np.array([1.5]) if name == "numpy" else _Tensor(*self.calls, name)


def test_tensors_of_frameworks_are_fetched(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "loss", _Tensor())
        record.add_value("histogram", "h", _Tensor())
        record.record(0)
    assert points(tmp_path) == [(0, 1.5)]


SQUARE = {"x": [0, 1], "y": [0, 1], "z": np.eye(2)}


@DIALECTS
@pytest.mark.parametrize(
    ("plugin", "value", "problem"),
    [
        ("scalar", "3", "a scalar is a number, not str"),
        ("scalar", None, "values of type NoneType are not real numbers"),
        ("scalar", 1j, "not real numbers"),
        ("scalar", [1.0, 2.0], r"one number, not an array of shape \[2\]"),
        ("scalar", [], "one number"),
        ("image", np.zeros((5, 6, 7)), "a picture is"),
        ("image", np.zeros((0, 3)), "no pixels"),
        ("image", b"GIF", "not a PNG, JPEG, GIF, WebP or BMP"),
        ("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "the PNG file ends within its header"),
        ("image", "cat.png", "not real numbers"),
        ("histogram", ["a"], "not real numbers"),
        ("histogram", np.array([1j]), "not real numbers"),
        ("tensor", np.array(["a"]), "of <U1|not real numbers"),
        ("tensor", np.array([object()]), "of object|not real numbers"),
        ("tensor", np.array(["2020-01-01"], "M8[D]"), "datetime64|not real numbers"),
        ("graph", b"\xff\xff", "the bytes are not a graph"),
        ("graph", b"", "not a graph: empty"),
        ("graph", [], "no nodes"),
        ("graph", "graph", "bytes or a list of nodes"),
        ("graph", [{"name": "a"}], "the op of 'a' is text"),
        ("graph", [{"name": "a", "op": "b", "input": []}], "did you mean 'inputs'"),
        ("graph", [{"name": "a", "op": "b", "inputs": ["c"]}], "unknown input 'c'"),
        ("graph", [{"name": "a", "op": "b"}] * 2, "more than one node has the name 'a'"),
        ("graph", [{"name": "a", "op": "b", "attributes": {"c": None}}], "'c' of 'a' is text, a number"),
        ("train_lineage", 3, "a mapping, not int"),
        ("train_lineage", {"hyper_parameter": {}}, "did you mean 'hyper_parameters'"),
        ("train_lineage", {"hyper_parameters": {"epoch": 1.5}}, "epoch is a whole number"),
        ("train_lineage", {"hyper_parameters": {"epoch": 2**31}}, "epoch is -2147483648 to 2147483647"),
        ("train_lineage", {"algorithm": {"network": 3}}, "network is text"),
        ("eval_lineage", {"metrics": {}}, "did you mean 'metric'"),
        ("custom_lineage_data", {"": 1}, "a name in custom_lineage_data is empty"),
        ("custom_lineage_data", {None: 1}, "keys of .* are text"),
        ("hparams", {"a": {"b": 1}, "a/b": 2}, "two values for 'a/b'"),
        ("dataset_graph", {"children": {}}, "children is a list"),
        ("dataset_graph", {"size": 2**40}, "size is -2147483648"),
        ("loss_landscape", {}, "has a 'landscape'"),
        ("loss_landscape", {"landscape": {"x": [0], "y": [0]}}, "landscape has no z"),
        ("loss_landscape", {"landscape": SQUARE | {"x": [0, 1, 2]}}, r"x is of shape \[3\]"),
        ("loss_landscape", {"landscape": SQUARE, "loss_path": {"points": SQUARE}}, "no intervals"),
        ("loss_landscape", {"landscape": SQUARE, "convergence_point": SQUARE}, "not one number"),
        ("sound", b"", "dialect has no 'sound': it has scalar, image"),
    ],
)
def test_a_wrong_value_is_refused_where_it_is_added(
    tmp_path: Path,
    dialect: DialectName,
    plugin: str,
    value: object,
    problem: str,
) -> None:
    with SummaryRecord(tmp_path, dialect=dialect) as record:
        with pytest.raises((ValueError, TypeError), match=rf"(?s){plugin} 'a name': .*({problem})"):
            record.add_value(plugin, "a name", value)
        record.add_value("scalar", "loss", 1.0)
        record.record(3)
    assert points(tmp_path) == [(3, 1.0)]


@pytest.mark.parametrize(
    ("plugin", "value"), [("text", "words"), ("tensor", np.array([1j])), ("audio", np.zeros(8))]
)
def test_what_mindspore_has_no_place_for_goes_into_a_file_of_tensorboard(
    tmp_path: Path, plugin: str, value: object
) -> None:
    with SummaryRecord(tmp_path, dialect="mindspore") as record:
        record.add_value(plugin, "a", value)
        record.add_value("scalar", "loss", 1.0)
        record.record(3)
    assert points(tmp_path) == [(3, 1.0)]
    [written] = tmp_path.glob("*.tfevents.*")
    read = EventAccumulator(str(written), {"tensors": 0, "audio": 0}).Reload()
    assert "a" in read.Tags()["tensors"] + read.Tags()["audio"]


@pytest.mark.parametrize("name", ["", 3, None, "\ud800"])
def test_a_wrong_name_is_refused(tmp_path: Path, name: Any) -> None:  # noqa: ANN401
    with SummaryRecord(tmp_path) as record:
        for plugin in ("scalar", "histogram"):
            with pytest.raises((ValueError, TypeError), match=plugin):
                record.add_value(plugin, name, 1.0)


@pytest.mark.parametrize(
    ("step", "error"), [(2**63, ValueError), (-(2**63) - 1, ValueError), (1.5, TypeError)]
)
def test_a_wrong_step_leaves_the_values_for_the_next(
    tmp_path: Path,
    step: int,
    error: type[Exception],
) -> None:
    with SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "loss", 1.0)
        with pytest.raises(error, match=f"a step is a whole number.*{step}"):
            record.record(step)
        record.record(np.int64(7))
        record.record(8)
    assert points(tmp_path) == [(7, 1.0)]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"dialect": "torch"}, "dialect must be"),
        ({"file_prefix": "a/b"}, "part of a file's name"),
        ({"max_file_size": 0}, "max_file_size"),
        ({"queue_size": 0}, "queue_size"),
        ({"on_full": "wait"}, "on_full"),
        ({"flush_seconds": -1}, "flush_seconds"),
        ({"flush_seconds": math.nan}, "flush_seconds"),
        ({"flush_seconds": "1"}, "flush_seconds"),
        ({"max_file_size": "1M"}, "max_file_size must be a whole number, not '1M'"),
        ({"rank": -1}, "rank must be 0 or more"),
        ({"rank": 1.5}, "rank must be a whole number"),
        ({"file_suffix": "_lineage"}, "_lineage"),
    ],
)
def test_a_wrong_argument_is_named(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    with pytest.raises((ValueError, TypeError), match=problem):
        SummaryRecord(tmp_path / "new", **change)
    assert not (tmp_path / "new").exists()


def test_a_wrong_wall_time_is_named(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as record:
        record.add_value("scalar", "loss", 1.0)
        with pytest.raises(TypeError, match="a wall time is a number of seconds, not 'now'"):
            record.record(1, "now")  # type: ignore[arg-type]
        record.record(2)
    assert points(tmp_path) == [(2, 1.0)]


def test_what_no_message_can_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insight_record.summary_record.LONGEST_VALUE", 4000)
    with SummaryRecord(tmp_path) as record:
        record.add_value("tensor", "t", np.zeros(1000, np.int8))
        with pytest.raises(ValueError, match="tensor 't': it takes 4004 bytes; at most 4000"):
            record.add_value("tensor", "t", np.zeros(1001, np.int8))
        record.add_value("histogram", "h", np.zeros(1001))  # only its buckets are written


def test_what_is_masked_is_nan(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as record:
        for number in (np.ma.masked, np.ma.masked_array(3, True), np.ma.masked_array([3], [False])):
            record.add_value("scalar", "loss", number)
            record.record(0)
    assert str(points(tmp_path)) == "[(0, nan), (0, nan), (0, 3.0)]"
    integers = np.ma.masked_array([1, 2, 3], [False, True, False])
    np.testing.assert_array_equal(array_of(integers), [1.0, np.nan, 3.0])
    floats = array_of(np.ma.masked_array(np.ones(2, np.float32), [False, True]))
    assert (floats.dtype.name, np.isnan(floats).tolist()) == ("float32", [False, True])


@pytest.mark.frameworks
def test_views_and_short_floats_of_torch() -> None:
    torch = pytest.importorskip("torch")
    numbers = torch.tensor([1 + 2j, 3 - 4j])
    assert array_of(numbers.conj()).tolist() == [1 - 2j, 3 + 4j]
    assert array_of(numbers.conj().imag).tolist() == [-2.0, 4.0]
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        assert array_of(torch.tensor([1.5, -2.0]).to(getattr(torch, name))).tolist() == [1.5, -2.0]
    with pytest.raises(TypeError, match=r"Tensor is not an array: .*to_dense"):
        array_of(torch.eye(2).to_sparse())


def test_custom_lineage_data_is_the_same_in_both_dialects(tmp_path: Path) -> None:
    """What MindSpore's message has no type for is said by another, and what none can hold is refused."""
    with SummaryRecord(tmp_path) as record:
        record.add_value("custom_lineage_data", "custom", {"nesterov": True, "seed": 2**40})
        with pytest.raises(ValueError, match=r"'seed' is .*: use text"):
            record.add_value("custom_lineage_data", "custom", {"seed": 2**60})
        record.record(0)
    [lineage] = tmp_path.glob("*_lineage")
    data = lineage.read_bytes()
    assert b"nesterov\x12\x04true" in data
    assert b"seed\x11" + struct.pack("<d", 2.0**40) in data


def test_small_floats_of_ml_dtypes(tmp_path: Path) -> None:
    values = np.array([1.5, -2.0, np.inf], ml_dtypes.bfloat16)
    dialects: tuple[DialectName, ...] = ("mindspore", "tensorboard")
    for dialect in dialects:
        with SummaryRecord(tmp_path / dialect, dialect=dialect) as record:
            record.add_value("tensor", "t", values)
            record.add_value("histogram", "h", values)
            record.add_value("scalar", "loss", values[0])
            record.record(0)
        assert points(tmp_path / dialect) == [(0, 1.5)]


def test_the_package_needs_numpy_alone(repository: Path) -> None:
    program = (
        f"import sys; sys.path[:0] = [{str(repository)!r}]\n"
        "import insight_record.summary_record\n"
        "for name in ('mindspore', 'tensorboard'):\n"
        "    insight_record.summary_record.encoder_of(name)\n"
        "names = {name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names)\n"
        "print(sorted(name for name in names if not name.startswith(('_', 'cython', 'numpy', 'site'))))\n"
        "print(sorted({'.'.join(n.split('.')[:2]) for n in sys.modules if n.startswith('insight_core.')}))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(Path(np.__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["['insight_record']", "[]"]
