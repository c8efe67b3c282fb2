"""What a page has of a decimated series, completed by ``since``, is what the whole answer would be."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import insight_scalar
import numpy as np
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host

_COLUMNS = ("steps", "wall_times", "values")
_VALUES = st.one_of(
    st.floats(-10, 10, width=32), st.sampled_from([float("nan"), float("inf"), float("-inf")])
)


@frozen
class Growing:
    """How a series grows, in parts; gaps between its steps, and the columns it is asked for in."""

    start: int
    gaps: list[int]
    values: list[float]
    parts: list[int]
    width: int
    room: float
    smoothing: float


@st.composite
def _growing(draw: st.DrawFn) -> Growing:
    return Growing(
        start=draw(st.integers(0, 10_000)),
        gaps=draw(st.lists(st.integers(1, 40), min_size=1, max_size=7)),
        values=draw(st.lists(_VALUES, min_size=1, max_size=31)),
        parts=[draw(st.integers(100, 200)), *draw(st.lists(st.integers(1, 60), min_size=1, max_size=4))],
        width=draw(st.integers(2, 20)),
        room=draw(st.floats(1.0, 3.0)),
        smoothing=draw(st.sampled_from([0.0, 0.6])),
    )


@settings(max_examples=60, deadline=None)
@given(_growing())
def test_a_decimated_series_is_completed_by_its_last_columns(case: Growing) -> None:
    total = sum(case.parts)
    steps = case.start + np.cumsum(np.resize(case.gaps, total))
    values = np.resize(np.array(case.values, np.float32), total).reshape(-1, 1)
    first = int(steps[0])
    until = first + case.room * float(steps[-1] - first)
    with tempfile.TemporaryDirectory() as place, EventWriter(Path(place) / "run") as writer:
        registry = Registry.of([("scalar", lambda: insight_scalar)])
        provider = LocalProvider([Logdir(place)], registry.plugins.values(), reload_interval=0)
        client = Client(Host(registry, provider))
        had: dict[str, Any] | None = None
        for end, count in zip(np.cumsum(case.parts).tolist(), case.parts, strict=True):
            writer.scalar_block(["loss"], steps[end - count : end].tolist(), values[end - count : end])
            writer.flush()
            provider.load()
            query = {"tag": "loss", "to": repr(until), "width": case.width, "smoothing": case.smoothing}
            whole, header = _answer(client, query)
            if had is not None:
                since = float(had["steps"][-1]) - 2 * (until - first) / case.width
                tail, said = _answer(client, query | {"since": repr(since)})
                assert said == header
                head = had["steps"] < since
                for name in _COLUMNS:
                    joined = np.concatenate([had[name][head], tail[name]])
                    assert joined.dtype == whole[name].dtype
                    np.testing.assert_array_equal(joined, whole[name], err_msg=name)
            had = whole
        provider.close()


def test_since_leaves_out_points_and_says_of_the_whole_answer(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "run") as writer:
        for steps in (range(100), range(50, 150)):  # a second attempt
            writer.scalar_block(["loss"], steps, np.ones((100, 1)))
    registry = Registry.of([("scalar", lambda: insight_scalar)])
    provider = LocalProvider([Logdir(str(tmp_path))], registry.plugins.values(), reload_interval=0)
    provider.load()
    query = {"tag": "loss", "width": 2, "attempts": "all"}
    whole, header = _answer(Client(Host(registry, provider)), query)
    tail, said = _answer(Client(Host(registry, provider)), query | {"since": 60})
    later = whole["steps"] >= 60
    np.testing.assert_array_equal(tail["steps"], whole["steps"][later])
    assert said["decimated"] is True
    assert said["points"] == header["points"] == 200
    assert said["breaks"] == [int(later[: header["breaks"][0]].sum())]
    provider.close()


def _answer(client: Client, query: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    answer = client.get("/data/plugin/scalar/series", query_string=query | {"format": "safetensors"})
    assert answer.status_code == 200, answer.data
    columns = load(answer.data)
    length = int.from_bytes(answer.data[:8], "little")
    (header,) = json.loads(json.loads(answer.data[8 : 8 + length])["__metadata__"]["series"])
    return {name: columns[f"0.{name}"] for name in _COLUMNS}, header
