"""Events that look like earlier ones are taken as rows: the profile is that of reading them one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import fields
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.reading import READERS
from insight_profiler.reading.trace_events import TraceEvents
from insight_profiler.reading.trace_known import KnownRows

from benchmarks.traces import write_trace

_READ = READERS[Source.CHROME]


def _profile(path: Path) -> Profile | tuple[str, object]:
    building = Building(Source.CHROME)
    try:
        _READ(Files.of_directory(path.parent, path.name), building)
    except Unreadable as error:
        return error.note.code, error.note.values
    return building.finish()


def _assert_same(found: Profile | tuple[str, object], expected: Profile | tuple[str, object]) -> None:
    if isinstance(expected, tuple) or isinstance(found, tuple):
        assert found == expected
        return
    for name in (field.name for field in fields(Profile)):
        if name != "tables":
            assert repr(getattr(found, name)) == repr(getattr(expected, name)), name
    assert found.tables.keys() == expected.tables.keys()
    for name, table in expected.tables.items():
        for column, values in table.items():
            np.testing.assert_array_equal(found.tables[name][column], values, f"{name}.{column}")


_numbers = st.one_of(
    st.integers(0, 50),
    st.sampled_from([0.5, 12.125, 3.0625, 1e3, -1, -0.5, 10**15, 10**16, 2**63, 4364375274519.945]),
)
_odd: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, "7", "x", [], {}, [[1, 2], []], -3, 1.5, "\u4e3b", 'a"b\\c/\n', 10**19]
)
_identifiers = st.one_of(st.integers(0, 6), st.just(10**15), st.just(2**60), _odd)
_arguments = st.fixed_dictionaries(
    {},
    optional={
        "External id": _identifiers,
        "external id": _identifiers,
        "correlation": _identifiers,
        "Input Dims": st.sampled_from([[], [[2, 3], [3, 4]], [[8, 2], [2, 2]], "none", None]),
        "Input type": st.sampled_from([["float", "float"], ["half", "half"], []]),
        "Concrete Inputs": st.sampled_from([["", ""], ["1", "[1, 1]"]]),
        "Input Strides": st.sampled_from([[[3, 1], [4, 1]], [[1, 2], []]]),
        "Fwd thread id": st.sampled_from([0, 1, False]),
        "Sequence number": st.one_of(st.integers(0, 99), _odd),
        "device": st.sampled_from([0, 1, "0"]),
        "stream": st.sampled_from([7, 20]),
        "grid": st.sampled_from([[1, 1, 1], [8, 1, 1], "big"]),
        "bytes": st.integers(0, 9),
        "Collective name": st.sampled_from(["allreduce", ""]),
        "Ev Idx": st.integers(0, 99),
        "more": _odd,
    },
)
_events = st.fixed_dictionaries(
    {
        "ph": st.sampled_from("XXXXXXsftiCMBEbe?"),
        "name": st.one_of(
            st.sampled_from(
                ["aten::mm", "aten::relu", "gemm", "ProfilerStep#3", "cudaLaunchKernel", "ac2g", "[memory]"]
            ),
            _odd,
        ),
    },
    optional={
        "cat": st.one_of(
            st.sampled_from(
                ["cpu_op", "kernel", "gpu_memcpy", "cuda_runtime", "user_annotation", "ac2g", "fwdbwd"]
            ),
            _odd,
        ),
        "pid": st.one_of(st.sampled_from([0, 17, "17"]), _odd),
        "tid": st.one_of(st.sampled_from([7, 17, "stream 7"]), _odd),
        "ts": st.one_of(_numbers, _odd),
        "dur": st.one_of(_numbers, _odd),
        "id": _identifiers,
        "args": st.one_of(_arguments, _odd),
        "bp": st.just("e"),
    },
)
_forms = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}])
_damages = st.lists(
    st.sampled_from(
        [
            (b"1", b"nan"),
            (b"0", b"01"),
            (b"}", b",}"),
            (b",", b""),
            (b'"', b""),
            (b"[", b"[ "),
            (b"\\", b"\\q"),
        ]
    ),
    max_size=1,
)


@given(events=st.lists(_events, min_size=1, max_size=12), form=_forms, damages=_damages, data=st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_profile_of_known_events_is_that_of_events_one_by_one(
    tmp_path: Path,
    events: list[dict[str, Any]],
    form: dict[str, Any],
    damages: list[tuple[bytes, bytes]],
    data: st.DataObject,
) -> None:
    text = json.dumps({"traceEvents": events * 4}, **form).encode()
    for before, after in damages:
        places = text.count(before)
        if places:
            parts = text.split(before)
            at = data.draw(st.integers(1, places))
            text = before.join(parts[:at]) + after + before.join(parts[at:])
    path = tmp_path / "trace.json"
    path.write_bytes(text[: data.draw(st.sampled_from([len(text), len(text) - 20]))])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "insight_profiler.reading.json_events._KNOWN_WINDOW", data.draw(st.sampled_from([300, 1 << 20]))
        )
        found = _profile(path)
        patched.setattr(KnownRows, "learn", lambda *_: None)
        _assert_same(found, _profile(path))


def test_most_events_of_a_trace_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_trace(tmp_path / "a.pt.trace.json", 6)
    known, read = 0, 0
    add = TraceEvents.add

    def counted(rows: TraceEvents, window: Any) -> None:  # noqa: ANN401
        nonlocal known, read
        known, read = known + len(window.known), read + len(window.events)
        add(rows, window)

    monkeypatch.setattr(TraceEvents, "add", counted)
    _profile(tmp_path / "a.pt.trace.json")
    # what stands in the first window, and memory events, are read one by one
    assert known > 2 * read


@pytest.mark.parametrize("last", ["true", "false", "null", "[]", "{}", '""', "0", "1.5", '"x"', "[[1], {}]"])
@pytest.mark.parametrize("space", ["", " "])
def test_arguments_end_with_any_value(tmp_path: Path, last: str, space: str) -> None:
    kinds = ("cpu_op", "kernel", "cuda_runtime")
    events = [
        f'{{"ph":"X","cat":"{cat}","name":"aten::mm","pid":1,"tid":1,"ts":{at},"dur":1,"args":{{"a":{last}{space}}}}}'
        for at, cat in enumerate(kinds * 40)
    ]
    path = tmp_path / "trace.json"
    path.write_text("[" + ",".join(events) + "]")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("insight_profiler.reading.json_events._KNOWN_WINDOW", 1000)
        found = _profile(path)
        patched.setattr(KnownRows, "learn", lambda *_: None)
        _assert_same(found, _profile(path))


def _slice(at: int, name: str, shapes: list[list[int]]) -> dict[str, Any]:
    told = {"External id": at, "Input Dims": shapes}
    return {
        "ph": "X",
        "cat": "cpu_op",
        "name": name,
        "pid": 1,
        "tid": at % 3,
        "ts": at * 2,
        "dur": 1,
        "args": told,
    }


def _arrow(at: int) -> dict[str, Any]:
    """240 begins, then their ends; each number is used in 80 categories."""
    number = at % 240
    category = f"flow{number % 80}"
    return {
        "ph": "s" if at < 240 else "f",
        "cat": category,
        "name": category,
        "id": 7 + number // 80,
        "pid": 1,
        "tid": at % 3,
        "ts": at * 2,
    }


@pytest.mark.parametrize(
    "events",
    [
        [_slice(at, f"task {at}", []) for at in range(40_000)],
        [_slice(at, "aten::mm", [[at % 35_000, 3], [3, 4]]) for at in range(40_000)],
        [event for at in range(960) for event in (_slice(at, "aten::mm", []), _arrow(at % 480))],
    ],
    ids=["more names than are known", "more shapes than are known", "more categories than one number tells"],
)
def test_what_is_too_much_to_know_is_read_one_by_one(tmp_path: Path, events: list[dict[str, Any]]) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps({"traceEvents": events}))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("insight_profiler.reading.json_events._KNOWN_WINDOW", 1 << 14)
        found = _profile(path)
        patched.setattr(KnownRows, "learn", lambda *_: None)
        _assert_same(found, _profile(path))
