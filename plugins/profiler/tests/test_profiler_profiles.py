"""Profiles that a data provider has: read by other processes, kept, read again when files change."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from insight_profiler import insight_plugin
from insight_profiler.model import Source
from insight_profiler.profiles import known, reading
from insight_profiler.profiles.known import Profiles
from insight_profiler.profiles.reading import Look
from insight_profiler.profiles.storage import contents

from benchmarks.traces import write_trace
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import NotFound
from insight_core.plugin.worker import WorkerLimits, Workers
from insight_core.providers.local import LocalProvider
from insight_core.worker import pool

_PATIENCE = 60.0  # seconds, on a machine that does much else
TRACE: dict[str, Any] = {
    "schemaVersion": 1,
    "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 10, "dur": 5,
         "args": {"External id": 3, "Input Dims": [[2, 3]]}},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mul", "pid": 1, "tid": 1, "ts": 20, "dur": 1},
    ],
}  # fmt: skip


def _workers(limits: WorkerLimits | None = None, *, idle: float = 0.2, **more: Any) -> Workers:  # noqa: ANN401
    return Workers(limits or reading.limits(), idle=idle, **more)


class _Opened:
    """Profiles below a directory, and what they are read from."""

    def __init__(self, logdir: Path, workers: Workers) -> None:
        self.provider = LocalProvider([Logdir(str(logdir))], [insight_plugin()], watch=False)
        self.provider.load()
        self.workers = workers
        self.profiles = Profiles(self.provider, workers)

    def until(self, is_so: Callable[[Look], bool], run: str, path: str, cache: Path | None = None) -> Look:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            look = self.profiles.look(run, path, cache)
            if is_so(look):
                return look
            time.sleep(0.02)
        raise AssertionError(f"{look.state} {look.failure}")

    def read(self, run: str = ".", path: str = "a.pt.trace.json", cache: Path | None = None) -> Look:
        return self.until(lambda look: look.state != "reading", run, path, cache)


@pytest.fixture
def opened() -> Iterator[Callable[..., _Opened]]:
    found: list[_Opened] = []

    def open_profiles(logdir: Path, workers: Workers | None = None) -> _Opened:
        found.append(_Opened(logdir, workers or _workers()))
        return found[-1]

    yield open_profiles
    for one in found:
        one.provider.close()
        end = time.monotonic() + _PATIENCE
        while one.workers.pids and time.monotonic() < end:
            time.sleep(0.05)
        assert one.workers.pids == []  # they go when there is nothing to do


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    place = tmp_path / "logs"
    place.mkdir()
    (place / "a.pt.trace.json").write_text(json.dumps(TRACE))
    return place


def test_the_first_look_has_it_read(logdir: Path, opened: Callable[..., _Opened]) -> None:
    place = opened(logdir)
    first = place.profiles.look(".", "a.pt.trace.json", None)
    assert (first.state, first.profile, first.version) == ("reading", None, 0)
    assert first.total == (logdir / "a.pt.trace.json").stat().st_size
    look = place.read()
    assert (look.state, look.failure, look.read) == ("ready", None, look.total)
    assert look.profile is not None
    assert look.profile.source is Source.TORCH
    assert look.profile.worker == "a"
    assert look.profile.tables["slices"]["duration"].tolist() == [5000, 1000]
    assert [path.name for path in logdir.iterdir()] == ["a.pt.trace.json"]


def test_a_cell_may_hold_all_links_of_a_step(tmp_path: Path, opened: Callable[..., _Opened]) -> None:
    links = {f"1-{rank}": {"HCCS": [0.5, 2.0, 99]} for rank in range(10_000)}
    cell = json.dumps(links).replace('"', '""')
    assert len(cell) > 131_072  # the limit of the standard library
    table = f'step_num,communication_cost,wait_cost,link_info\n3,0.5,0.25,"{cell}"\n'
    (tmp_path / "hccl_raw_1.csv").write_text(table)
    look = opened(tmp_path).read(path=".")
    assert (look.failure, look.profile and look.profile.notes) == (None, ())
    assert look.profile is not None
    assert len(look.profile.tables["links"]["source"]) == 10_000


@pytest.mark.parametrize("is_kept", [False, True])
def test_nothing_is_left_beside_what_is_kept(
    logdir: Path,
    tmp_path: Path,
    opened: Callable[..., _Opened],
    monkeypatch: pytest.MonkeyPatch,
    is_kept: bool,
) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    cache = tmp_path / "cache" if is_kept else None
    place = opened(logdir)
    profile = place.read(cache=cache).profile
    assert list((tmp_path / "temporary").iterdir()) == []
    assert profile is not None
    assert profile.tables["slices"]["duration"].tolist() == [5000, 1000]  # still there
    assert place.profiles.look(".", "a.pt.trace.json", cache).state == "ready"
    assert contents(tmp_path / "cache").entries == is_kept


def test_a_process_whose_host_is_gone_leaves_nothing(tmp_path: Path) -> None:
    looks = tmp_path / "looks"
    (looks / "look-1").mkdir(parents=True)
    arguments = {
        "source": "torch",
        "files": {"a": 5},
        "rank": -1,
        "worker": "a",
        "directory": "",
        "looks": str(looks),
    }
    limits = {"memory": 1 << 30, "seconds": 60, "answer": 1 << 10}
    order = {"function": "insight_profiler.profiles.worker:read", "arguments": arguments, **limits}
    done = subprocess.run(
        [sys.executable, "-m", "insight_core.worker.child"],
        input=json.dumps(order).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    assert b'"read": "a"' in done.stdout
    assert not looks.exists()


def test_a_reading_process_has_a_limit_of_memory(logdir: Path, opened: Callable[..., _Opened]) -> None:
    text = b'{"traceEvents":[{"ph":"X","name":"' + b"A" * (60 << 20)
    (logdir / "b.pt.trace.json.gz").write_bytes(gzip.compress(text))
    limits = evolve(reading.limits(), memory=48 << 20)
    place = opened(logdir, _workers(limits))
    look = place.read(path="b.pt.trace.json.gz")
    assert look.failure is not None
    assert look.failure.code == "out_of_memory"
    assert place.read().state == "ready"  # the same process goes on with the next profile


def test_a_reading_process_has_a_limit_of_time(logdir: Path, opened: Callable[..., _Opened]) -> None:
    event = b'{"ph":"X","name":"work","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":1},'
    text = b'{"traceEvents":[' + event * 500_000 + event[:-1] + b"]}"
    (logdir / "b.pt.trace.json.gz").write_bytes(gzip.compress(text))
    place = opened(logdir, _workers(evolve(reading.limits(), seconds=0.5)))
    look = place.read(path="b.pt.trace.json.gz")
    assert look.failure is not None
    assert look.failure.code == "out_of_time"
    assert place.read().state == "ready"  # the same process goes on with the next profile


def test_what_unpacks_to_far_too_much_is_read_in_part_and_told(
    logdir: Path, opened: Callable[..., _Opened]
) -> None:
    events = json.dumps(TRACE)[:-2].encode()  # the array goes on
    packed = gzip.compress(events + b" " * (100 << 20) + b"]}", 9)
    (logdir / "b.pt.trace.json.gz").write_bytes(packed)
    look = opened(logdir).read(path="b.pt.trace.json.gz")
    assert look.profile is not None
    assert len(look.profile.tables["slices"]["start"]) == 2
    assert [note.code for note in look.profile.notes] == ["truncated", "unpacked_limit"]


def test_a_trace_whose_checksum_alone_is_wrong_is_whole(logdir: Path, opened: Callable[..., _Opened]) -> None:
    packed = bytearray(gzip.compress(json.dumps(TRACE).encode()))
    packed[-6] ^= 255
    (logdir / "b.pt.trace.json.gz").write_bytes(packed)
    look = opened(logdir).read(path="b.pt.trace.json.gz")
    assert look.profile is not None
    assert len(look.profile.tables["slices"]["start"]) == 2
    assert [note.code for note in look.profile.notes] == ["wrong_checksum"]


def _open_below(directory: Path) -> int:
    """How many descriptors this process has of files there, removed ones too."""
    links = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing itself
            links.append(os.readlink(f"/proc/self/fd/{number}"))
    return sum(link.startswith(f"{directory}/") for link in links)


def test_profiles_hold_one_descriptor_each_and_none_when_others_were_looked_at(
    logdir: Path, tmp_path: Path, opened: Callable[..., _Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "_MOST_HELD", 3)
    for number in range(6):
        (logdir / f"b{number}.pt.trace.json").write_text(json.dumps(TRACE))
    place = opened(logdir)
    for number in range(6):
        profile = place.read(path=f"b{number}.pt.trace.json", cache=tmp_path / "cache").profile
        assert profile is not None
        assert len(profile.tables) == 2
    del profile
    assert 1 <= _open_below(tmp_path / "cache") <= 3


def test_listing_tells_sizes(logdir: Path, opened: Callable[..., _Opened]) -> None:
    place = opened(logdir)
    [one] = place.profiles.listing()
    size = (logdir / "a.pt.trace.json").stat().st_size
    assert (one.run, one.path, one.files["a.pt.trace.json"].size) == (".", "a.pt.trace.json", size)
    assert place.profiles.listing(["other"]) == []


def test_a_profile_that_is_not_there_is_told(logdir: Path, opened: Callable[..., _Opened]) -> None:
    with pytest.raises(NotFound, match=r"run '\.' has no profile b"):
        opened(logdir).profiles.look(".", "b", None)


def test_what_was_read_is_kept(logdir: Path, tmp_path: Path, opened: Callable[..., _Opened]) -> None:
    cache = tmp_path / "cache"
    assert opened(logdir).read(cache=cache).state == "ready"
    assert contents(cache).entries == 1
    again = opened(logdir, _workers(command=["/no/such/program"]))
    look = again.profiles.look(".", "a.pt.trace.json", cache)  # without a process
    assert (look.state, look.version) == ("ready", 1)


@pytest.mark.parametrize("is_file", [True, False])
def test_a_cache_that_cannot_be_written_is_done_without(
    logdir: Path, tmp_path: Path, opened: Callable[..., _Opened], is_file: bool
) -> None:
    (tmp_path / "in the way").write_text("")
    cache = tmp_path / "in the way" if is_file else tmp_path / "in the way/below"
    look = opened(logdir).read(cache=cache)
    assert (look.state, look.failure) == ("ready", None)
    assert look.profile is not None
    assert len(look.profile.tables["slices"]["start"]) == 2


def test_a_profile_is_shown_though_the_disk_of_the_cache_is_full(
    logdir: Path, tmp_path: Path, opened: Callable[..., _Opened]
) -> None:
    cache = tmp_path / "full"
    program = f"""
import errno, os
from insight_core.worker import child
from insight_profiler.profiles import worker

def save(profile, directory, save=worker.save):
    if str(directory).startswith({str(cache)!r}):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    save(profile, directory)

worker.save = save
child.main()
"""
    place = opened(logdir, _workers(command=[sys.executable, "-c", program]))
    look = place.read(cache=cache)
    assert (look.state, look.failure) == ("ready", None)
    assert look.profile is not None
    assert len(look.profile.tables["slices"]["start"]) == 2
    [note] = look.profile.notes
    assert (note.code, "No space left" in note.values["reason"]) == ("not_cached", True)
    assert contents(cache).entries == 0


def test_what_is_kept_and_damaged_is_read_again(
    logdir: Path, tmp_path: Path, opened: Callable[..., _Opened]
) -> None:
    cache = tmp_path / "cache"
    opened(logdir).read(cache=cache)
    [kept] = cache.iterdir()
    (kept / "tables.safetensors").write_bytes(b"")
    assert opened(logdir).read(cache=cache).state == "ready"


def test_arguments_are_read_again(logdir: Path, opened: Callable[..., _Opened]) -> None:
    packed = gzip.compress((logdir / "a.pt.trace.json").read_bytes())
    (logdir / "b.pt.trace.json.gz").write_bytes(packed)
    place = opened(logdir)
    for path in ("a.pt.trace.json", "b.pt.trace.json.gz"):
        profile = place.read(path=path).profile
        assert profile is not None
        assert place.profiles.arguments(".", path, profile, 0) == {"External id": 3, "Input Dims": [[2, 3]]}
        assert place.profiles.arguments(".", path, profile, 1) is None


def test_there_is_something_to_see_before_all_is_read(tmp_path: Path, opened: Callable[..., _Opened]) -> None:
    logdir = tmp_path / "logs"
    logdir.mkdir()
    steps = write_trace(logdir / "a.pt.trace.json", 40)
    place = opened(logdir)
    early = place.until(lambda look: look.profile is not None, ".", "a.pt.trace.json")
    assert early.profile is not None
    assert not early.profile.is_complete
    assert 8 << 20 <= early.read < early.total
    assert 0 < len(early.profile.tables["steps"]["number"]) < steps
    assert len(early.profile.tables["operators"]["name"])
    late = place.read()
    assert late.profile is not None
    assert late.profile.is_complete
    assert late.version > early.version
    assert len(late.profile.tables["steps"]["number"]) == steps


def test_a_file_that_is_none_fails_and_says_why(logdir: Path, opened: Callable[..., _Opened]) -> None:
    (logdir / "a.pt.trace.json").write_text("never")
    look = opened(logdir).read()
    assert look.state == "failed"
    assert look.failure is not None
    assert look.failure.code == "not_a_trace"
    assert look.failure.text == "a.pt.trace.json is not a trace: it begins with neither { nor ["


def test_a_process_that_dies_is_a_failure_and_the_next_profile_is_read(
    logdir: Path, opened: Callable[..., _Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(logdir / "large.pt.trace.json", 60)
    place = opened(logdir)
    place.until(lambda look: look.read > 0, ".", "large.pt.trace.json")
    for pid in place.workers.pids:
        os.kill(pid, signal.SIGKILL)
    look = place.read(path="large.pt.trace.json")
    assert look.failure is not None
    assert look.failure.code == "reader_died"
    assert "killed by SIGKILL" in look.failure.text
    assert place.read().state == "ready"
    monkeypatch.setattr(reading, "_AGAIN", 0.0)
    assert place.until(lambda look: look.state == "ready", ".", "large.pt.trace.json").failure is None


def test_processes_and_what_they_have_not_finished_end_with_the_host(
    logdir: Path, opened: Callable[..., _Opened], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(pool, "_CLOSING", _PATIENCE)  # the machine may be busy
    write_trace(logdir / "large.pt.trace.json", 60)
    workers = _workers(idle=1000.0)
    place = opened(logdir, workers)
    place.until(lambda look: look.read > 0, ".", "large.pt.trace.json")
    [pid] = workers.pids
    assert [path.name[:21] for path in temporary.iterdir()] == ["insight-host-profile-"]
    place.profiles.close()
    assert list(temporary.iterdir()) == []
    look = place.profiles.look(".", "large.pt.trace.json", None)
    assert look.failure is not None
    assert "killed by SIGKILL" in look.failure.text
    assert pid not in workers.pids


def test_a_process_that_cannot_start_is_a_failure(logdir: Path, opened: Callable[..., _Opened]) -> None:
    look = opened(logdir, _workers(command=["/no/such/program"])).read()
    assert look.failure is not None
    assert "could not be started" in look.failure.text
    look = opened(logdir, _workers(command=[sys.executable, "-c", "exit(3)"])).read()
    assert look.failure is not None
    assert "exit code 3" in look.failure.text


def test_a_file_that_changes_is_read_again_once_it_rests(
    logdir: Path, opened: Callable[..., _Opened], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_SETTLED", 0.3)
    place = opened(logdir)
    before = place.read()
    changed = {**TRACE, "traceEvents": TRACE["traceEvents"][:1]}
    (logdir / "a.pt.trace.json").write_text(json.dumps(changed))
    place.provider.load()
    at_once = place.profiles.look(".", "a.pt.trace.json", None)
    assert (at_once.state, at_once.profile) == ("ready", before.profile)
    after = place.until(lambda look: look.version > before.version, ".", "a.pt.trace.json")
    assert after.profile is not None
    assert len(after.profile.tables["slices"]["start"]) == 1


def test_a_file_that_shrinks_while_it_is_read_is_told(logdir: Path, opened: Callable[..., _Opened]) -> None:
    path = logdir / "large.pt.trace.json"
    write_trace(path, 60)
    place = opened(logdir)
    place.until(lambda look: look.read > 0, ".", "large.pt.trace.json")
    os.truncate(path, 30 << 20)
    look = place.read(path="large.pt.trace.json")
    assert look.profile is not None
    assert look.profile.is_complete
    assert look.profile.notes[0].code == "truncated"


def test_a_cut_packed_trace_is_told_once(logdir: Path, opened: Callable[..., _Opened]) -> None:
    write_trace(logdir / "b.json", 1)
    packed = gzip.compress((logdir / "b.json").read_bytes())
    (logdir / "b.pt.trace.json.gz").write_bytes(packed[: len(packed) // 2])
    profile = opened(logdir).read(path="b.pt.trace.json.gz").profile
    assert profile is not None
    assert [note.code for note in profile.notes] == ["truncated"]
    assert len(profile.tables["slices"]["start"]) > 100


def test_many_profiles_share_few_processes(logdir: Path, opened: Callable[..., _Opened]) -> None:
    for number in range(6):
        (logdir / f"{number}.pt.trace.json").write_text(json.dumps(TRACE))
    place = opened(logdir)
    names = [one.path for one in place.profiles.listing()]
    for name in names:
        place.profiles.look(".", name, None)
    most = 0
    for name in names:
        while place.profiles.look(".", name, None).state == "reading":
            most = max(most, len(place.workers.pids))
            time.sleep(0.01)
        assert place.profiles.look(".", name, None).state == "ready"
    assert 1 <= most <= 2
