"""Benchmarks: corpora are whole, verdicts follow from the figures, nothing stays running."""

from __future__ import annotations

import json
import math
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from attrs import evolve
from insight_profiler.files import Files
from insight_profiler.model import Source

from benchmarks import bench_load
from benchmarks.corpus import (
    CORPORA,
    WrittenCorpus,
    event_files,
    kept_corpus,
    run_name,
    tag_names,
    write_corpus,
)
from benchmarks.processes import Failed, Log, peak_memory, started
from benchmarks.snapshots import write_snapshot
from benchmarks.table import OURS, RUST, AtMost, Row, TimesBetter, median, render
from insight_core.plugin import Dialect
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider
from tests.conformance.our_profiles import read_files

Load = Callable[[Path], LocalProvider]


def test_no_file_of_linked_runs_has_more_links_than_file_systems_allow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: Load
) -> None:
    monkeypatch.setattr("benchmarks.corpus._MOST_LINKS", 3)
    write_corpus(evolve(CORPORA["short_runs"], runs=8), tmp_path)
    assert max(file.stat().st_nlink for file in event_files(tmp_path)) == 3
    assert len(load(tmp_path).series("scalar")) == 8 * 2


@pytest.mark.parametrize("name", ["wide", "mindspore", "many"])
def test_a_corpus_of_numbers_is_whole(name: str, tmp_path: Path, load: Load) -> None:
    corpus = evolve(CORPORA[name], runs=2, tags=3, steps=200)
    write_corpus(corpus, tmp_path)
    provider = load(tmp_path)
    expected = [SeriesKey(run_name(run), tag) for run in range(2) for tag in tag_names(3)]
    found = provider.scalars("scalar", [info.key for info in provider.series("scalar")])
    assert sorted(found) == sorted(expected)
    for columns in found.values():
        assert columns.steps.tolist() == list(range(200))
        assert len(set(columns.values.tolist())) > 100
    assert not provider.damage()
    assert [run.dialects for run in provider.runs()] == [(corpus.dialect,)] * 2


def test_runs_of_a_large_corpus_share_one_file_on_disk(tmp_path: Path, load: Load) -> None:
    write_corpus(evolve(CORPORA["grid"], runs=3, tags=2, steps=5), tmp_path)
    provider = load(tmp_path)
    assert [info.points for info in provider.series("scalar")] == [5] * 6
    assert len({path.stat().st_ino for path in tmp_path.rglob("events*")}) == 1


@pytest.mark.parametrize("shares_frames", [True, False])
def test_a_snapshot_that_is_made_larger_is_read_as_the_sum_of_its_events(
    tmp_path: Path, shares_frames: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_profiler.reading.snapshot._EVENTS", 5000)  # many parts
    path = tmp_path / "a.pickle"
    grown = write_snapshot(path, 12, shares_frames=shares_frames)
    profile = read_files(Files.of_directory(tmp_path, path.name), Source.SNAPSHOT)
    counters = profile.tables["counters"]
    curve = counters["value"][counters["counter"] == 0]
    held = pickle.loads(path.read_bytes())
    signs = {"alloc": 1, "free_requested": -1}
    events = [one for one in held["device_traces"][0] if one["action"] in signs]
    levels = np.cumsum([signs[one["action"]] * one["size"] for one in events])
    assert grown.count > 5
    assert curve[1:].tolist() == levels.tolist() == grown.levels().tolist()
    table = profile.tables["allocations"]
    order = np.argsort(table["start"], kind="stable")
    expected = [(one["addr"], one["size"]) for one in events if one["action"] == "alloc"]
    assert (
        list(zip(table["address"][order].tolist(), table["bytes"][order].tolist(), strict=True)) == expected
    )
    assert (table["end"] >= 0).sum() == sum(one["action"] == "free_requested" for one in events)


def test_tensorflow_2_writes_metadata_with_every_value(tmp_path: Path) -> None:
    assert CORPORA["wide"].form == "tf2"
    corpus = evolve(CORPORA["wide"], runs=1, tags=2, steps=7)
    write_corpus(corpus, tmp_path)
    (file,) = (tmp_path / run_name(0)).iterdir()
    assert file.read_bytes().count(b"scalars") == 14


def test_a_corpus_of_graphs_is_whole(tmp_path: Path, load: Load) -> None:
    write_corpus(evolve(CORPORA["graph_100k"], size=500), tmp_path)
    provider = load(tmp_path)
    [owner] = provider.plugins()
    [info] = provider.series(owner)
    assert (info.key.run, info.key.tag) == (run_name(0), "__run_graph__")
    assert provider.payload(owner, info.key, 0).data.count(b"MatMul") > 50


def test_a_corpus_of_images_is_whole(tmp_path: Path, load: Load) -> None:
    write_corpus(evolve(CORPORA["blobs"], runs=1, tags=2, steps=3), tmp_path)
    provider = load(tmp_path)
    (plugin,) = provider.plugins()
    payloads = {
        provider.payload(plugin, info.key, index).data
        for info in provider.series(plugin)
        for index in range(3)
    }
    assert len(payloads) == 6  # the checksum of each was verified when it was read
    assert all(len(data) > 1 << 20 for data in payloads)


@pytest.mark.parametrize(
    ("name", "size"), [("pictures", 8), ("histograms", 100), ("tensors", 2000), ("large_tensor", 3000)]
)
def test_a_corpus_of_payloads_is_whole(name: str, size: int, tmp_path: Path, load: Load) -> None:
    corpus = evolve(CORPORA[name], steps=5, size=size)
    write_corpus(corpus, tmp_path)
    provider = load(tmp_path)
    (plugin,) = provider.plugins()
    infos = provider.series(plugin)
    assert [info.key for info in infos] == [SeriesKey(run_name(0), tag) for tag in tag_names(corpus.tags)]
    assert [info.points for info in infos] == [5] * corpus.tags
    payloads = {provider.payload(plugin, info.key, index).data for info in infos for index in range(5)}
    assert len(payloads) == corpus.points
    assert not provider.damage()


def test_a_kept_corpus_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = evolve(CORPORA["many"], runs=2, tags=1, steps=5)
    monkeypatch.setitem(CORPORA, "many", small)
    first = kept_corpus("many", tmp_path)
    assert first.size == sum(file.stat().st_size for file in first.logdir.rglob("events*"))
    times = {file: file.stat().st_mtime_ns for file in first.logdir.rglob("*")}
    assert kept_corpus("many", tmp_path) == first
    assert {file: file.stat().st_mtime_ns for file in first.logdir.rglob("*")} == times
    monkeypatch.setitem(CORPORA, "many", evolve(small, steps=6))
    assert kept_corpus("many", tmp_path).logdir != first.logdir


def test_verdicts() -> None:
    row = Row("deep", "load", "s", {OURS: 0.1, RUST: 0.5}, TimesBetter(5))
    assert row.verdict == "pass"
    assert row.ratio == "5.0x"
    assert evolve(row, wanted=TimesBetter(5.1)).verdict == "FAIL"
    assert evolve(row, figures={OURS: 0.1}).verdict == "no peer"
    assert evolve(row, figures={OURS: math.nan, RUST: 0.5}).verdict == "FAIL"
    assert evolve(row, figures={OURS: 0.1, RUST: math.nan}).verdict == "FAIL"
    assert evolve(row, wanted=AtMost(0.1)).verdict == "pass"
    assert evolve(row, wanted=AtMost(0.09)).verdict == "FAIL"
    assert evolve(row, wanted=None).verdict == ""
    assert evolve(row, unit="/s", figures={OURS: 10.0, RUST: 4.0}, wanted=None).ratio == "2.5x"


def test_a_round_that_failed_is_seen() -> None:
    assert median([3.0, 1.0, 2.0]) == 2.0
    assert math.isnan(median([3.0, math.nan, 2.0]))
    assert math.isnan(median([]))
    text = render([Row("deep", "load", "s", {OURS: math.nan, RUST: 0.5}, TimesBetter(5))])
    assert "failed" in text
    assert "FAIL" in text


def test_the_table_is_flush_and_leaves_out_who_has_no_figure() -> None:
    rows = [
        Row("deep", "load", "s", {OURS: 0.1, RUST: 1.25}, TimesBetter(5)),
        Row("deep", "peak memory", "MB", {OURS: 140.2}, AtMost(140)),
    ]
    lines = render(rows).splitlines()
    assert lines[2].startswith("deep  load ")
    assert lines[3].startswith("      peak memory ")
    assert "TensorBoard" not in lines[0]
    assert lines[0].index(RUST) + len(RUST) == lines[2].index("1.250 s") + len("1.250 s")


def test_a_program_is_watched_and_ended_with_its_children() -> None:
    script = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "sum(range(20_000_000))\n"
        "held = bytearray(100_000_000)\n"
        "print(child.pid, file=sys.stderr, flush=True)\n"
        "time.sleep(600)\n"
    )
    with started([sys.executable, "-c", script]) as program:
        assert program.log.await_text("\n", 60) > program.began
        assert program.processor_time() > 0.05
        assert program.peak_memory() > 100 + 5  # and the child's
        child = int(str(program.log))
    assert program.process.returncode is not None
    deadline = time.monotonic() + 60
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _runs(child)


def test_programs_keep_their_bytecode_as_installed_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    script = "import sys; sys.exit(f'without: {sys.dont_write_bytecode}')"
    with started([sys.executable, "-c", script]) as program:
        program.log.await_text("without: False", 60)


def _runs(process: int) -> bool:
    """Whether a process is there and no zombie, which it is until init takes it away."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return "State:\tZ" not in status


def test_a_program_that_ends_early_is_a_failure() -> None:
    with (
        started([sys.executable, "-c", "import sys; sys.exit('no such thing')"]) as program,
        pytest.raises(Failed, match="no such thing"),
    ):
        program.wait(lambda: False, pause=0.01, patience=60)
    with (
        started([sys.executable, "-c", "import sys; sys.exit('no such thing')"]) as program,
        pytest.raises(Failed, match="no such thing"),
    ):
        program.log.await_text("ready", 60)
    with pytest.raises(Failed):
        peak_memory(program.process.pid)


def test_what_an_ended_program_said_is_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    read = Log._read

    def read_late(log: Log, stream: IO[bytes]) -> None:
        time.sleep(0.2)
        read(log, stream)

    monkeypatch.setattr(Log, "_read", read_late)
    with (
        started([sys.executable, "-c", "import sys; sys.exit('no such thing')"]) as program,
        pytest.raises(Failed, match="no such thing"),
    ):
        program.wait(lambda: program.process.wait() == 0, pause=0.01, patience=60)


def test_our_load_is_measured_and_counted(tmp_path: Path) -> None:
    corpus = evolve(CORPORA["many"], runs=2, tags=1, steps=5)
    write_corpus(corpus, tmp_path)
    (wall, cpu, memory) = bench_load.measure(WrittenCorpus("many", corpus, tmp_path, 0), 1)
    assert wall.figures[OURS] > 0
    assert cpu.figures[OURS] > 0
    assert 10 < memory.figures[OURS] < 1000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bench_load, "_contenders", lambda corpus: {OURS: bench_load._own})
        (failed, *_) = bench_load.measure(WrittenCorpus("many", evolve(corpus, steps=6), tmp_path, 0), 1)
    assert math.isnan(failed.figures[OURS])


def test_the_twin_of_wide_is_mindspore_s() -> None:
    assert CORPORA["mindspore"].points == CORPORA["wide"].points == 2_000_000
    assert CORPORA["mindspore"].dialect is Dialect.MINDSPORE


def test_a_corpus_of_traces_is_whole(tmp_path: Path) -> None:
    write_corpus(evolve(CORPORA["trace_111"], size=1), tmp_path)
    trace = tmp_path / run_name(0) / "worker.pt.trace.json"
    assert 1e6 <= trace.stat().st_size < 2.2e6
    events = json.loads(trace.read_bytes())["traceEvents"]
    assert {event["ph"] for event in events} == {"X", "M", "s", "f", "i"}
