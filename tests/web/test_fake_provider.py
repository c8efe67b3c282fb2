"""The fake provider that plugin authors test with."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from insight_core.plugin.data import Damage, Run, SeriesKey
from insight_core.plugin.testing import FakeProvider


def test_scalars_are_appended_and_keep_their_type() -> None:
    fake = FakeProvider()
    fake.add_scalars("r", "t", np.array([1, 2], np.float32))
    fake.add_scalars("r", "t", np.array([3], np.float32), steps=[9])
    [info] = fake.series("scalar")
    assert (info.points, info.first_step, info.last_step, info.last_value) == (3, 0, 9, 3.0)
    assert info.last_wall_time == fake.scalars("scalar", [info.key])[info.key].wall_times[-1]
    key = SeriesKey("r", "t")
    columns = fake.scalars("scalar", [key, SeriesKey("r", "none")])
    assert list(columns) == [key]
    assert columns[key].values.dtype == np.float32
    assert columns[key].steps.tolist() == [0, 1, 9]
    with pytest.raises(ValueError, match="differ in length"):
        fake.add_scalars("r", "t", [1.0], steps=[1, 2])


def test_changes_are_counted_and_wake_who_waits() -> None:
    fake = FakeProvider()
    fake.add_run(Run("r"))
    since = fake.generation()
    threading.Timer(0.05, lambda: fake.add_scalars("r", "t", [1.0])).start()
    changes = fake.changes(since, timeout=5)
    assert changes.generation == fake.generation() > since
    assert (changes.series, changes.runs) == ({"scalar": [SeriesKey("r", "t")]}, False)
    fake.add_damage(Damage("r", "f", 0, "bad"))
    assert fake.changes(changes.generation).runs
    assert fake.runs()[0].damage == 1
