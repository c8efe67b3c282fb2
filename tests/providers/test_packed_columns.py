"""Packed columns of TensorBoard's messages, against what protobuf itself reads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from insight_core.providers.tensorboard_client.reading import scalar_columns
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
