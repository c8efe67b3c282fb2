"""The points of a tag are shown in the order of the file, whatever they are written as."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import insight_scalar
import numpy as np
import pytest

from insight_core.ingest.discover import Logdir
from insight_core.plugin import ScalarQuery, SeriesKey
from insight_core.plugin.testing import wire
from insight_core.providers.local import LocalProvider


@pytest.mark.parametrize("pure", ["0", "1"])
def test_a_tag_written_by_simple_value_and_as_tensors_is_one_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pure: str
) -> None:
    monkeypatch.setenv("INSIGHT_HOST_PURE", pure)
    metadata = wire.metadata("scalars", 1)
    with open(tmp_path / "events.out.tfevents.1.test", "wb") as file:
        for step in range(300):
            forms = [
                wire.scalar_value("loss", float(step)),
                wire.tensor_value("loss", wire.number_tensor(float(step)), metadata),
                wire.tensor_value("loss", wire.number_tensor(float(step), double=True), metadata),
            ]
            value = forms[step // 2 % 3]
            file.write(wire.record(wire.event(step, 1.0 + step, wire.summary([value]))))
    with closing(
        LocalProvider([Logdir(str(tmp_path))], [insight_scalar.insight_plugin()], reload_interval=0)
    ) as provider:
        provider.load()
        [info] = provider.series("scalar")
        assert (info.points, info.kept, info.attempts) == (300, 300, 1)
        key = SeriesKey(".", "loss")
        columns = provider.scalars("scalar", [key], ScalarQuery())[key]
        np.testing.assert_array_equal(columns.steps, np.arange(300))
        np.testing.assert_array_equal(columns.values, np.arange(300))
        np.testing.assert_array_equal(columns.wall_times, 1.0 + np.arange(300))
