"""The routes of the timeline: what is drawn, found and handed on of one trace."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from insight_profiler.model import Profile
from insight_profiler.views import routes
from safetensors.numpy import load
from werkzeug.test import TestResponse

from tests.profiler_routes import asked_about

Get = Callable[..., TestResponse]
NAME = "host_1.1700000000000.pt.trace.json"


def _slice(name: str, start: float, duration: float, **more: object) -> dict[str, object]:
    event = {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": start, "dur": duration}
    return {**event, **more}


def _events() -> Iterator[dict[str, object]]:
    """Four operators of 100 µs, each with one of the same beginning within it, and memory."""
    for number in range(4):
        start = 1000.0 + number * 200
        yield _slice(f"outer{number}", start, 100, args={"External id": number})
        yield _slice("inner", start, 40)
        yield {"ph": "C", "pid": 1, "name": "memory", "ts": start, "args": {"bytes": 10 * number}}
    device = {"cat": "kernel", "pid": 0, "tid": 7}
    launch = {"correlation": 5, "External id": 0}
    yield _slice("cudaLaunchKernel", 1050, 5, cat="cuda_runtime", args=launch)
    yield _slice("gemm", 1060, 30, **device, args={**launch, "device": 0, "stream": 7})


@pytest.fixture
def get(tmp_path: Path) -> Iterator[Get]:
    with asked_about(tmp_path / "logs", NAME, _events()) as get:
        yield get


def _said(answer: TestResponse) -> Any:  # noqa: ANN401
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def _columns(answer: TestResponse) -> dict[str, np.ndarray[Any, Any]]:
    assert answer.status_code == 200, answer.text
    return load(answer.data)


def test_tracks_say_where_the_profile_begins(get: Get) -> None:
    said = _said(get("tracks"))
    assert said["start_ns"].lstrip("-").isdigit()
    assert said["duration"] == 700_000
    shown = {track["label"]: track for track in said["tracks"] if track["slices"]}
    assert sorted(track["slices"] for track in shown.values()) == [1, 9]
    assert said["counters"][0]["points"] == 4
    assert said["counters"][0]["maximum"] == 30


def test_slices_are_numbers_that_a_page_has(get: Get) -> None:
    columns = _columns(get("slices", width=1000))
    assert {name: column.dtype.str for name, column in columns.items()} == {
        **dict.fromkeys(("track", "depth", "name", "id", "merged"), "<i4"),
        "start": "<f8",
        "duration": "<f8",
        "category": "|u1",
    }
    assert len(columns["id"]) == 10
    first = _columns(get("slices", width=1000, levels=1))
    assert set(first["depth"].tolist()) == {0}
    assert len(first["id"]) == 5
    part = _columns(get("slices", width=1000, **{"from": 150_000, "to": 250_000}))
    assert sorted(part["start"].tolist()) == [200_000, 200_000]
    assert get("slices", levels=0).status_code == 400


def test_points_of_counters_reach_to_the_edges(get: Get) -> None:
    columns = _columns(get("counters", width=100, **{"from": 250_000, "to": 450_000}))
    assert columns["time"].tolist() == [200_000, 400_000, 600_000]
    assert columns["last"].tolist() == [10, 20, 30]


def test_every_match_is_reached_by_its_place(get: Get) -> None:
    said = _said(get("search", q="INNER", limit=2))
    assert (said["total"], said["offset"], len(said["rows"])) == (4, 0, 2)
    assert said["names"] == [{"name": "inner", "count": 4, "total": 160_000}]
    starts = [_said(get("search", q="inner", offset=at, limit=1))["rows"][0]["start"] for at in range(4)]
    assert starts == [0, 200_000, 400_000, 600_000]
    assert _said(get("search", q="inner", at=250_000))["offset"] == 2
    assert _said(get("search", q="inner", at=999_999))["rows"] == []
    # slices that begin at once are two, not one
    both = _said(get("search", q="inner|outer1", regex=1, at=200_000, limit=2))
    assert [row["name"] for row in both["rows"]] == ["outer1", "inner"]
    part = _said(get("search", q="inner", **{"from": 200_000, "to": 600_000}))
    assert [row["start"] for row in part["rows"]] == [200_000, 400_000]
    assert get("search", q="(", regex=1).status_code == 400
    assert get("search", q="").status_code == 400


def test_a_slice_leads_to_its_operator_and_kernel(get: Get) -> None:
    outer = _said(get("search", q="outer1"))["rows"][0]
    said = _said(get("slice", id=outer["id"]))
    assert said["operator"]["name"] == "outer1"
    assert said["operator"]["side"] == "host"
    assert said["self"] == 60_000
    assert said["arguments"] == {"External id": 1}
    kernel = _said(get("search", q="gemm"))["rows"][0]
    said = _said(get("slice", id=kernel["id"]))
    assert said["kernel"]["name"] == "gemm"
    assert said["kernel"]["operator"]["name"] == "outer0"
    assert [flow["slice"]["name"] for flow in said["flows"]] == ["cudaLaunchKernel"]


def test_a_selection_is_of_the_tracks_that_are_named(get: Get) -> None:
    track = _said(get("search", q="gemm"))["rows"][0]["track"]
    said = _said(get("selection", tracks=track, **{"from": 0, "to": 75_000}))
    assert [row[0] for row in said["rows"]] == ["gemm"]
    assert (said["slices"], said["busy"]) == (1, 15_000)
    everything = _said(get("selection", sort="name", **{"from": 0, "to": 700_000}))
    names = [column["name"] for column in everything["columns"]]
    rows = {row[0]: dict(zip(names, row, strict=True)) for row in everything["rows"]}
    assert rows["inner"]["count"] == 4
    assert rows["inner"]["total"] == 160_000
    assert rows["outer3"]["self"] == 60_000
    assert sum(row["share"] for row in rows.values()) == pytest.approx(1)


def test_a_trace_is_the_same_packed(get: Get) -> None:
    query = {"from": 200_000, "to": 300_000}
    plain = get("trace", **query)
    assert "attachment" in plain.headers["Content-Disposition"]
    packed = get("trace", packed=1, **query)
    assert json.loads(gzip.decompress(packed.data)) == json.loads(plain.data)
    slices = [event for event in json.loads(plain.data)["traceEvents"] if event["ph"] == "X"]
    assert [(event["name"], event["ts"], event["dur"]) for event in slices] == [
        ("outer1", 0, 100),
        ("inner", 0, 40),
    ]


def test_what_looks_at_all_slices_is_computed_once_for_a_profile(
    get: Get, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _said(get("profile"))
    assert first["trees"] == ["device", "host"]

    def looks(profile: Profile) -> list[str]:
        raise AssertionError("it looks at the slices again")

    monkeypatch.setattr(routes, "trees_of", looks)
    assert _said(get("profile")) == first
