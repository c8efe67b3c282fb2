"""Names that a record remembers as good, and what of a dropped record is left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from insight_record import SummaryRecord
from insight_record import summary_record as record_module
from tests.recording.collector_reading import opened, scalars, steps, tags


def test_names_are_remembered_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that makes a new name at each step does not grow for ever."""
    monkeypatch.setattr(record_module, "_MOST_NAMES", 5)
    with SummaryRecord(tmp_path / "run") as record:
        for step in range(23):
            record.add_value("scalar", f"loss/{step:02}", float(step))
            record.record(step)
            assert len(record._good_names) <= 5
    with opened(tmp_path) as data:
        assert tags(data, "scalar") == [f"loss/{step:02}" for step in range(23)]


def test_nothing_of_a_dropped_record_comes_with_the_next(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path / "run", queue_size=1, on_full="drop") as record:
        with record._writer._writing:  # a disk that is busy
            for step in range(2):
                record.add_value("scalar", "loss", float(step))
                record.add_value("tensor", "weights", np.full(2, step, np.float32))
                record.record(step)
        assert record.dropped == 1
        record.flush()
        record.add_value("scalar", "loss", 2.0)
        record.record(2)
    with opened(tmp_path) as data:
        assert scalars(data, "loss") == {0: 0.0, 2: 2.0}
        assert steps(data, "tensor", "weights") == [0]
