"""The fake provider that plugin authors test with."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from insight_core.plugin import NotFound, SummaryPlugin
from insight_core.plugin.data import Damage, DataProvider, Payload, Run, ScalarQuery, SeriesKey
from insight_core.plugin.testing import FakeProvider


def test_it_is_a_data_provider() -> None:
    provider: DataProvider = FakeProvider("here")
    assert provider.location() == "here"
    assert (provider.runs(), provider.series("scalar"), provider.generation()) == ([], [], 0)
    provider.close()


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


def test_relative_windows_count_from_the_first_point() -> None:
    fake = FakeProvider()
    fake.add_scalars("r", "t", [1.0, 2.0, 3.0], wall_times=[5.0, 6.0, 8.0])
    key = SeriesKey("r", "t")
    shown = fake.scalars("scalar", [key], ScalarQuery(x="relative", window=(0.5, 3.0)))[key]
    assert (shown.steps.tolist(), shown.points, shown.extent) == ([1, 2], 2, (0.0, 3.0))


def test_records() -> None:
    fake = FakeProvider()
    fake.add_records("image", "r", "t", [b"a", b"bcd"], claim=SummaryPlugin("images"))
    key = SeriesKey("r", "t")
    assert fake.records("image", key).sizes.tolist() == [1, 3]
    assert fake.payload("image", key, 1) == Payload(b"bcd", SummaryPlugin("images"))
    for index in (-1, 2):
        with pytest.raises(NotFound):
            fake.payload("image", key, index)
    with pytest.raises(NotFound):
        fake.records("image", SeriesKey("r", "none"))


def test_records_of_attempts() -> None:
    fake = FakeProvider()
    claim = SummaryPlugin("images")
    fake.add_records("image", "r", "t", [b"a", b"b", b"c", b"d", b"e"], claim=claim, steps=[0, 1, 2, 1, 2])
    key = SeriesKey("r", "t")
    last, everything = fake.records("image", key), fake.records("image", key, "all")
    assert (last.steps.tolist(), last.total, last.kept, last.hidden) == ([0, 1, 2], 5, 5, 2)
    assert (everything.steps.tolist(), everything.hidden) == ([0, 1, 2, 1, 2], 0)
    assert fake.payload("image", key, 1).data == b"d"
    assert fake.payload("image", key, 1, "all", limit=0) == Payload(b"", claim)
    [info] = fake.series("image")
    assert info.attempts == 2


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
