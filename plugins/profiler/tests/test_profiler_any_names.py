"""Traces of any name: told by their first bytes, and by nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from insight_profiler import insight_plugin
from insight_profiler.claims import is_trace
from insight_profiler.model import Source
from insight_profiler.profiles.discovery import profiles_of

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import BEGINNING
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from tests.chrome_traces import slice_of

EVENTS = json.dumps([slice_of("a" * 100, number, 1) for number in range(40)])
TORCH = '{"schemaVersion": 1, "deviceProperties": [%s], "traceEvents": ' + EVENTS + "}"


@pytest.mark.parametrize(
    "text",
    [
        EVENTS,
        '{"traceEvents": ' + EVENTS + "}",
        '{"traceEvents": []}',
        '\ufeff \n{"otherData": {"a": [1]}, "traceEvents" :[',
        '{"displayTimeUnit": "ns", "metadata": "' + "x" * 9_000,
        TORCH % "",
        TORCH % ",".join(['{"id": 0, "name": "NVIDIA H100", "memory": N/A}'] * 200),
        '{"schemaVersion": 1, "distributedInfo": {"pg_config": [' + "1, " * 3_000,
        '{"cpu": N/A, "other": {"a": 1}, "traceEvents": ' + EVENTS,
        "[,\n" + EVENTS[1:],
        '[{"ph": "M", "name": "process_name", "args": {"name": "' + "x" * 9_000,
        '[{"args": {"stack": "' + "x" * 200 + '"}, "pid": 1, "ph" : "X", "name": "' + "y" * 9_000,
    ],
)
@pytest.mark.parametrize("is_packed", [False, True])
def test_what_begins_like_a_trace(text: str, is_packed: bool) -> None:
    data = text.encode()
    assert is_trace((gzip.compress(data) if is_packed else data)[:BEGINNING])


@pytest.mark.parametrize("place", [-6, -30])
def test_damage_of_a_packed_file_does_not_hide_what_is_before(place: int) -> None:
    packed = bytearray(gzip.compress((TORCH % "").encode()))
    packed[place] ^= 255
    assert len(packed) < BEGINNING
    assert is_trace(bytes(packed))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "[1, 2]",
        '[{"loss": 1, "phase": "X"}]',
        '[{"ph": 7.2, "name": "acid"}]',  # of a pool
        '[{"ph": "7", "name": "neutral", "pid": 1}]',
        '[{"ph": "X", "name": "header"}]',  # of a page
        '{"log_history": [{"loss": 1}], "traceEvents": 3}',
        '{"note": "\\"traceEvents\\": [", "a": 1}',
        '{"profile": {"traceEvents": [' + "1, " * 3_000,
        '{"schemaVersion": 2, "layers": [' + "1, " * 3_000,  # of an image of a container
        '{"schemaVersion": "1.0", "rows": [' + "1, " * 3_000,
        '{"schemaVersion": 1, "name": "no trace"}',
        '{"version": "https://jsonlines.org", "data": "' + "x" * 9_000,
        "traceEvents",
        "\x1f\x8bno gzip",
    ],
)
def test_other_files_are_no_traces(text: str) -> None:
    assert not is_trace(text.encode("latin-1")[:BEGINNING])
    assert not is_trace(gzip.compress(text.encode())[:BEGINNING])


def _profiles(directory: Path) -> list[tuple[str, str, Source]]:
    provider = LocalProvider([Logdir(str(directory))], [insight_plugin()], watch=False)
    provider.load()
    found = [(one.run, one.path, one.source) for one in profiles_of(provider.series("profiler"))]
    provider.close()
    return found


def test_traces_of_any_name_are_profiles(tmp_path: Path) -> None:
    packed, plain = gzip.compress((TORCH % "").encode()), EVENTS.encode()
    for name, data in {
        "a/rank0.json.gz": packed,
        "b/out.json": plain,
        "c/chrome.trace": plain,
        "d/trace_0.txt": plain,
        "e/timeline.gz": packed,
        "f/my_timeline.json": plain,
        "f/results.json": b'{"accuracy": 0.5}',
        "g/config.json": b'{"layers": 3}',
        "h/.hidden.json": plain,
        "i/plugins/profile/1/vm.xplane.pb": b"",
        "i/plugins/profile/1/host.json.gz": packed,  # says the same
        "j/empty.json": b"",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert _profiles(tmp_path) == [
        ("a", "rank0.json.gz", Source.CHROME),
        ("b", "out.json", Source.CHROME),
        ("c", "chrome.trace", Source.CHROME),
        ("d", "trace_0.txt", Source.CHROME),
        ("e", "timeline.gz", Source.CHROME),
        ("f", "my_timeline.json", Source.CHROME),
        ("i/plugins/profile/1", "vm.xplane.pb", Source.XPLANE),
    ]


def test_in_runs_too_other_files_stay_out(tmp_path: Path) -> None:
    with EventWriter(tmp_path / "train"):
        pass
    (tmp_path / "train/checkpoint").mkdir()
    (tmp_path / "train/checkpoint/config.json").write_text('{"layers": 3}')
    (tmp_path / "train/checkpoint/step.json").write_text(EVENTS)
    assert _profiles(tmp_path) == [("train", "checkpoint/step.json", Source.CHROME)]
