"""Columns as TensorBoard's messages pack them, against protobuf itself; sampling, and keys of blobs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from insight_tensorboard.client.reading import scalar_columns
from insight_tensorboard.service import packed_varints
from insight_tensorboard.view.numbers import downsampled
from insight_tensorboard.view.records import BlobKey

from insight_core.rpc.schema import packed_scalars_pb2 as packed
from insight_core.rpc.schema import tensorboard_data_pb2 as pb

INT64 = st.integers(-(2**63), 2**63 - 1)
POINT = st.tuples(INT64, st.floats(), st.floats(width=32))


@given(st.lists(POINT))
def test_columns_are_those_that_protobuf_wrote(points: list[tuple[int, float, float]]) -> None:
    steps, wall_times, values = zip(*points, strict=True) if points else ((), (), ())
    written = pb.ScalarData(step=steps, wall_time=wall_times, value=values)
    found = scalar_columns(packed.ScalarData.FromString(written.SerializeToString()))
    assert found.steps.tolist() == list(steps)
    np.testing.assert_array_equal(found.wall_times, np.array(wall_times, np.float64))
    np.testing.assert_array_equal(found.values, np.array(values, np.float32))


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="2 steps, 1 times, 0 values"):
        scalar_columns(packed.ScalarData(step=b"\x01\x02", wall_time=bytes(8)))


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40))
def test_packed_varints_are_what_protobuf_reads(numbers: list[int]) -> None:
    written = packed_varints(np.array(numbers, np.int64))
    message = pb.ScalarData(step=numbers)
    length = len(written).bit_length()
    assert message.SerializeToString().endswith(written)
    assert len(message.SerializeToString()) - len(written) == (
        0 if not numbers else 1 + max(1, -(-length // 7))
    )


@given(st.integers(0, 500), st.integers(0, 600))
def test_downsampling_is_a_subset_with_the_last(count: int, limit: int) -> None:
    chosen = downsampled(count, limit)
    assert len(chosen) == min(count, limit)
    assert (np.diff(chosen) > 0).all()
    if len(chosen):
        assert chosen[-1] == count - 1
        assert chosen[0] >= 0


def test_downsampling_is_uniform() -> None:
    drawn = downsampled(10_001, 1001)[:-1]
    assert abs(np.mean(drawn) - 5000) < 300
    assert np.histogram(drawn, 10, (0, 10_000))[0].min() > 60


@given(st.text(), st.text(), st.text(), st.integers(), st.integers(), st.integers())
def test_blob_keys_come_back(plugin: str, run: str, tag: str, step: int, occurrence: int, index: int) -> None:
    key = BlobKey(plugin, run, tag, step, occurrence, index)
    text = key.encode()
    assert BlobKey.decode(text) == key
    assert not set(text) - set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
