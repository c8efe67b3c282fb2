"""What the watcher tells of changes below logdirs, and where it cannot."""

from __future__ import annotations

import errno
import gc
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import inotify_simple
import pytest

from insight_core.ingest import inotify, watch
from insight_core.ingest.discover import discover, may_count_below
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.watch import Watcher
from insight_core.plugin import FileName, Plugin, RecordDecoder

EVENTS = "events.out.tfevents.1700000000.host"
NAMES = FileNames([Plugin("t", "T", decoder=RecordDecoder({FileName("trace/*.json")}))])
Watch = Callable[..., Watcher]


def watcher_of(*paths: Path) -> Watcher:
    logdirs = [Logdir(str(path)) for path in paths]
    return Watcher([logdir.path for logdir in logdirs], may_count_below(logdirs, NAMES))


@pytest.fixture
def watched() -> Iterator[Watch]:
    """A watcher of these directories, which has told that anything may have changed."""
    opened: list[Watcher] = []

    def open_watcher(*paths: Path) -> Watcher:
        opened.append(watcher_of(*paths))
        assert opened[-1].wait(5) is None
        return opened[-1]

    yield open_watcher
    for watcher in opened:
        watcher.close()


def write(path: Path, data: bytes = b"x") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab") as file:
        file.write(data)
    return str(path)


def told(watcher: Watcher) -> set[str] | None:
    changed = watcher.wait(10)
    return None if changed is None else set(changed)


def test_an_append_is_told_at_once(tmp_path: Path, watched: Watch) -> None:
    path = write(tmp_path / "run/deep" / EVENTS)
    watcher = watched(tmp_path)
    assert watcher.follows
    threading.Timer(0.1, write, [tmp_path / "run/deep" / EVENTS]).start()
    began = time.monotonic()
    assert told(watcher) == {path}
    assert time.monotonic() - began < 5
    assert watcher.wait(0) == frozenset()


def test_what_happened_before_the_wait_is_told(tmp_path: Path, watched: Watch) -> None:
    paths = {write(tmp_path / f"r{number}" / EVENTS) for number in range(3)}
    watcher = watched(tmp_path)
    for path in paths:
        write(Path(path))
    assert told(watcher) == paths


def test_other_files_are_not_told(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path / "run" / EVENTS)
    watcher = watched(tmp_path)
    write(tmp_path / "run/model.ckpt", b"x" * 100000)
    (tmp_path / "run/model.ckpt").unlink()
    assert watcher.wait(0.2) == frozenset()


@pytest.mark.parametrize("name", [EVENTS, "x.out.events.summary.1700000000.host_MS", "ms_output_graph.pb"])
def test_files_that_come_and_go_ask_for_a_full_look(tmp_path: Path, watched: Watch, name: str) -> None:
    write(tmp_path / "run" / EVENTS)
    watcher = watched(tmp_path)
    write(tmp_path / "run/more" / name)
    assert watcher.wait(5) is None
    (tmp_path / "run/more" / name).unlink()
    assert watcher.wait(5) is None
    write(tmp_path / "elsewhere")
    os.rename(tmp_path / "elsewhere", tmp_path / "run/more" / name)
    assert watcher.wait(5) is None


def expect_full_look(watcher: Watcher) -> None:
    """The next wait says that anything may have changed; the changes that follow are waited for."""
    assert watcher.wait(5) is None
    settle(watcher)


def settle(watcher: Watcher) -> None:
    """Waits until all changes so far have been reported."""
    while watcher.wait(0.1) != frozenset():
        pass


def test_directories_that_appear_are_followed(tmp_path: Path, watched: Watch) -> None:
    watcher = watched(tmp_path)
    path = write(tmp_path / "a/b/c" / EVENTS)
    expect_full_look(watcher)
    write(Path(path))
    assert told(watcher) == {path}


def test_a_renamed_directory_is_followed_under_its_new_name(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path / "old/deep" / EVENTS)
    watcher = watched(tmp_path)
    os.rename(tmp_path / "old", tmp_path / "new")
    expect_full_look(watcher)
    assert watcher.wait(0) == frozenset()
    path = write(tmp_path / "new/deep" / EVENTS)
    assert told(watcher) == {path}


def test_a_directory_that_is_deleted_and_made_again(tmp_path: Path, watched: Watch) -> None:
    for _ in range(3):
        path = write(tmp_path / "run" / EVENTS)
        watcher = watched(tmp_path)
        shutil.rmtree(tmp_path / "run")
        write(Path(path))
        expect_full_look(watcher)
        write(Path(path))
        assert told(watcher) == {path}


def test_files_that_plugins_take_are_told_where_they_take_them(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path / "run" / EVENTS)
    taken, other = write(tmp_path / "run/trace/a.json"), write(tmp_path / "run/a.json")
    watcher = watched(tmp_path)
    write(Path(other))
    write(tmp_path / "run/new.json")
    assert watcher.wait(0.2) == frozenset()
    write(Path(taken))
    assert told(watcher) == {taken}
    write(tmp_path / "run/trace/new.json")
    expect_full_look(watcher)
    os.unlink(taken)
    expect_full_look(watcher)
    os.symlink(other, taken)
    expect_full_look(watcher)
    write(Path(other))
    assert told(watcher) == {taken}


@pytest.mark.parametrize("missing", ["logs", "not/yet/logs"])
def test_a_logdir_that_comes_later_and_goes_again(tmp_path: Path, watched: Watch, missing: str) -> None:
    logdir = tmp_path / missing
    watcher = watched(logdir)
    write(tmp_path / "unrelated")
    assert watcher.wait(0.1) == frozenset()
    for _ in range(2):
        path = write(logdir / "run" / EVENTS)
        expect_full_look(watcher)
        write(Path(path))
        assert told(watcher) == {path}
        shutil.rmtree(tmp_path / missing.split("/")[0])
        expect_full_look(watcher)


def test_a_logdir_that_is_moved_with_what_is_above_it(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path / "above/logs/run" / EVENTS)
    watcher = watched(tmp_path / "above/logs")
    os.rename(tmp_path / "above", tmp_path / "away")
    path = write(tmp_path / "above/logs/run" / EVENTS)
    expect_full_look(watcher)
    write(Path(path))
    assert told(watcher) == {path}


def test_symbolic_links_are_followed_and_told_as_the_loader_names_them(
    tmp_path: Path, watched: Watch
) -> None:
    target = tmp_path / "elsewhere/run"
    write(target / EVENTS)
    write(tmp_path / "far" / EVENTS)
    logdir = tmp_path / "logs"
    write(logdir / "run" / EVENTS)
    os.symlink(target, logdir / "linked")
    os.symlink(logdir / "run", logdir / "twin")
    os.symlink(logdir, logdir / "run/back")
    os.symlink(tmp_path / "far" / EVENTS, logdir / f"file.{EVENTS}")
    watcher = watched(logdir, logdir / "run")
    logdirs = [Logdir(str(logdir)), Logdir(str(logdir / "run"))]
    write(target / EVENTS)
    assert told(watcher) == {path for _, path in discover(logdirs).files if "linked" in path}
    write(logdir / "run" / EVENTS)
    assert told(watcher) == {str(logdir / "run" / EVENTS)}
    write(tmp_path / "far" / EVENTS)
    assert told(watcher) == {path for _, path in discover(logdirs).files if "file" in path}


@pytest.mark.parametrize("follow", [False, True])
def test_links_that_lead_out_are_watched_only_if_the_loader_follows_them(
    tmp_path: Path, follow: bool
) -> None:
    write(tmp_path / "elsewhere" / EVENTS)
    write(tmp_path / "logs/run" / EVENTS)
    os.symlink(tmp_path / "elsewhere", tmp_path / "logs/run/out")
    logdirs = [Logdir(str(tmp_path / "logs"))]
    watcher = Watcher([logdirs[0].path], may_count_below(logdirs, NAMES), follow_symlinks=follow)
    try:
        assert watcher.wait(5) is None
        write(tmp_path / "elsewhere" / EVENTS)
        found = {path for _, path in discover(logdirs, follow_symlinks=follow).files if "/out/" in path}
        changed = watcher.wait(5 if follow else 0.2)
        assert set(changed or ()) == found
        assert bool(found) == follow
    finally:
        watcher.close()


def test_directories_that_link_to_each_other_are_watched_once(tmp_path: Path, watched: Watch) -> None:
    names = [f"d{number}" for number in range(4)]
    for name in names:
        write(tmp_path / name / EVENTS)
        for other in names:
            os.symlink(tmp_path / other, tmp_path / name / f"to_{other}")
    watcher = watched(tmp_path)
    write(tmp_path / "d3" / EVENTS)
    assert told(watcher) == {str(tmp_path / "d3" / EVENTS)}


def test_a_link_that_comes_later_and_names_a_directory_first(tmp_path: Path, watched: Watch) -> None:
    write(tmp_path / "elsewhere" / EVENTS)
    logs = tmp_path / "logs"
    logs.mkdir()
    os.symlink(tmp_path / "elsewhere", logs / "z")
    watcher = watched(logs)
    os.symlink(tmp_path / "elsewhere", logs / "a")
    expect_full_look(watcher)
    write(tmp_path / "elsewhere" / EVENTS)
    [(_, path)] = discover([Logdir(str(logs))]).files
    assert told(watcher) == {path} == {str(logs / "a" / EVENTS)}


def test_a_symbolic_link_that_comes_later(tmp_path: Path, watched: Watch) -> None:
    target = tmp_path / "elsewhere/run"
    write(target / EVENTS)
    (tmp_path / "logs").mkdir()
    watcher = watched(tmp_path / "logs")
    link = tmp_path / "logs/linked"
    for _ in range(2):
        os.symlink(target, link)
        expect_full_look(watcher)
        write(target / EVENTS)
        assert told(watcher) == {str(link / EVENTS)}
        link.unlink()
        expect_full_look(watcher)


def test_names_that_are_no_text(tmp_path: Path, watched: Watch) -> None:
    directory = os.fsencode(tmp_path) + b"/r\xff\xfe"
    os.mkdir(directory)
    watcher = watched(tmp_path)
    path = write(Path(os.fsdecode(directory)) / (EVENTS + "\udcff"))
    expect_full_look(watcher)
    write(Path(path))
    assert told(watcher) == {path}


def test_a_writer_that_flushes_all_the_time_is_told_now_and_then(tmp_path: Path, watched: Watch) -> None:
    path = Path(write(tmp_path / "run" / EVENTS))
    watcher = watched(tmp_path)
    ended = threading.Event()

    def flood() -> None:
        while not ended.is_set():
            write(path)

    flooding = threading.Thread(target=flood)
    flooding.start()
    began = time.monotonic()
    answers = [told(watcher) for _ in range(6)]
    took = time.monotonic() - began
    ended.set()
    flooding.join()
    assert answers == [{str(path)}] * 6
    assert took > 5 * watch._APART * 0.9


def test_an_overflow_asks_for_a_full_look(
    tmp_path: Path, watched: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "run" / EVENTS)
    watcher = watched(tmp_path)
    read = inotify_simple.INotify.read
    lost = inotify_simple.Event(-1, inotify_simple.flags.Q_OVERFLOW, 0, "")
    monkeypatch.setattr(inotify_simple.INotify, "read", lambda self, timeout: [*read(self, timeout), lost])
    write(Path(path))
    assert watcher.wait(5) is None
    monkeypatch.undo()
    settle(watcher)
    write(Path(path))
    assert told(watcher) == {path}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE, errno.ENOSYS])
def test_without_inotify_or_beyond_its_limits_each_wait_says_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    caplog.set_level(logging.INFO)
    monkeypatch.setattr(inotify_simple.INotify, "__init__" if number != errno.ENOSPC else "add_watch", refuse)
    watcher = watcher_of(tmp_path)
    assert watcher.wait(0) is None
    assert not watcher.follows
    began = time.monotonic()
    assert watcher.wait(0.2) is None
    assert time.monotonic() - began >= 0.19
    watcher.close()
    assert len(caplog.messages) == 1
    assert "polling for new data" in caplog.messages[0]


def test_the_limit_may_be_reached_later(
    tmp_path: Path, watched: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher = watched(tmp_path)

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "")

    monkeypatch.setattr(inotify_simple.INotify, "add_watch", refuse)
    (tmp_path / "run").mkdir()
    assert watcher.wait(5) is None
    assert not watcher.follows


def test_file_systems_that_change_unheard_are_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "logs/run" / EVENTS)
    (tmp_path / "share/run").mkdir(parents=True)
    os.symlink(tmp_path / "share/run", tmp_path / "logs/linked")
    table = {"/": "ext4", str(tmp_path / "share"): "nfs4"}
    monkeypatch.setattr(inotify, "mounts", lambda: table)
    for path, follows in [("logs/run", True), ("logs", False), ("share", False), ("share/run", False)]:
        watcher = watcher_of(tmp_path / path)
        assert watcher.wait(0) is None
        assert watcher.follows is follows, path
        watcher.close()


@pytest.mark.parametrize("follows", [True, False])
def test_a_wait_ends_when_somebody_wakes_it_or_closes(tmp_path: Path, follows: bool) -> None:
    watcher = watcher_of(tmp_path)
    watcher.wait(0)
    watcher.follows = follows
    for end in (watcher.wake, watcher.close):
        began = time.monotonic()
        threading.Timer(0.1, end).start()
        assert not watcher.wait(30)
        assert time.monotonic() - began < 10
    watcher.wake()
    watcher.close()
    assert watcher.wait(30) in (frozenset(), None)


def test_waking_before_the_wait_counts(tmp_path: Path, watched: Watch) -> None:
    watcher = watched(tmp_path)
    watcher.wake()
    began = time.monotonic()
    assert watcher.wait(30) == frozenset()
    assert time.monotonic() - began < 10


def test_nothing_stays_open(tmp_path: Path) -> None:
    def opened() -> int:
        return len(os.listdir("/proc/self/fd"))

    gc.collect()  # what earlier tests left behind is not closed meanwhile
    before = opened()
    for _ in range(3):
        watcher = watcher_of(tmp_path, tmp_path / "missing")
        watcher.wait(0)
        watcher.close()
        watcher.close()
    assert opened() == before
