"""Histograms that are written of whatever numbers there are."""

from __future__ import annotations

from pathlib import Path

import insight_histogram
import numpy as np
import pytest
from numpy.typing import NDArray

from insight_core.formats import histogram_messages
from insight_record import SummaryRecord
from insight_record.histograms import histogram_proto, mindspore_histogram
from tests.recording.collector_reading import decoded, opened

LEAST, LARGEST = 5e-324, float(np.finfo(np.float64).max)


@pytest.mark.parametrize(
    "values",
    [
        [-1.7e308, 1.7e308] * 20,
        [-LARGEST, LARGEST],
        [-LARGEST, 0.0, LARGEST] * 500,
        [LEAST, 3 * LEAST] * 5,  # half of an odd one is none
        [0.0, LEAST] * 30,
        [1.0, np.nextafter(1.0, 2.0)] * 30,
        [0.1, 0.3, 0.7] * 20,
        [1e300] * 7,
    ],
)
def test_every_number_is_in_a_bucket(values: list[float]) -> None:
    with np.errstate(all="ignore"):  # of their sum; SummaryRecord has it so where it writes
        found = histogram_messages.mindspore_histogram(mindspore_histogram(values))
    lefts, rights = found.left, found.left + found.width
    assert found.counts.sum() == len(values)
    assert (lefts[0], rights[-1]) == (min(values), max(values))
    assert np.isfinite(rights).all()
    assert (np.diff(lefts) > 0).all()


def test_equal_widths_as_numpy_counts() -> None:
    values: NDArray[np.float64] = np.random.default_rng(0).normal(size=300)
    found = histogram_messages.mindspore_histogram(mindspore_histogram(values))
    counts, edges = np.histogram(values, len(found.counts))
    assert found.counts.tolist() == counts.tolist()
    np.testing.assert_allclose(found.left, edges[:-1], atol=1e-14)


@pytest.mark.parametrize("dialect", ["mindspore", "tensorboard"])
def test_the_widest_range_leaves_the_record_whole(tmp_path: Path, dialect: str) -> None:
    with SummaryRecord(tmp_path / "run", dialect=dialect) as record:  # type: ignore[arg-type]
        for step in range(2):
            record.add_value("histogram", "w", np.array([-1.7e308, 1.7e308] * 20))
            record.record(step)
            record.flush()
    with opened(tmp_path) as data:
        assert [one.count for one in decoded(data, insight_histogram, "w")] == [40, 40]


def test_tensorboards_buckets_are_those_of_torch() -> None:
    """As in torch's ``make_histogram``: each limit is 1.1 times the one before, and counts as above it."""
    growing = [1e-12]
    while growing[-1] * 1.1 < 1e20:
        growing.append(growing[-1] * 1.1)
    edges = [*(-limit for limit in reversed(growing)), 0.0, *growing]
    random = np.random.default_rng(0)
    for values in (random.normal(size=500), np.maximum(random.normal(size=50), 0), np.zeros(3), -np.ones(2)):
        found = histogram_messages.histogram_proto(histogram_proto(values))
        counts, _ = np.histogram(values, edges)
        filled = np.flatnonzero(counts)
        assert found.limits.tolist() == edges[filled[0] : filled[-1] + 2]
        assert found.counts.tolist() == [0, *counts[filled[0] : filled[-1] + 1].tolist()]
    with np.errstate(over="ignore"):  # of the sum of squares
        extreme = histogram_messages.histogram_proto(histogram_proto([-LARGEST, -1e20, 1e20, LARGEST]))
    assert extreme.counts.sum() == 4


@pytest.mark.parametrize("values", [[np.nan] * 5, [1.0, np.nan, 2.0], [1.0, -np.inf, np.inf]])
def test_a_histogram_of_tensorboard_tells_of_values_that_are_not_finite(values: list[float]) -> None:
    found = histogram_messages.histogram_proto(histogram_proto(values))
    assert found.counts.sum() == np.isfinite(values).sum()
    assert len(found.counts) > 0
    bounds = found.min, found.max
    np.testing.assert_equal(bounds, (np.min(values), np.max(values)))
    assert found.num == len(values)
