"""The file of annotations: several hosts, truncated lines, compaction."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import resource
import stat
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from insight_core.plugin import InvalidArgument, NotFound, Unavailable
from insight_core.plugin.annotations import Annotation
from insight_core.web.state import state_file
from insight_core.web.state.annotations import (
    FILE_NAME,
    AnnotationStore,
    FieldValue,
    Place,
    checked,
    key_of,
    runs_of,
)

LOGS = [Place("", "/logs")]


def _store(directory: Path) -> AnnotationStore:
    return AnnotationStore(directory, lambda: LOGS)


def _lines(directory: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (directory / FILE_NAME).read_text().splitlines()]


def test_what_is_said_is_there_after_a_restart(tmp_path: Path) -> None:
    first = _store(tmp_path / "new" / "state")
    assert first.annotate("a/b", {"remark": "best", "mark": 3}) == Annotation(remark="best", mark=3)
    first.annotate("a/b", {"remark": None, "note": "两行\nof text"})
    again = _store(tmp_path / "new" / "state").now()
    assert again.runs == {"a/b": Annotation(note="两行\nof text", mark=3)}
    assert again.runs["a/b"].said() == {"note": "两行\nof text", "mark": 3}
    first.annotate("a/b", {"note": None, "mark": None})
    assert first.now().runs == {}


def test_who_wrote_it_and_when_is_kept_with_the_value(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = _store(tmp_path), _store(tmp_path)
    one.annotate("r", {"note": "x", "mark": 1}, "Zoë")
    one.annotate("r", {"mark": 2})  # by somebody unknown
    signed = other.now().written
    assert signed.keys() == {"r"}
    assert signed["r"].keys() == {"note"}
    assert signed["r"]["note"].by == "Zoë"
    assert abs(signed["r"]["note"].at - time.time()) < 3600
    before = other.now().generation
    one.annotate("r", {"note": "x"}, "Bob")
    assert other.now().generation == before + 1, "another author of an equal value is a change"
    monkeypatch.setattr(state_file, "_TIDY_FROM", 1)
    for number in range(20):
        one.annotate("r", {"mark": 1 + number % 10})
    assert len(_lines(tmp_path)) < 20, "it was compacted"
    assert _store(tmp_path).now().written["r"]["note"].by == "Bob"
    one.annotate("r", {"note": None}, "Bob")
    assert other.now().written == {}


def test_hosts_that_do_not_know_authors_read_the_same_values(tmp_path: Path) -> None:
    """They read three keys of each line, and take the last line for a value."""
    _store(tmp_path).annotate("r", {"note": "x"}, "alice")
    head, line = _lines(tmp_path)
    assert (head["insight-host"], head["format"]) == ("annotations", 1)
    assert list(line) == ["run", "field", "value", "by", "at"]
    assert line["value"] == "x"


@pytest.mark.parametrize("extra", [{"by": 1, "at": 2.0}, {"by": "alice"}, {"by": "alice", "at": "now"}])
def test_an_author_that_cannot_be_read_costs_no_value(tmp_path: Path, extra: dict[str, object]) -> None:
    store = _store(tmp_path)
    store.annotate("r", {"mark": 1})
    with (tmp_path / FILE_NAME).open("a") as file:
        file.write(json.dumps({"run": "/logs/r", "field": "note", "value": "x", **extra}) + "\n")
    assert store.now().runs["r"].note == "x"
    assert store.now().written == {}


def test_another_host_sees_it_at_its_next_look(tmp_path: Path) -> None:
    one, other = _store(tmp_path), _store(tmp_path)
    assert other.now().runs == {}
    one.annotate("r", {"remark": "x"})
    before = other.now().generation
    assert other.now().runs["r"].remark == "x"
    other.annotate("r", {"mark": 7})
    assert one.now().runs["r"] == Annotation(remark="x", mark=7)
    assert other.now().generation == before + 1
    one.annotate("r", {"mark": 7})
    assert other.now().generation == before + 1, "an equal value does not count as a change"


@pytest.mark.parametrize(
    "torn",
    [
        *(b'{"run": "/logs/r", "fie', b'{"run": 1}\n', b"\xff\x00\n", b"[[\n", b"\n"),
        *(
            json.dumps({"run": "/logs/r", "field": name, "value": value}).encode() + b"\n"
            for name, value in [("mark", 99), ("colour", "red"), ("note", 5), ("remark", "a\nb")]
        ),
    ],
)
def test_a_line_that_no_host_writes_costs_only_itself(tmp_path: Path, torn: bytes) -> None:
    one = _store(tmp_path)
    one.annotate("r", {"remark": "x"})
    with open(tmp_path / FILE_NAME, "ab") as file:
        file.write(torn)
    other = _store(tmp_path)
    assert other.now().runs == {"r": Annotation(remark="x")}
    other.annotate("r", {"mark": 1})
    expected = {"r": Annotation(remark="x", mark=1)}
    assert one.now().runs == other.now().runs == _store(tmp_path).now().runs == expected


def test_a_file_of_a_newer_host_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_text('{"insight-host": "annotations", "format": 2, "id": "x"}\n')
    store = _store(tmp_path)
    assert store.now().runs == {}
    assert "newer" in (store.write_refusal() or "")
    with pytest.raises(Unavailable, match="newer"):
        store.annotate("r", {"mark": 1})
    assert len(_lines(tmp_path)) == 1


@pytest.mark.parametrize(
    "odd", [b"\x00\xff", b'{"run": "/logs/r", "fie', b'{"run": "r", "field": "later", "value": 1}']
)
def test_a_long_file_is_compacted_and_lines_that_cannot_be_read_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: bytes
) -> None:
    monkeypatch.setattr(state_file, "_TIDY_FROM", 600)
    one, other, path = _store(tmp_path), _store(tmp_path), tmp_path / FILE_NAME
    one.annotate("gone", {"remark": "x"})
    one.annotate("gone", {"remark": None})
    with open(path, "ab") as file:
        file.write(odd)
    for number in range(30):
        (one, other)[number % 2].annotate("r", {"remark": f"{number}"})
    assert path.read_bytes().count(b"\n") < 20
    assert path.read_bytes().count(odd + b"\n") == 1
    expected = {"r": Annotation(remark="29")}
    assert one.now().runs == other.now().runs == _store(tmp_path).now().runs == expected
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def _write(directory: str, name: str, times: int) -> None:
    state_file._TIDY_FROM = 2000
    store = AnnotationStore(Path(directory), lambda: LOGS)
    for number in range(times):
        store.annotate(f"{name}{number % 10}", {"remark": f"{number}", "mark": number % 10 + 1})


def test_hosts_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as hosts:
        list(hosts.map(_write, [str(tmp_path)] * 3, "abc", [200] * 3))
    runs = _store(tmp_path).now().runs
    assert runs == {
        f"{name}{last}": Annotation(remark=f"{190 + last}", mark=(190 + last) % 10 + 1)
        for name in "abc"
        for last in range(10)
    }


def test_threads_of_one_host(tmp_path: Path) -> None:
    store = _store(tmp_path)

    def write(name: str) -> None:
        for number in range(20):
            store.annotate(name, {"remark": f"{number}"})
            assert store.now().runs[name].remark == f"{number}"

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, "abcd"))
    assert {run: said.remark for run, said in store.now().runs.items()} == dict.fromkeys("abcd", "19")


def test_without_a_directory_or_read_only_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no state directory"):
        AnnotationStore().annotate("r", {"mark": 1})
    _store(tmp_path).annotate("r", {"mark": 1})
    reader = AnnotationStore(tmp_path, lambda: LOGS, read_only=True)
    assert reader.now().runs == {"r": Annotation(mark=1)}
    with pytest.raises(Unavailable, match="--read-only"):
        reader.annotate("r", {"mark": 2})


def test_runs_keep_their_annotations_however_a_host_is_started(tmp_path: Path) -> None:
    one = AnnotationStore(tmp_path, lambda: [Place("", "/d")])
    two = AnnotationStore(tmp_path, lambda: [Place("x", "/d/sub"), Place("y", "/e")])
    one.annotate("sub/r", {"remark": "1"})
    two.annotate("x", {"remark": "2"})
    two.annotate("y/r", {"remark": "3"})
    assert {run: said.remark for run, said in two.now().runs.items()} == {"x/r": "1", "x": "2", "y/r": "3"}
    assert {run: said.remark for run, said in one.now().runs.items()} == {"sub/r": "1", "sub": "2"}
    with pytest.raises(NotFound):
        two.annotate("z/r", {"remark": "?"})


@pytest.mark.parametrize(
    ("places", "run", "key"),
    [
        ([Place("", "/logs")], ".", "/logs"),
        ([Place("", "/logs")], "a/b", "/logs/a/b"),
        ([Place("", "/")], "a", "/a"),
        ([Place("m", "/a"), Place("mm", "/b")], "mm/r", "/b/r"),
        ([Place("m", "/a"), Place("mm", "/b")], "mm", "/b"),
    ],
)
def test_places(places: list[Place], run: str, key: str) -> None:
    assert key_of(places, run) == key
    assert list(runs_of(places, key)) == [run]
    assert list(runs_of([Place("", "/elsewhere")], key)) == []
    assert list(runs_of([Place("", "/log")], key)) == []


def test_logdirs_within_each_other_show_the_same(tmp_path: Path) -> None:
    store = AnnotationStore(tmp_path, lambda: [Place("x", "/d"), Place("y", "/d/sub"), Place("z", "/d/sub")])
    said = Annotation(remark="1")
    assert store.annotate("y/r", {"remark": "1"}) == said
    assert store.now().runs == {"x/sub/r": said, "y/r": said, "z/r": said}


def test_a_disk_that_is_full_is_said_and_what_was_there_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, written = _store(tmp_path), os.write
    store.annotate("r", {"remark": "x"})
    with monkeypatch.context() as full:
        full.setattr(os, "write", lambda number, data: written(number, data[:20]))
        with pytest.raises(Unavailable, match="20 of"):
            store.annotate("r", {"remark": "y"})
    assert store.now().runs == _store(tmp_path).now().runs == {"r": Annotation(remark="x")}
    store.annotate("r", {"mark": 1})
    assert store.now().runs == _store(tmp_path).now().runs == {"r": Annotation(remark="x", mark=1)}


def test_a_host_that_keeps_the_lock_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "_PATIENCE", 0.3)
    store = _store(tmp_path)
    store.annotate("r", {"remark": "x"})
    with open(tmp_path / FILE_NAME, "rb") as other, ThreadPoolExecutor(1) as thread:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer = thread.submit(store.annotate, "r", {"remark": "y"})
        looks = 0
        while not writer.done():
            assert store.now().runs["r"].remark == "x"
            looks += 1
        assert looks > 100, "a look does not wait for the write"
        with pytest.raises(Unavailable, match="locked"):
            writer.result()
    store.annotate("r", {"remark": "z"})
    assert store.now().runs["r"].remark == "z"


def test_what_was_written_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name is on the disk when its directory is, after a file was created and after it was compacted."""
    monkeypatch.setattr(state_file, "_TIDY_FROM", 200)
    synced: list[bool] = []
    sync = os.fsync

    def listening(number: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(number).st_mode))
        sync(number)

    monkeypatch.setattr(os, "fsync", listening)
    store = _store(tmp_path)
    store.annotate("r", {"remark": "1"})
    assert synced == [True, False]
    for number in range(2, 5):
        store.annotate("r", {"remark": f"{number}"})
    assert synced.count(True) == 2
    assert len(_lines(tmp_path)) == 2


def test_a_file_replaced_by_a_copy_is_read_again(tmp_path: Path) -> None:
    store, path = _store(tmp_path), tmp_path / FILE_NAME
    store.annotate("r", {"remark": "1"})
    lines = path.read_bytes().splitlines(keepends=True)
    for number in range(9):
        store.annotate("r", {"mark": number + 1})
    assert store.now().runs["r"].mark == 9
    other = tmp_path / "copy"
    other.write_bytes(b"".join([*lines, lines[1].replace(b'"1"', b'"2"') * 50]))
    other.replace(path)
    assert store.now().runs == {"r": Annotation(remark="2")}


def test_a_file_that_cannot_be_read_is_a_reason(tmp_path: Path) -> None:
    store, path = _store(tmp_path / "state"), tmp_path / "state"
    path.write_text("")
    assert store.now().runs == {}
    assert "Not a directory" in (store.write_refusal() or "")
    before = store.now().generation
    path.unlink()
    assert store.now().generation == before + 1, "the page asks again"
    assert store.write_refusal() is None


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("remark", "  x ", "x"),
        ("remark", "", None),
        ("note", "a\r\nb\tc", "a\nb\tc"),
        ("mark", 0, None),
        ("mark", 10, 10),
        ("display_name", None, None),
    ],
)
def test_values(name: str, value: object, kept: FieldValue) -> None:
    assert checked(name, value) == kept


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("mark", value) for value in (11, -1, True, 1.0, "1")),
        *(("remark", value) for value in (5, "a\nb", "x" * 201)),
        ("note", "x" * 20_001),
        ("note", "\x00"),
        ("display_name", ["x"]),
        ("display_name", "\ud800"),
        ("colour", "red"),
    ],
)
def test_values_that_are_refused_name_their_field(name: str, value: object) -> None:
    with pytest.raises(InvalidArgument, match=name):
        checked(name, value)


@pytest.mark.parametrize(
    "spoil",  # for root as well
    [
        lambda state: state.write_text(""),
        lambda state: (state.parent.rmdir(), state.parent.write_text("")),
        lambda state: state.symlink_to(state / "nowhere"),
        lambda state: (state / FILE_NAME).mkdir(parents=True),
    ],
    ids=["a file", "a file above", "a dangling link", "a directory in the place of the file"],
)
def test_what_cannot_be_written_is_refused_before_a_write(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    state = tmp_path / "above" / "state"
    state.parent.mkdir()
    spoil(state)
    store = _store(state)
    assert store.now().runs == {}
    assert str(state) in (store.write_refusal() or "")
    with pytest.raises(Unavailable):
        store.annotate("r", {"mark": 1})


def test_a_file_system_that_takes_no_files_is_refused() -> None:
    store = _store(Path("/proc/insight-host"))  # for root as well
    assert "/proc/insight-host" in (store.write_refusal() or "")


def test_a_disk_that_became_full_is_refused_and_an_emptied_one_is_not(tmp_path: Path) -> None:
    store = _store(tmp_path / "state")
    store.annotate("r", {"mark": 1})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (tmp_path / "state" / FILE_NAME).stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        refusal = store.write_refusal()
        with pytest.raises(Unavailable):
            store.annotate("r", {"mark": 2})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "cannot be written" in (refusal or "")
    assert store.write_refusal() is None
    assert store.annotate("r", {"mark": 2}) == Annotation(mark=2)


def test_asking_whether_annotations_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    assert _store(tmp_path / "new" / "state").write_refusal() is None
    assert list(tmp_path.iterdir()) == []
    _store(tmp_path).annotate("r", {"mark": 1})
    said = (tmp_path / FILE_NAME).read_bytes()
    assert _store(tmp_path).write_refusal() is None
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [said]
