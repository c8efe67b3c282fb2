"""Histograms as writers encode them: TensorBoard's, MindSpore's, TensorFlow 2's."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.formats.histogram_messages import histogram_proto, mindspore_histogram
from insight_core.formats.histograms import Histogram
from insight_core.plugin import Dialect, EventField, SummaryPlugin
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import HISTO, decoded_histogram
from insight_core.rpc.schema import mindspore_pb2 as mindspore
from insight_core.rpc.schema import tensorboard_pb2 as tensorboard

_OF_MINDSPORE = EventField(Dialect.MINDSPORE, "histogram")
_OF_TENSORFLOW = SummaryPlugin("histograms")

NAN, INF, LARGEST = float("nan"), float("inf"), 1.7976931348623157e308


def _proto(limits: list[float], counts: list[float], **numbers: float) -> Histogram:
    message = tensorboard.HistogramProto(bucket_limit=limits, bucket=counts, **numbers)
    return decoded_histogram(Payload(message.SerializeToString(), HISTO))


def _mindspore(buckets: list[tuple[float, float, int]], **numbers: float) -> mindspore.Summary.Histogram:
    rows = [mindspore.Summary.Histogram.Bucket(left=a, width=b, count=c) for a, b, c in buckets]
    return mindspore.Summary.Histogram(buckets=rows, **numbers)  # type: ignore[arg-type]


def _decoded(message: mindspore.Summary.Histogram) -> Histogram:
    return decoded_histogram(Payload(message.SerializePartialToString(), _OF_MINDSPORE))


def _matrix(
    rows: list[tuple[float, float, float]], dtype: tensorboard.DataType = tensorboard.DT_DOUBLE
) -> Histogram:
    shape = tensorboard.TensorShapeProto(
        dim=[tensorboard.TensorShapeProto.Dim(size=size) for size in (len(rows), 3)]
    )
    content = np.array(rows, "<f8" if dtype == tensorboard.DT_DOUBLE else "<f4").tobytes()
    message = tensorboard.TensorProto(dtype=dtype, tensor_shape=shape, tensor_content=content)
    return decoded_histogram(Payload(message.SerializeToString(), _OF_TENSORFLOW))


def _rows(found: Histogram) -> list[tuple[float, float, float]]:
    return list(zip(found.left.tolist(), found.right.tolist(), found.counts.tolist(), strict=True))


# --- TensorBoard's HistogramProto ---------------------------------------------------------------


def test_the_outer_buckets_end_at_the_smallest_and_largest_value() -> None:
    found = _proto([1, 2, LARGEST], [2, 3, 4], min=0.5, max=7, num=9, sum=18)
    assert _rows(found) == [(0.5, 1, 2), (1, 2, 3), (2, 7, 4)]
    assert (found.min, found.max, found.mean, found.count) == (0.5, 7, 2, 9)


def test_empty_buckets_beyond_the_values_are_left_out() -> None:
    # as SummaryWriter of PyTorch: the first limit is the left edge of the first bucket that counts
    found = _proto([1, 2, 3, LARGEST], [0, 5, 1, 0], min=1.5, max=2.5, num=6, sum=12)
    assert _rows(found) == [(1.5, 2, 5), (2, 2.5, 1)]


def test_values_that_are_all_equal_are_a_bucket_of_no_width() -> None:
    found = _proto([0, 1e-12, LARGEST], [0, 8, 0], num=8)
    assert _rows(found) == [(0, 0, 8)]
    assert (found.min, found.max, found.mean) == (0, 0, 0)


def test_bounds_that_leave_values_outside_are_not_believed() -> None:
    found = _proto([1, 2, 3], [0, 5, 1], num=6, sum=9)  # min and max left out
    assert _rows(found) == [(1, 2, 5), (2, 3, 1)]
    assert (found.min, found.max, found.mean) == (None, None, None)


@pytest.mark.parametrize("limits", [[LARGEST], [], [-LARGEST, LARGEST], [INF]])
def test_an_empty_histogram_has_no_buckets(limits: list[float]) -> None:
    # as the accumulator of TensorFlow 1 begins
    found = _proto(limits, [0] * len(limits), min=LARGEST, max=-LARGEST)
    assert _rows(found) == []
    assert (found.count, found.min, found.max, found.mean) == (0, None, None, None)


def test_nothing_at_all_is_an_empty_histogram() -> None:
    assert _rows(decoded_histogram(Payload(b"", HISTO))) == []
    assert _rows(decoded_histogram(Payload(b"", _OF_MINDSPORE))) == []


def test_a_bucket_without_an_end_has_its_values_at_the_other() -> None:
    assert _rows(_proto([1, LARGEST], [2, 3])) == [(1, 1, 2), (1, 1, 3)]


@pytest.mark.parametrize(
    ("limits", "counts", "reason"),
    [
        ([1, 2], [1], "1 buckets and 2 limits"),
        ([2, 1], [1, 1], "do not rise"),
        ([1, NAN], [1, 1], "is NaN"),
        ([1, 2], [1, NAN], "not finite"),
        ([1, 2], [1, -1], "negative"),
        ([LARGEST], [3], "no end"),
        ([1, 2], [1e30, 1], "1e\\+30 values"),
        ([1, 2], [LARGEST, LARGEST], "inf values"),
    ],
)
def test_buckets_that_cannot_be(limits: list[float], counts: list[float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _proto(limits, counts)


def test_totals_that_cannot_be() -> None:
    with pytest.raises(ValueError, match=r"it counts 1e\+300 values"):
        _proto([0, 1], [1, 1], min=0, max=1, num=1e300)
    for field in ("count", "nan_count", "pos_inf_count", "neg_inf_count"):
        with pytest.raises(ValueError, match="it counts -5 values"):
            _decoded(_mindspore([(0, 1, 3)], **{field: -5}))
    assert _proto([0, 1], [1, 1], min=0, max=1, num=0.01, sum=LARGEST).mean is None


def test_a_few_bytes_are_not_any_number_of_buckets() -> None:
    message = tensorboard.TensorProto(dtype=tensorboard.DT_FLOAT, float_val=[1])
    message.tensor_shape.dim.add(size=30_000_000)
    message.tensor_shape.dim.add(size=3)
    with pytest.raises(ValueError, match="30,000,000 buckets"):
        decoded_histogram(Payload(message.SerializeToString(), _OF_TENSORFLOW))


def test_lists_that_are_not_packed_are_read() -> None:
    unpacked = b"".join(
        struct.pack("<Bd", key, value) for key, value in [(0x31, 1.0), (0x39, 4.0), (0x31, 2.0), (0x39, 5.0)]
    )
    found = histogram_proto(unpacked)
    assert (found.limits.tolist(), found.counts.tolist()) == ([1, 2], [4, 5])


@pytest.mark.parametrize(
    "data", [b"\x32\x03abc", b"\x31", b"\x0d1234", b"\x36\x00", b"\x30\x01", b"\xff" * 11]
)
def test_bytes_that_are_no_histogram(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"histogram|message|varint"):
        histogram_proto(data)


# --- MindSpore's Histogram ----------------------------------------------------------------------


def test_mindspore() -> None:
    message = _mindspore(
        [(0, 1, 3), (1, 0.5, 300)],
        nan_count=1,
        pos_inf_count=2,
        neg_inf_count=3,
        max=1.5,
        min=0,
        sum=606,
        count=309,
    )
    found = _decoded(message)
    assert _rows(found) == [(0, 1, 3), (1, 1.5, 300)]
    assert (found.nan, found.pos_inf, found.neg_inf, found.count) == (1, 2, 3, 309)
    assert (found.min, found.max, found.mean) == (0, 1.5, 2)


def test_mindspore_without_a_count_counts_its_buckets_and_odd_values() -> None:
    found = _decoded(_mindspore([(0, 1, 10), (1, 1, 20)], nan_count=2, neg_inf_count=1, min=0.0, max=2.0))
    assert (found.count, found.nan, found.neg_inf, found.min, found.max) == (33, 2, 1, 0.0, 2.0)
    assert _decoded(_mindspore([])).count == 0


def test_mindspore_without_a_finite_value() -> None:
    message = _mindspore([], nan_count=4, max=NAN, min=NAN, sum=0, count=4)
    found = _decoded(message)
    assert (_rows(found), found.nan, found.count) == ([], 4, 4)
    assert (found.min, found.max, found.mean) == (None, None, None)


def test_fields_in_whatever_order_or_left_out() -> None:
    rows = [b"\x18\x05\x11" + struct.pack("<d", 2) + b"\x09" + struct.pack("<d", 1), b"\x18\x07", b""]
    data = b"".join(b"\x0a" + bytes([len(row)]) + row for row in rows)
    found = mindspore_histogram(data)
    assert found.left.tolist() == [1, 0, 0]
    assert found.width.tolist() == [2, 0, 0]
    assert found.counts.tolist() == [5, 7, 0]


@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False),
            st.floats(0, 1e300),
            st.integers(-(2**63), 2**63 - 1),
        ),
        max_size=5,
    )
)
def test_whatever_the_buckets_hold_is_read(buckets: list[tuple[float, float, int]]) -> None:
    found = mindspore_histogram(_mindspore(buckets).SerializePartialToString())
    assert found.left.tolist() == [left for left, _, _ in buckets]
    assert found.width.tolist() == [width for _, width, _ in buckets]
    assert found.counts.tolist() == [float(count) for _, _, count in buckets]


@pytest.mark.parametrize(
    ("bucket", "reason"),
    [
        ((0, -1, 3), "negative width"),
        ((NAN, 1, 3), "NaN"),
        ((0, 1, -3), "is negative"),
        ((-INF, INF, 3), "NaN"),
    ],
)
def test_mindspore_buckets_that_cannot_be(bucket: tuple[float, float, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _decoded(_mindspore([bucket]))


@given(st.binary(max_size=40))
def test_whatever_the_bytes_only_value_errors(data: bytes) -> None:
    for claim in (HISTO, _OF_MINDSPORE, _OF_TENSORFLOW):
        try:
            found = decoded_histogram(Payload(data, claim))
        except ValueError:
            continue
        assert len(found.left) == len(found.right) == len(found.counts)


@pytest.mark.parametrize("cut", range(1, 60))
def test_a_message_that_is_cut_short(cut: int) -> None:
    whole = _mindspore([(0, 1, 3), (1, 1, 200)], count=203, max=2.0, min=0.0).SerializePartialToString()
    try:
        found = mindspore_histogram(whole[:-cut])
    except ValueError:
        return
    assert len(found.left) <= 2


# --- TensorFlow 2's tensor ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [tensorboard.DT_DOUBLE, tensorboard.DT_FLOAT])
def test_a_tensor_of_edges_and_counts(dtype: tensorboard.DataType) -> None:
    found = _matrix([(0, 1, 3), (1, 2, 4)], dtype)
    assert _rows(found) == [(0, 1, 3), (1, 2, 4)]
    assert (found.min, found.max, found.mean, found.count) == (0, 2, None, 7)


def test_an_empty_tensor() -> None:
    assert _rows(_matrix([])) == []


def test_what_a_data_server_makes_of_an_empty_outer_bucket() -> None:
    found = _matrix([(1.5, 1, 0), (1, 2, 5), (2, 2.5, 1)])  # TensorBoard's puts min and max there
    assert _rows(found) == [(1, 2, 5), (2, 2.5, 1)]


def test_a_histogram_of_nan() -> None:
    with pytest.raises(ValueError, match="NaN"):
        _matrix([(NAN, NAN, 3)])


def test_a_tensor_of_another_shape() -> None:
    message = tensorboard.TensorProto(dtype=tensorboard.DT_FLOAT, float_val=[1])
    with pytest.raises(ValueError, match=r"\[\], not numbers of \[buckets, 3\]"):
        decoded_histogram(Payload(message.SerializeToString(), _OF_TENSORFLOW))
