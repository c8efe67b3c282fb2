"""Numbers of layers against numpy on the arrays that were recorded, in every form of a record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from insight_authoring.testing.tensors import (
    histogram_proto,
    histogram_tensor,
    mindspore_histogram,
    mindspore_tensor,
    tensorflow_tensor,
)
from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin
from insight_core.plugin.payloads import HISTO
from insight_layers.histograms import measured_histograms
from insight_layers.measured import (
    MEASURED,
    NAN,
    NEG_INF,
    POS_INF,
    UNREADABLE,
    MeasuredRecords,
    measured_tensors,
)

_OF_MINDSPORE = EventField(Dialect.MINDSPORE, "histogram")
_OF_TENSORFLOW = SummaryPlugin("histograms")

Values = NDArray[Any]
NANS, INFS = np.array([1.0, np.nan, 3.0, np.nan]), np.array([np.inf, 1.0, -np.inf, 0.0])


def _column(found: MeasuredRecords, name: str) -> NDArray[np.float64]:
    return np.asarray(found.numbers[:, [str(one) for one in MEASURED].index(name)], np.float64)


def _arrays(count: int) -> list[Values]:
    rng = np.random.default_rng(3)
    shapes = [(7,), (40, 5), (3, 4, 5), (1,)]
    arrays = [rng.normal(rng.normal(), 10.0 ** rng.integers(-3, 3), shapes[i % 4]) for i in range(count)]
    return [np.maximum(array, 0) if i % 3 == 0 else array for i, array in enumerate(arrays)]


def test_histograms_of_torch_have_the_mean_deviation_and_size_of_the_values() -> None:
    arrays = [*_arrays(40), np.zeros(9), np.full(5, -2.5)]
    found = measured_histograms(HISTO, [histogram_proto(array) for array in arrays])
    np.testing.assert_allclose(_column(found, "mean"), [array.mean() for array in arrays], atol=1e-12)
    np.testing.assert_allclose(_column(found, "std"), [array.std() for array in arrays], rtol=1e-5, atol=1e-7)
    sizes = [np.sqrt((array**2).mean()) for array in arrays]
    np.testing.assert_allclose(_column(found, "size"), sizes, rtol=1e-9)
    np.testing.assert_array_equal(_column(found, "zeros"), [(array == 0).mean() for array in arrays])
    assert not found.flags.any()
    assert not _column(found, "nonfinite").any()


def _as_torch(values: Values) -> bytes:
    """Encoded by protobuf, which leaves out fields of the value 0. No bucket counts what is not finite."""
    from tensorboard.compat.proto.histogram_pb2 import HistogramProto

    edges = np.array([-1e20, -1.0, -1e-12, 0.0, 1e-12, 1.0, 2.0, 1e20])
    counts, limits = np.histogram(values[np.isfinite(values)], edges)
    with np.errstate(invalid="ignore"):
        sums = float(values.sum()), float(values.dot(values))
    return bytes(
        HistogramProto(
            min=values.min(),
            max=values.max(),
            num=len(values),
            sum=sums[0],
            sum_squares=sums[1],
            bucket_limit=limits[1:],
            bucket=counts,
        ).SerializeToString()
    )


def test_fields_that_are_0_and_thus_left_out_are_read_as_such() -> None:
    """The smallest output of a ReLU is 0."""
    arrays = [np.array([0.0, 0, 0, 2]), np.array([-3.0, 3]), np.zeros(3), np.array([-2.0, 0, 0])]
    found = measured_histograms(HISTO, [_as_torch(array) for array in arrays])
    np.testing.assert_allclose(_column(found, "zeros"), [0.75, 0, 1, 2 / 3])
    np.testing.assert_allclose(_column(found, "mean"), [array.mean() for array in arrays])
    np.testing.assert_allclose(_column(found, "size"), [np.sqrt((array**2).mean()) for array in arrays])


def test_values_that_are_not_finite_are_those_that_no_bucket_counts() -> None:
    found = measured_histograms(HISTO, [_as_torch(NANS), _as_torch(INFS), _as_torch(np.array([1.0, np.inf]))])
    np.testing.assert_array_equal(_column(found, "nonfinite"), [2, 2, 1])
    assert found.flags.tolist() == [NAN, POS_INF | NEG_INF, POS_INF]


def test_one_damaged_histogram_leaves_the_others() -> None:
    good = histogram_proto(np.arange(5.0))
    found = measured_histograms(HISTO, [good, good[:-3], b"", good])
    assert found.flags[1] == UNREADABLE
    np.testing.assert_array_equal(_column(found, "mean")[[0, 3]], 2.0)


@pytest.mark.parametrize(
    ("claim", "encode"),
    [
        (_OF_MINDSPORE, mindspore_histogram),
        (_OF_TENSORFLOW, histogram_tensor),
    ],
    ids=["mindspore", "tensorflow 2"],
)
def test_buckets_without_sums_give_nearly_the_same(claim: Claim, encode: Any) -> None:  # noqa: ANN401
    array = np.random.default_rng(1).normal(3, 2, 5000)
    found = measured_histograms(claim, [encode(array)])
    np.testing.assert_allclose(_column(found, "mean"), array.mean(), rtol=0.02)
    np.testing.assert_allclose(_column(found, "std"), array.std(), rtol=0.05)
    assert np.isnan(_column(found, "zeros")[0])  # the bucket around 0 is wide: nobody knows


def test_all_zeros_are_told_by_any_histogram() -> None:
    for claim, encode in (
        (_OF_MINDSPORE, mindspore_histogram),
        (_OF_TENSORFLOW, histogram_tensor),
    ):
        assert _column(measured_histograms(claim, [encode(np.zeros(8))]), "zeros")[0] == 1


def test_mindspore_counts_what_is_not_finite() -> None:
    found = measured_histograms(_OF_MINDSPORE, [mindspore_histogram(INFS), mindspore_histogram(NANS)])
    np.testing.assert_array_equal(found.flags, [POS_INF | NEG_INF, NAN])
    np.testing.assert_array_equal(_column(found, "nonfinite"), [2, 2])
    np.testing.assert_allclose(_column(found, "mean"), [0.5, 2.0], atol=0.2)


@pytest.mark.parametrize(
    ("claim", "encode"),
    [
        (EventField(Dialect.TENSORBOARD, "tensor"), tensorflow_tensor),
        (EventField(Dialect.MINDSPORE, "tensor"), mindspore_tensor),
    ],
    ids=["tensorboard", "mindspore"],
)
def test_tensors_are_exact(claim: Claim, encode: Any) -> None:  # noqa: ANN401
    arrays = [array.astype(np.float32) for array in (*_arrays(8), NANS, INFS)]
    found = measured_tensors(claim, [encode(array) for array in arrays], "weight")
    finite = [array[np.isfinite(array)].astype(np.float64) for array in arrays]
    np.testing.assert_allclose(_column(found, "mean"), [array.mean() for array in finite], rtol=1e-12)
    np.testing.assert_allclose(_column(found, "std"), [array.std() for array in finite], rtol=1e-9)
    np.testing.assert_array_equal(_column(found, "zeros"), [(array == 0).mean() for array in arrays])
    np.testing.assert_array_equal(_column(found, "nonfinite"), [*[0] * 8, 2, 2])
    assert found.flags[-2:].tolist() == [NAN, POS_INF | NEG_INF]


def test_dead_units_are_those_that_are_0_for_the_whole_batch() -> None:
    outputs = np.maximum(np.random.default_rng(5).normal(size=(64, 10)), 0).astype(np.float32)
    outputs[:, [2, 7]] = 0
    claim = EventField(Dialect.TENSORBOARD, "tensor")
    found = measured_tensors(claim, [tensorflow_tensor(outputs)], "activation")
    assert _column(found, "dead")[0] == pytest.approx(0.2)
    assert np.isnan(_column(measured_tensors(claim, [tensorflow_tensor(outputs)], "weight"), "dead")[0])


def test_texts_are_no_numbers() -> None:
    claim = EventField(Dialect.TENSORBOARD, "tensor")
    found = measured_tensors(claim, [tensorflow_tensor(np.array([b"a"], object))], "weight")
    assert found.flags[0] == UNREADABLE
