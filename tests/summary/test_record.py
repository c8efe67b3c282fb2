"""What SummaryRecord takes, and what it refuses where it is added."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from insight_core.loading.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.summary import SummaryRecord
from insight_core.testing import scalar_points

DIALECTS = pytest.mark.parametrize("dialect", ["mindspore", "tensorboard"])


def points(logdir: Path, tag: str = "loss", run: str = ".") -> list[tuple[int, float]]:
    provider = LocalProvider([Logdir(str(logdir))], [], reload_interval=0)
    try:
        provider.load()
        assert provider.damage() == []
        [claim] = [claim for claim in provider.plugins() if claim.endswith("_value")]
        return scalar_points(provider, run, tag, plugin=claim)
    finally:
        provider.close()


@DIALECTS
def test_scalars_of_any_number_are_read_back(tmp_path: Path, dialect: str) -> None:
    numbers = [0.1, 3, True, np.float32(0.5), np.int8(-3), np.array([2.5]), 1e300, np.nan, 10**400]
    with SummaryRecord(tmp_path, dialect=dialect) as record:  # type: ignore[arg-type]
        for step, number in enumerate(numbers):
            record.add_value("scalar", "loss", number)
            record.record(step, wall_time=5.0 + step)
    expected = [np.float32(0.1), 3, 1, 0.5, -3, 2.5, np.inf, np.nan, np.inf]
    np.testing.assert_array_equal(points(tmp_path), [*enumerate(expected)])


@DIALECTS
def test_records_of_different_values_keep_their_order(tmp_path: Path, dialect: str) -> None:
    steps = [0, 1, 127, 128, 2**31, 2**40, 3, -1, 2**63 - 1, -(2**63)] * 3
    with SummaryRecord(tmp_path, dialect=dialect) as record:  # type: ignore[arg-type]
        for number, step in enumerate(steps):
            record.add_value("scalar", "loss", number)
            if number % 3 == 0:
                record.add_value("scalar", "löss/b", -number)
            if number % 4 == 0:
                record.add_value("tensor", "t", np.arange(number))
            record.record(step)
    assert points(tmp_path) == [(step, number) for number, step in enumerate(steps)]
    assert points(tmp_path, "löss/b") == [(steps[number], -number) for number in range(0, len(steps), 3)]
