"""A mirror has the files of its store, fetches each byte once, and loses nothing when the store fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from insight_remote.mirror import mirror as mirror_module
from insight_remote.mirror import requests
from insight_remote.mirror.mirror import next_pause
from insight_remote.mirror.mirrors import Mirrors

from insight_core.ingest.fetching import FilePart
from insight_core.plugin import FileChanged
from tests.remote.memory_store import LOCATION, MemoryStore
from tests.waiting import eventually

Open = Callable[..., tuple[Mirrors, Path]]


def _content(size: int, seed: int = 0) -> bytes:
    return np.random.default_rng(seed).integers(0, 256, size, np.uint8).tobytes()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_PAUSES", (0.0, 0.0, 0.0))


@pytest.fixture
def open_mirror(store: MemoryStore, tmp_path: Path) -> Iterator[Open]:
    with ExitStack() as opened:

        def open_(interval: float = 0.0, most_bytes: int | None = None) -> tuple[Mirrors, Path]:
            mirrors = Mirrors(tmp_path / "cache", most_bytes, interval)
            opened.callback(mirrors.close)
            root = Path(mirrors.add(LOCATION, store.open))
            mirrors.list_now()
            return mirrors, root

        yield open_


def _fetched(mirrors: Mirrors, path: Path, start: int = 0, end: int = 1 << 40) -> bytes:
    mirrors.fetch([FilePart(str(path), start, end, grows=True)])
    with open(path, "rb") as file:
        file.seek(start)
        return file.read(min(end - start, 1 << 20))


def test_files_have_sizes_and_times_before_anything_is_read(store: MemoryStore, open_mirror: Open) -> None:
    store.put("run/a", _content(1000))
    store.put("b", b"")
    _, root = open_mirror()
    for listed in store.listed():
        info = os.stat(root / listed.path)
        assert (info.st_size, info.st_mtime_ns) == (listed.size, listed.mtime_ns)
    assert (store.lists, store.reads) == (1, [])


def test_each_byte_is_fetched_once(store: MemoryStore, open_mirror: Open) -> None:
    data = _content(10_000)
    store.put("a", data)
    mirrors, root = open_mirror()
    assert _fetched(mirrors, root / "a", 100, 200) == data[100:200]
    assert _fetched(mirrors, root / "a", 150, 5000) == data[150:5000]
    assert _fetched(mirrors, root / "a") == data
    assert store.bytes_read == len(data)
    assert os.stat(root / "a").st_mtime_ns == store.listed()[0].mtime_ns


def test_a_long_file_is_fetched_by_several_requests(
    store: MemoryStore, open_mirror: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_remote.mirror.mirrored_file._PIECE", 1000)
    data = _content(50_500)
    store.put("a", data)
    mirrors, root = open_mirror()
    assert _fetched(mirrors, root / "a") == data
    assert (len(store.reads), store.bytes_read) == (51, len(data))


def test_of_a_file_that_grew_only_the_rest_is_fetched(store: MemoryStore, open_mirror: Open) -> None:
    data = _content(20_000)
    store.put("a", data[:10_000])
    mirrors, root = open_mirror()
    _fetched(mirrors, root / "a")
    inode = os.stat(root / "a").st_ino
    store.reads.clear()
    store.append("a", data[10_000:])
    mirrors.list_now()
    assert _fetched(mirrors, root / "a", 9000) == data[9000:]
    assert store.reads == [("a", 10_000 - 256, 20_000)]
    assert os.stat(root / "a").st_ino == inode


def test_little_more_is_read_than_was_appended(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", data := _content(50_000))
    mirrors, root = open_mirror()
    _fetched(mirrors, root / "a")
    for appended in (1_400, 3_000, 40_000):
        before = mirrors.counts()[LOCATION].bytes
        store.append("a", more := _content(appended, seed=appended))
        data += more
        mirrors.list_now()
        assert _fetched(mirrors, root / "a") == data
        assert mirrors.counts()[LOCATION].bytes - before == pytest.approx(appended, rel=0.05)


@pytest.mark.parametrize("size", [5_000, 10_000, 20_000])
def test_a_replaced_file_is_another_file(store: MemoryStore, open_mirror: Open, size: int) -> None:
    """Whether it is shorter, as long or longer than before."""
    store.put("a", _content(10_000))
    mirrors, root = open_mirror()
    _fetched(mirrors, root / "a")
    inode = os.stat(root / "a").st_ino
    store.put("a", other := _content(size, seed=1))
    mirrors.list_now()
    assert _fetched(mirrors, root / "a") == other
    assert os.stat(root / "a").st_ino != inode


def test_a_file_that_is_no_log_keeps_nothing_when_it_changes(store: MemoryStore, open_mirror: Open) -> None:
    """Its end may be as before while its beginning is not."""
    end = _content(300)
    store.put("a", b"old" + end)
    mirrors, root = open_mirror()
    mirrors.fetch([FilePart(str(root / "a"))])
    store.put("a", b"new" + end + b"more")
    mirrors.list_now()
    mirrors.fetch([FilePart(str(root / "a"))])
    assert (root / "a").read_bytes() == b"new" + end + b"more"


def test_a_file_that_changes_after_the_listing_is_listed_again(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", _content(100))
    mirrors, root = open_mirror()
    store.put("a", other := _content(120, seed=1))
    assert _fetched(mirrors, root / "a") == other
    assert store.lists == 2


def test_a_host_that_follows_waits_for_the_next_listing(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", _content(100))
    mirrors, root = open_mirror()
    changes: list[frozenset[str] | None] = []
    mirrors.close()
    mirrors, root = open_mirror(interval=0.01)
    mirrors.follow(changes.append, lambda: None)
    mirrors.list_now()
    store.put("a", other := _content(120, seed=1))

    def is_fetched() -> bool:
        try:
            return _fetched(mirrors, root / "a") == other
        except FileChanged:
            return False

    eventually(is_fetched)
    eventually(lambda: frozenset([str(root / "a")]) in changes)


def test_an_old_listing_and_a_missing_file_delete_nothing(store: MemoryStore, open_mirror: Open) -> None:
    data = _content(1000)
    store.put("a", data[:500])
    store.put("b/c", b"c")
    before = store.listed()
    mirrors, root = open_mirror()
    store.append("a", data[500:])
    mirrors.list_now()
    assert _fetched(mirrors, root / "a") == data
    store.stale = before[:1]  # an eventually consistent store: an earlier version, one file forgotten
    mirrors.list_now()
    assert _fetched(mirrors, root / "a") == data
    assert (root / "b/c").exists()
    store.stale = None
    mirrors.list_now()
    assert _fetched(mirrors, root / "a") == data


def test_what_two_listings_say_is_so(
    store: MemoryStore, open_mirror: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror_module, "_FORGOTTEN", 0.0)
    store.put("a", old := _content(500))
    older = store.files["a"]
    store.put("a", _content(700, seed=1))
    store.put("b/c", b"c")
    mirrors, root = open_mirror()
    _fetched(mirrors, root / "a")
    store.files = {"a": older}  # somebody restored it
    mirrors.list_now()
    assert (root / "b").exists()
    mirrors.list_now()
    assert not (root / "b").exists()
    assert _fetched(mirrors, root / "a") == old


def test_errors_and_short_answers_are_retried_and_counted(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", data := _content(1000))
    store.errors = [OSError("503"), None, OSError("503"), OSError("reset")]
    store.cuts = 1
    mirrors, root = open_mirror()
    assert _fetched(mirrors, root / "a") == data
    counts = mirrors.counts()[LOCATION]
    assert (counts.lists, counts.reads, counts.retries, counts.bytes) == (2, 4, 4, 1999)
    assert mirrors.notices() == []


def test_a_store_that_is_away_is_a_notice_and_asked_no_more(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", data := _content(1000))
    mirrors, root = open_mirror()
    assert _fetched(mirrors, root / "a", 0, 10) == data[:10]
    store.put("b", data)
    store.put("c", data)
    mirrors.list_now()
    store.errors = [OSError("no route to host")] * 12
    for name in "abcab":
        with pytest.raises(OSError, match="no route"):
            _fetched(mirrors, root / name)
    assert not store.errors
    [notice] = mirrors.notices()
    assert (notice.code, notice.details["location"]) == ("remote_away", LOCATION)
    assert _fetched(mirrors, root / "a", 0, 10) == data[:10]  # what is here stays readable
    mirrors.list_now()
    assert mirrors.notices() == []
    assert _fetched(mirrors, root / "c") == data


def test_a_file_that_cannot_be_read_hinders_no_other(store: MemoryStore, open_mirror: Open) -> None:
    """An archived object, say; it is not asked for again and again."""
    for name in "abcdefgh":
        store.put(name, _content(100))
    store.errors = [None, *[PermissionError("InvalidObjectState: archived")] * 8]
    mirrors, root = open_mirror()
    for _ in range(9):
        with pytest.raises(OSError, match="archived"):
            _fetched(mirrors, root / "a")
    assert len(store.errors) == 7  # one was asked for
    store.errors = []
    for name in "bcdefgh":
        assert _fetched(mirrors, root / name) == _content(100)
    assert mirrors.notices() == []


def test_after_a_refusal_new_credentials_are_looked_for(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", b"a")
    store.errors = [PermissionError("ExpiredToken")]
    mirrors, root = open_mirror()
    assert [notice.code for notice in mirrors.notices()] == ["remote_refused"]
    assert store.lists == 1  # not retried
    mirrors.list_now()
    assert (store.opened, mirrors.notices()) == (2, [])
    assert (root / "a").exists()


def test_the_next_start_fetches_nothing_again(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", data := _content(1000))
    store.put("gone", b"gone")
    mirrors, root = open_mirror()
    _fetched(mirrors, root / "a")
    mirrors.close()
    store.reads.clear()
    del store.files["gone"]
    mirrors, again = open_mirror()
    assert again == root
    assert _fetched(mirrors, root / "a") == data
    assert store.reads == []
    assert not (root / "gone").exists()


def test_after_a_kill_nothing_counts_as_present_that_is_not(store: MemoryStore, open_mirror: Open) -> None:
    """The state is as old as a killed process left it: from before the files changed."""
    data = _content(2000)
    for name in ("grown", "replaced", "same"):
        store.put(name, data[:1000])
    mirrors, root = open_mirror()
    for path in root.iterdir():
        _fetched(mirrors, path)
    mirrors.close()
    state = (root.parent / "state.json").read_bytes()
    mirrors, root = open_mirror()
    store.append("grown", data[1000:])
    store.put("replaced", data[1000:])
    mirrors.list_now()
    _fetched(mirrors, root / "grown")
    mirrors.close()
    (root.parent / "state.json").write_bytes(state)
    store.reads.clear()
    mirrors, root = open_mirror()
    assert _fetched(mirrors, root / "grown") == data
    assert _fetched(mirrors, root / "replaced") == data[1000:]
    assert _fetched(mirrors, root / "same") == data[:1000]
    assert {path for path, _, _ in store.reads} == {"grown", "replaced"}


def test_content_beyond_the_bound_is_evicted_and_fetched_again(
    store: MemoryStore, open_mirror: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror_module, "_UNUSED", 0.0)
    data = {f"f{number}": _content(100_000, number) for number in range(8)}
    for name, content in data.items():
        store.put(name, content)
    mirrors, root = open_mirror(most_bytes=300_000)
    mirrors.may_evict = lambda path: not path.endswith("f0")  # f0 is still to be read
    for name in data:
        _fetched(mirrors, root / name)
    held = sum(os.stat(path).st_blocks * 512 for path in root.iterdir())
    assert held < 450_000
    reads = len(store.reads)
    assert _fetched(mirrors, root / "f0") == data["f0"]
    assert len(store.reads) == reads
    for name, content in data.items():
        assert _fetched(mirrors, root / name) == content


def test_two_hosts_have_a_mirror_each(store: MemoryStore, open_mirror: Open) -> None:
    store.put("a", b"a")
    first, second = open_mirror()[1], open_mirror()[1]
    assert first != second
    assert (first / "a").exists()
    assert (second / "a").exists()


def test_a_mirror_whose_cache_was_cleared_begins_anew(store: MemoryStore, open_mirror: Open) -> None:
    store.put("run/a", data := _content(1000))
    mirrors, root = open_mirror()
    _fetched(mirrors, root / "run/a")
    shutil.rmtree(root.parent)
    mirrors.list_now()
    assert _fetched(mirrors, root / "run/a") == data


@pytest.mark.parametrize("name", ["../out", "a//b", "/a", "a/./b", "x" * 300, "n\0l", "a"])
def test_names_that_cannot_be_files_are_a_notice(store: MemoryStore, open_mirror: Open, name: str) -> None:
    store.put(name, b"1")
    store.put("a/below", b"2")  # next to a file a
    store.put("directory/", b"")  # as consoles mark directories
    mirrors, root = open_mirror()
    assert [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()] == ["a/below"]
    assert [notice.details["count"] for notice in mirrors.notices()] == [1]


def test_an_idle_host_lists_once_a_minute() -> None:
    pause, lists, seconds = 5.0, 0, 5.0
    while seconds < 3600:
        lists += 1
        pause = next_pause(pause, 5.0, is_idle=True)
        seconds += pause
    assert lists <= 60 + 4
    assert pause == 60.0
    assert next_pause(pause, 5.0, is_idle=False) == 5.0
    assert next_pause(300.0, 300.0, is_idle=True) == 300.0
