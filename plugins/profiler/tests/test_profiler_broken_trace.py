"""Chrome traces that are cut, broken or in no order: what is clear of them is read."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from insight_profiler.building import Building, Unreadable
from insight_profiler.files import Files
from insight_profiler.model import Profile, Source
from insight_profiler.reading import READERS, json_events
from insight_profiler.reading.arguments import arguments_at

from tests.chrome_traces import codes_of, column_of, names_of, read_trace, slice_of

Read = Callable[..., Profile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_trace, tmp_path)


def _text(count: int = 4) -> str:
    return ",".join(json.dumps(slice_of(f"s{number}", number, 1)) for number in range(count))


@pytest.mark.parametrize(
    ("text", "names", "codes"),
    [
        ("[" + _text() + "]", 4, []),
        ("[" + _text(), 4, []),  # the format allows that
        ("[" + _text() + ",\n", 4, []),
        ("[" + _text() + ',{"ph": "X", "na', 4, ["truncated"]),
        ('{"traceEvents": [' + _text(), 4, ["truncated"]),
        ('{"traceEvents": [' + _text() + "]", 4, ["truncated"]),
        ('{"traceEvents": [' + _text() + '], "a": 1', 4, ["truncated"]),
        ('\ufeff{"traceEvents": [' + _text() + "]}", 4, []),
        ("  \n[" + _text() + "]  garbage", 4, []),
        ('{"other": [[1], {"x": "}"}], "traceEvents": [' + _text() + "]}", 4, []),
        ("[" + _text().replace('"s1"', '"s\x01\t1"') + "]", 4, []),
        ("[" + _text().replace('"s1"', r'"C:\path\s1"') + "]", 4, ["values_mended"]),
        ("[" + _text().replace(": 1}", ': 1, "a": {"a": N/A, "b": [nan]}}') + "]", 4, ["values_mended"]),
        ("[" + _text(2) + ', {"ph": "X" "oops": }, ' + _text(2) + "]", 4, ["events_skipped"]),
        ("[" + _text(2) + ', {"ph": "X"nan": 1}, ' + _text(2) + "]", 4, ["events_skipped"]),
        ("[" + _text(2) + ', {"ph": "X" "oops": }]', 2, ["events_skipped"]),
        ('{"traceEvents": [' + _text(2) + ', {"ph": "X" "oops": }], "a": [1]}', 2, ["events_skipped"]),
        ('{"traceEvents": [' + _text(2) + ', {"ph": "X" "oops": }]}', 2, ["events_skipped"]),
        ('{"traceEvents": [' + _text(2) + ', {"ph": "X" "oops": }', 2, ["truncated"]),
    ],
)  # fmt: skip
def test_what_is_broken_is_read_as_far_as_it_is_clear(
    read: Read, text: str, names: int, codes: list[str]
) -> None:
    profile = read(text.encode())
    assert len(names_of(profile)) == names
    assert codes_of(profile) == codes


@pytest.mark.parametrize(
    "event",
    [
        {"ph": "i", "name": "[memory]", "ts": 1, "args": 3},
        {"ph": "i", "name": "[memory]", "ts": 1, "args": {"Device Type": [], "Bytes": 8, "Addr": 1}},
        {"ph": "i", "name": "[memory]", "ts": 1, "tid": [], "args": {"Bytes": 8, "Addr": 1}},
        {"ph": "i", "name": "odd", "ts": 1, "tid": []},
        {"ph": "C", "name": [], "ts": 1, "args": {"x": 1}},
        {"ph": "s", "id": [], "ts": 1, "tid": []},
        {"ph": "X", "ts": 1, "tid": {}},
    ],
)
def test_one_event_of_odd_types_changes_nothing_of_the_others(read: Read, event: dict[str, object]) -> None:
    plain = [slice_of("a", 0, 1), slice_of("b", 10, 2)]
    profile = read([plain[0], event, plain[1]])
    found = dict(zip(names_of(profile), column_of(profile, "duration"), strict=True))
    assert (found["a"], found["b"]) == (1000, 2000)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *((text, "empty_file") for text in ("", "  ")),
        *((text, "not_a_trace") for text in ("never", "<html></html>")),
        *((text, "no_events") for text in ("[]", "{}", '{"traceEvents": []}', "[1]")),
        ('[{"ph": "X", "ts": ' + "1" * 5000 + "}]", "no_events"),
    ],
)
def test_why_a_file_is_no_trace_has_a_code_of_its_own(read: Read, text: str, code: str) -> None:
    with pytest.raises(Unreadable, match=r"trace\.json") as raised:
        read(text.encode())
    assert raised.value.note.code == code


@pytest.mark.parametrize(
    "value",
    ["-nan(ind)", "1.#INF", "-1.#IND", "NaN", "inf", "-inf", "N/A", "None", "True", "False", "nan(snan)",
     "1e+", "@", "+1", ".5", "0x1f", "", " "],
)  # fmt: skip
@pytest.mark.parametrize(
    "form",
    [
        '"a": 1, "odd":%s, "b": 2',
        '"odd":%s,"a": 1, "b": 2',
        '"a": 1,"b": 2, "odd": %s',
        '"a": 1, "list": [%s, 3], "b": 2',
        '"a": 1, "b": 2, "list": [3,%s]',
    ],
)
def test_a_value_that_is_no_json_costs_only_itself(read: Read, tmp_path: Path, value: str, form: str) -> None:
    event = '{"ph": "X", "name": "s", "ts": %d, "dur": 1, "args": {' + form % value + "}}"
    text = '{"traceEvents": [' + ",".join(event % number for number in range(12)) + '], "after": 1}'
    profile = read(text.encode())
    assert len(names_of(profile)) == 12
    assert {"truncated", "events_skipped"}.isdisjoint(codes_of(profile))
    for offset, size in zip(column_of(profile, "offset"), column_of(profile, "size"), strict=True):
        found = arguments_at(io.BytesIO(text.encode()), offset, size)
        assert found is not None
        assert (found["a"], found["b"]) == (1, 2)


@pytest.mark.parametrize("number", ["2191500840", "-1", "9" * 30, "9" * 5_000, "-" + "9" * 5_000, "1e400"])
@pytest.mark.parametrize(
    "place", ["shared memory", "registers per thread", "correlation", "External id", "device"]
)
def test_one_bad_number_of_a_kernel_costs_only_itself(read: Read, number: str, place: str) -> None:
    """A tracer of ROCm writes registers that nobody set."""
    event = {
        "ph": "X",
        "cat": "kernel",
        "name": "k",
        "pid": 0,
        "tid": 7,
        "ts": 1,
        "dur": 5,
        "args": {place: 0},
    }
    profile = read(json.dumps([event]).replace(": 0}}", f": {number}}}}}").encode())
    assert names_of(profile, "kernels") == ["k"]
    assert column_of(profile, "total", "kernels") == [5_000]
    assert {"truncated", "events_skipped", "events_odd"}.isdisjoint(codes_of(profile))


def test_the_base_of_times_may_be_no_time(read: Read) -> None:
    for base in ("9" * 30, "9" * 5_000, "-1"):
        profile = read(f'{{"baseTimeNanoseconds": {base}, "traceEvents": [{_text()}]}}'.encode())
        assert (profile.start_ns, len(names_of(profile))) == (0, 4)


def test_values_outside_the_events_may_be_no_json(read: Read) -> None:
    head = '"bandwidth": -nan(ind), "other": N/A, "ok": True, "world_size": 1.#INF'
    profile = read(f'{{{head}, "traceEvents": [{_text()}]}}'.encode())
    assert (len(names_of(profile)), codes_of(profile)) == (4, ["values_mended"])


def test_words_in_texts_are_no_values(read: Read) -> None:
    events = [slice_of("a: nan, [None]", number, 1, args={"x": "N/A"}) for number in range(12)]
    text = json.dumps(events).replace('"N/A"', "N/A")
    assert names_of(read(text.encode())) == ["a: nan, [None]"] * 12


def test_an_event_full_of_faults_is_read_or_skipped(read: Read) -> None:
    paths = ", ".join([r'"C:\Users\x\data"'] * 3_000)
    signs = ", ".join(["@@"] * 3_000)
    values = {"one": "", "paths": paths, "signs": signs, "two": "1"}
    text = ", ".join(
        f'{{"ph": "X", "name": "{name}", "ts": {number}, "dur": 1, "args": {{"a": [{value}]}}}}'
        for number, (name, value) in enumerate(values.items())
    )
    profile = read(f"[{text}]".encode())
    assert names_of(profile) == ["one", "paths", "two"]
    assert codes_of(profile) == ["values_mended", "events_skipped"]
    offset, size = column_of(profile, "offset")[1], column_of(profile, "size")[1]
    found = arguments_at(io.BytesIO(f"[{text}]".encode()), offset, size)
    assert found is not None
    assert found["a"] == ["C:/Users/x/data"] * 3_000


def test_a_comma_too_much_costs_nothing(read: Read) -> None:
    event = '{"ph": "X", "name": "s", "ts": 1, "args": {"a": [1,,2,], "b": 1,},}'
    profile = read(f"[{event}, {event}]".encode())
    assert names_of(profile) == ["s", "s"]
    assert codes_of(profile) == ["values_mended"]


def test_events_may_be_larger_than_what_is_read_at_once(read: Read) -> None:
    huge = slice_of("huge", 5, 1, args={"stack": [[{"a": "x" * 100}] * 100] * 100})
    profile = read([slice_of("a", 0, 1), huge, slice_of("b", 10, 1)])
    assert names_of(profile) == ["a", "huge", "b"]
    assert column_of(profile, "size")[1] == len(json.dumps(huge)) > json_events._WINDOW


@pytest.mark.parametrize("window", [64, 100, 1_000])
def test_it_does_not_matter_where_windows_end(
    read: Read, window: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = [
        slice_of("名" if number % 3 else f"s{number}", number * 3, 2.25, args={"a": "N"})
        for number in range(60)
    ]
    data = json.dumps(
        {"x": [1.5, -2], "traceEvents": events, "baseTimeNanoseconds": 12}, ensure_ascii=False
    ).encode()
    whole = read(data)
    monkeypatch.setattr(json_events, "_WINDOW", window)
    pieces = read(data)
    assert pieces.texts == whole.texts
    for name, column in whole.tables["slices"].items():
        np.testing.assert_array_equal(pieces.tables["slices"][name], column)
    assert codes_of(pieces) == []
    offsets, sizes = column_of(pieces, "offset"), column_of(pieces, "size")
    for event, offset, size in zip(events, offsets, sizes, strict=True):
        assert json.loads(data[offset : offset + size]) == event


def test_of_a_cut_packed_trace_comes_what_there_is(tmp_path: Path) -> None:
    data = gzip.compress(json.dumps([slice_of(f"s{number}", number, 1) for number in range(5_000)]).encode())
    (tmp_path / "t.json").write_bytes(data[: len(data) // 2])
    building = Building(Source.CHROME)
    files = Files.of_directory(tmp_path)
    READERS[Source.CHROME](files, building)
    profile = building.finish()
    assert 1_000 < len(names_of(profile)) < 5_000
    assert files.cut


def test_slices_out_of_order_are_the_same(read: Read) -> None:
    events = [slice_of(f"s{number % 7}", number * 10, 25 if number % 5 == 0 else 4) for number in range(200)]
    forward, backward = read(events), read(events[::-1])
    for name in ("start", "duration", "depth", "self"):
        assert column_of(forward, name) == column_of(backward, name)


@pytest.mark.parametrize("odd", [{"name": []}, {"id": {"a": 1}}, {"tid": [1], "ph": "E"}])
def test_an_end_whose_identifier_is_a_list_is_left_out_and_stops_nothing(
    read: Read, odd: dict[str, object]
) -> None:
    end = {"ph": "e", "name": "b", "pid": 1, "tid": 1, "ts": 1, **odd}
    profile = read([slice_of("a", 0, 1), end])
    assert names_of(profile) == ["a"]
    assert codes_of(profile) == ["events_odd"]
