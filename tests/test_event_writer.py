"""What EventWriter writes of pictures, histograms and tensors, read by other decoders than ours."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from insight_authoring.testing import tensors
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect
from insight_core.plugin.data import DataProvider, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.rpc.schema import mindspore_pb2 as mindspore
from insight_core.rpc.schema import tensorboard_pb2 as tensorboard
from tests.support.pictures import png

BOTH = pytest.mark.parametrize("dialect", list(Dialect))
VALUES = np.random.default_rng(0).normal(0, 2, 1000)


def loaded(logdir: Path) -> LocalProvider:
    provider = LocalProvider([Logdir(str(logdir))], [], reload_interval=0)
    provider.load()
    return provider


def payloads(provider: DataProvider, claim: str, tag: str) -> list[bytes]:
    key = SeriesKey(".", tag)
    count = len(provider.records(claim, key).steps)
    return [provider.payload(claim, key, index).data for index in range(count)]


@pytest.mark.parametrize("shape", [(1, 1), (5, 3, 1), (5, 3, 2), (4, 7, 3), (2, 9, 4)])
def test_pictures(shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    with Image.open(io.BytesIO(png(pixels))) as picture:
        picture.load()
        decoded = np.asarray(picture)
    np.testing.assert_array_equal(decoded.reshape(pixels.shape), pixels)


def test_a_batch_of_pictures(tmp_path: Path) -> None:
    with EventWriter(tmp_path) as writer:
        for step in range(2):
            writer.images_tf2("b", step, [b"one", b"two"], 3, 4, display_name="Batch", description="of two")
    provider = loaded(tmp_path)
    for data in payloads(provider, "plugin:images", "b"):
        tensor = tensorboard.TensorProto.FromString(data)
        assert list(tensor.string_val) == [b"3", b"4", b"one", b"two"]
        assert [dim.size for dim in tensor.tensor_shape.dim] == [4]
    [info] = provider.series("plugin:images")
    assert (info.display_name, info.description, info.data_class, info.points) == ("Batch", "of two", 3, 2)


@BOTH
def test_long_payloads_have_their_checksum(tmp_path: Path, dialect: Dialect) -> None:
    with EventWriter(tmp_path, dialect) as writer:
        writer.image("i", 0, bytes(300_000), 1, 1)
    provider = loaded(tmp_path)
    assert len(payloads(provider, f"{dialect}:image", "i")[0]) > 300_000
    assert provider.damage() == []


def test_a_histogram_as_torch_writes_it(tmp_path: Path) -> None:
    with EventWriter(tmp_path) as writer:
        writer.histogram("h", 0, VALUES)
        writer.histogram("h", 1, [0.0, 0.0])
        writer.histogram("h", 2, [])
    some, zeros, none = (
        tensorboard.HistogramProto.FromString(data)
        for data in payloads(loaded(tmp_path), "tensorboard:histo", "h")
    )
    assert (some.min, some.max, some.num) == (VALUES.min(), VALUES.max(), 1000)
    assert (some.sum, some.sum_squares) == pytest.approx((VALUES.sum(), (VALUES**2).sum()))
    limits, counts = np.array(some.bucket_limit), np.array(some.bucket)
    assert counts.sum() == 1000
    for limit, up_to in zip(limits, np.cumsum(counts), strict=True):
        assert (limit >= VALUES).sum() == up_to
    assert counts[0] == 0
    assert (list(zeros.bucket), zeros.bucket_limit[-1], zeros.max) == ([0.0, 2.0], 1e-12, 0.0)
    assert (list(none.bucket), none.num) == ([0.0], 0)


def test_a_histogram_as_mindspore_writes_it(tmp_path: Path) -> None:
    odd = [*VALUES, np.nan, np.inf, np.inf, -np.inf]
    with EventWriter(tmp_path, "mindspore") as writer:
        writer.histogram("h", 0, odd)
        writer.histogram("h", 1, [3.0] * 4)
        writer.histogram("h", 2, [np.nan])
    some, equal, none = (
        mindspore.Summary.Histogram.FromString(data)
        for data in payloads(loaded(tmp_path), "mindspore:histogram", "h")
    )
    assert (some.nan_count, some.pos_inf_count, some.neg_inf_count, some.count) == (1, 2, 1, 1004)
    assert (some.min, some.max) == (VALUES.min(), VALUES.max())
    assert len(some.buckets) == 90
    assert sum(bucket.count for bucket in some.buckets) == 1000
    assert some.buckets[0].left == VALUES.min()
    assert some.buckets[-1].left + some.buckets[-1].width == pytest.approx(VALUES.max())
    assert [(b.left, b.width, b.count) for b in equal.buckets] == [(3.0, 0.0, 4)]
    assert (none.nan_count, none.count) == (1, 1)
    assert np.isnan(none.min)


def test_a_histogram_as_tensorflow_writes_it(tmp_path: Path) -> None:
    with EventWriter(tmp_path) as writer:
        writer.histogram_tf2("h", 0, VALUES)
        writer.histogram_tf2("h", 1, [2.5] * 7, bins=3)
        writer.histogram_tf2("h", 2, [])
    some, equal, none = (
        read_tensorflow(data) for data in payloads(loaded(tmp_path), "plugin:histograms", "h")
    )
    np.testing.assert_array_equal(some[:, 2], np.histogram(VALUES, 30)[0])
    assert (some[0, 0], some[-1, 1]) == (VALUES.min(), VALUES.max())
    assert equal.tolist() == [[2.5, 2.5, 0], [2.5, 2.5, 0], [2.5, 2.5, 7]]
    assert none.shape == (30, 3)
    assert not none.any()


def test_broken_histograms() -> None:
    torn = tensorboard.HistogramProto.FromString(
        tensors.histogram_proto_of([1.0, 2.0], [5.0], least=-1, largest=9)
    )
    assert (len(torn.bucket_limit), len(torn.bucket), torn.min, torn.max) == (2, 1, -1, 9)
    negative = mindspore.Summary.Histogram.FromString(
        tensors.mindspore_histogram_of([0.0], [-1.0], [-3], [1.0])
    )
    assert [(b.left, b.width, b.count) for b in negative.buckets] == [(0.0, -1.0, -3)]


def read_tensorflow(data: bytes) -> NDArray[np.float64]:
    tensor = tensorboard.TensorProto.FromString(data)
    assert tensor.dtype == tensorboard.DT_DOUBLE
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    return np.frombuffer(tensor.tensor_content, np.float64).reshape(shape)


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NUMBERS = ("float32", "float64", "bool", *INTEGERS)
FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "uint32": "uint32_val",
    "uint64": "uint64_val",
}


@pytest.mark.parametrize("name", [*NUMBERS, "float16", "complex64", "complex128"])
def test_tensors_of_tensorflow(tmp_path: Path, name: str) -> None:
    values = (np.arange(6).reshape(2, 3) - (0 if name[0] in "ub" else 3)).astype(name)
    with EventWriter(tmp_path) as writer:
        writer.tensor("t", 0, values, plugin="")
        writer.tensor("t", 1, values, plugin="", typed=True)
    provider = loaded(tmp_path)
    assert list(provider.plugins()) == ["tensorboard:tensor"]
    content, typed = (
        tensorboard.TensorProto.FromString(data) for data in payloads(provider, "tensorboard:tensor", "t")
    )
    for tensor in (content, typed):
        assert tensor.dtype == tensors.TENSORFLOW_NUMBERS[name]
        assert [dim.size for dim in tensor.tensor_shape.dim] == [2, 3]
    np.testing.assert_array_equal(np.frombuffer(content.tensor_content, name).reshape(2, 3), values)
    assert not typed.tensor_content
    if name == "float16":
        written = np.array(typed.half_val, np.uint16).view(np.float16)
    elif name.startswith("complex"):
        parts = typed.scomplex_val if name == "complex64" else typed.dcomplex_val
        written = np.array(parts).reshape(-1, 2) @ np.array([1, 1j])
    else:
        written = np.array(getattr(typed, FIELDS.get(name, "int_val")))
    np.testing.assert_array_equal(written.reshape(2, 3), values)


def test_tensors_of_strings_and_of_what_they_are_not(tmp_path: Path) -> None:
    with EventWriter(tmp_path) as writer:
        writer.tensor("t", 0, [["a", "β"], ["", "d"]])
        writer.tensor("t", 1, np.array([0x3F80], np.uint16), dtype="bfloat16", shape=[4, -1])
    texts, other = (
        tensorboard.TensorProto.FromString(data) for data in payloads(loaded(tmp_path), "plugin:tensor", "t")
    )
    assert list(texts.string_val) == [b"a", "β".encode(), b"", b"d"]
    assert other.dtype == tensorboard.DT_BFLOAT16
    assert other.tensor_content == b"\x80\x3f"
    assert [dim.size for dim in other.tensor_shape.dim] == [4, -1]
    repeated = tensorboard.TensorProto.FromString(
        tensors.tensorflow_tensor([7, 8, 8, 8], typed=True, count=2)
    )
    assert (list(repeated.int64_val), repeated.tensor_shape.dim[0].size) == ([7, 8], 4)


@pytest.mark.parametrize("name", NUMBERS)
def test_tensors_of_mindspore(tmp_path: Path, name: str) -> None:
    values = np.arange(6).reshape(1, 2, 3).astype(name)
    with EventWriter(tmp_path, "mindspore") as writer:
        writer.tensor("t", 0, values)
        writer.tensor("t", 1, values, shape=[9, 9])
        writer.tensor("t", 2, np.array(1.5))
    whole, torn, single = (
        mindspore.TensorProto.FromString(data) for data in payloads(loaded(tmp_path), "mindspore:tensor", "t")
    )
    assert whole.data_type == tensors.MINDSPORE_NUMBERS[name]
    assert list(whole.dims) == [1, 2, 3]
    np.testing.assert_array_equal(np.array(whole.float_data).reshape(1, 2, 3), values.astype(np.float32))
    assert list(torn.dims) == [9, 9]
    assert (list(single.dims), list(single.float_data)) == ([], [1.5])
    assert tensors.mindspore_tensor(values, raw=True).endswith(values.tobytes())
