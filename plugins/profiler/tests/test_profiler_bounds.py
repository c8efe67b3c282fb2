"""Answers have a largest size, whatever a profile holds: drawn coarser, sampled, streamed, or refused with
what to ask for instead."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.analysis import operators, pipeline, steps, timeline, window
from insight_profiler.building import Building
from insight_profiler.model import Counter, Device, Profile, Source, Track
from insight_profiler.profiles import opened
from insight_profiler.views import operator, routes
from insight_profiler.views import timeline as timeline_routes
from safetensors.numpy import load
from werkzeug.test import TestResponse

from tests.chrome_traces import slice_of
from tests.profiler_routes import asked_about

Get = Callable[..., TestResponse]
NAME = "a.pt.trace.json"
TRACKS, CALLS = 40, 50


def _events() -> Iterator[dict[str, object]]:
    """Of every track calls of 10 µs with gaps of 10, a counter of memory for each, and deep nesting."""
    for track in range(TRACKS):
        for call in range(CALLS):
            yield slice_of(f"operator{call}", call * 20, 10, tid=track)
            point = {"ph": "C", "pid": 1, "name": f"memory{track}", "ts": call * 20}
            yield {**point, "args": {"bytes": call}}
    for level in range(30):
        yield slice_of("nested", level, 2000 - 2 * level, tid="deep")


@pytest.fixture
def get(tmp_path: Path) -> Iterator[Get]:
    with asked_about(tmp_path / "logs", NAME, _events()) as get:
        yield get


def _shown(answer: TestResponse) -> tuple[int, dict[str, Any]]:
    """How many rows, and what is said of them."""
    assert answer.status_code == 200, answer.text
    size = int.from_bytes(answer.data[:8], "little")
    said = json.loads(json.loads(answer.data[8 : 8 + size])["__metadata__"]["slices"])
    return len(load(answer.data)["start"]), said


def test_slices_of_very_many_tracks_are_drawn_for_fewer_columns(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, said = _shown(get("slices", width=10_000))
    assert (whole, said["width"]) == (TRACKS * CALLS + 30, 10_000)
    monkeypatch.setattr(timeline_routes, "_MOST_SLICES", 500)
    fewer, said = _shown(get("slices", width=9_999))  # the same question would share its answer
    assert fewer <= 500
    assert said["width"] < 9_999
    assert said["of"] == whole  # all of them are in what is drawn


def test_slices_of_many_tracks_are_the_same_as_of_few_at_a_time(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = {"width": 70, "from": 100_500, "to": 700_000, "levels": 5, "tracks": "1,2,5,41"}
    few = load(get("slices", **query).data)
    monkeypatch.setattr(window, "_MANY_LANES", 0)
    many = load(get("slices", **query).data)
    assert len(few["start"]) > 50
    for name, column in few.items():
        np.testing.assert_array_equal(column, many[name])


def test_slices_that_no_width_makes_few_are_refused_with_what_to_ask(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_routes, "_MOST_SLICES", 20)
    refused = get("slices")
    assert refused.status_code == 413
    assert "tracks=" in refused.get_json()["error"]
    assert get("slices", tracks="1", width=1).status_code == 200


def test_a_trace_of_too_many_events_is_refused_with_what_to_ask(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_routes, "_MOST_EVENTS", 1000)
    refused = get("trace")
    assert refused.status_code == 413
    assert "from=" in refused.get_json()["error"]
    part = get("trace", to=100_000)
    assert part.status_code == 200
    assert json.loads(part.data)["traceEvents"]


def test_counters_share_the_points_that_an_answer_may_have(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(load(get("counters", width=9_999).data)["time"]) == TRACKS * CALLS
    monkeypatch.setattr(timeline_routes, "_MOST_POINTS", 400)
    points = load(get("counters").data)
    assert len(points["time"]) <= 400
    assert len(np.unique(points["counter"])) == TRACKS
    assert len(load(get("counters", counters="3," * 500).data)["time"]) <= CALLS  # named twice, told once


def test_tracks_parents_and_curves_are_counted_where_they_are_not_all_listed(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline, "_MOST_TRACKS", 10)
    monkeypatch.setattr(timeline, "_MOST_PARENTS", 5)
    monkeypatch.setattr(routes, "_MOST_POINTS", TRACKS)
    tracks = get("tracks").get_json()
    assert [len(tracks["tracks"]), tracks["track_count"]] == [10, TRACKS + 2]
    assert [len(tracks["counters"]), tracks["counter_count"]] == [10, TRACKS]
    [found] = get("search", q="nested", at=29_000).get_json()["rows"]
    parents = get("slice", id=found["id"]).get_json()["parents"]
    assert [parent["name"] for parent in parents] == ["nested"] * 5
    assert all(len(curve["time"]) <= 1 for curve in get("memory").get_json()["curves"])


def test_an_answer_of_too_many_bytes_is_refused_with_what_to_ask(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "MOST_BYTES", 2000)
    refused = get("operators", by="name")
    assert refused.status_code == 413
    assert "limit=" in refused.get_json()["error"]
    assert get("operators", by="name", limit=1, columns="name").status_code == 200


def test_a_trace_is_sent_while_it_is_made_and_has_no_limit_of_bytes(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened, "MOST_BYTES", 2000)
    answer = get("trace")
    assert answer.status_code == 200
    assert "Content-Length" not in answer.headers  # whoever knows it has made all of it
    assert len(answer.data) > 2000


def test_csv_is_sent_while_it_is_written(get: Get) -> None:
    answer = get("operators", by="name", format="csv")
    assert answer.is_streamed
    assert answer.text.count("\r\n") == CALLS + 2


def _profile(**tables: dict[str, Any]) -> Profile:
    building = Building(Source.CHROME)
    building.track(Track("thread", "main"))
    building.device(Device("cpu", "cpu"))
    building.counter(Counter("memory", "memory"))
    for number in range(50):
        building.text(f"text{number}")
    for name, columns in tables.items():
        building.add(name, **columns)
    return building.finish()


def test_lanes_of_steps_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "_MOST_LANES", 7)
    count = np.arange(100)
    profile = _profile(
        steps={"number": [1], "start": [0], "duration": [100]},
        lanes={"step": count * 0, "name": count % 50, "start": count, "duration": count * 2},
    )
    assert len(steps.drawn(profile, 1)["lanes"]) == 7
    average = steps.drawn(profile, None)["lanes"]
    assert len(average) == 7
    assert average[3] == {"name": "text3", "start": 28.0, "duration": 56.0}


def test_batches_of_queues_are_evenly_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_MOST_BATCHES", 20)
    numbers = np.arange(2000)
    profile = _profile(batches={"number": numbers, "queue": numbers % 2, "queue_size": numbers % 3})
    queues = pipeline.queue_columns(profile)
    assert [(queue["batches"], len(queue["number"])) for queue in queues] == [(1000, 10)] * 2
    assert [queues[0]["number"][0], queues[0]["number"][-1]] == [0, 1998]


def test_times_of_operators_are_those_of_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operators, "_MOST_NAMES", 2)
    profile = _profile(operators={"name": np.arange(50), "total": np.arange(50), "calls": np.ones(50)})
    assert operators.operator_times(profile)["names"] == ["text49", "text48"]


def test_steps_of_an_operator_are_evenly_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator, "_MOST_STEPS", 4)
    numbers = np.arange(10)
    profile = _profile(
        steps={"number": numbers, "start": numbers * 10, "duration": numbers * 0 + 10},
        slices={"track": numbers * 0, "start": numbers * 10, "duration": numbers * 0 + 5,
                "name": numbers * 0, "type": numbers * 0 + 1},
    )  # fmt: skip
    shown = operator._by_step(profile, np.arange(10))
    assert shown is not None
    assert shown["number"].tolist() == [0, 3, 6, 9]
    assert shown["count"] == 10
