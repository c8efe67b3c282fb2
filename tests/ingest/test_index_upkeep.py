"""The index cache where nothing can be written, and what removes its entries."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from insight_core.formats.block_encoding import Piece
from insight_core.ingest.index import upkeep as index_upkeep
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.format import machine_name
from insight_core.ingest.index.upkeep import clear, contents, kept_files
from insight_core.plugin import Claim, SummaryPlugin
from insight_core.plugin.claims import claim_of
from tests.ingest.index_entries import LOG, SCALAR, entry_of, loaded, place_of, plain, segments_in

# --- where nothing can be written -----------------------------------------------------------------


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["open", "writev", "close", "replace"])
def test_a_full_disk_ends_saving_and_is_said_once(
    cache: IndexCache,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    number: int,
    call: str,
) -> None:
    cache.save({LOG: entry_of(1)})
    works = getattr(os, call)

    def fails(*arguments: object) -> object:
        if call == "close":
            works(*arguments)
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fails)
        cache.save({LOG: entry_of(2)})
        cache.save({LOG: entry_of(3)})
    cache.save({LOG: entry_of(4)})
    assert caplog.text.count("not updated any more") == 1
    assert os.strerror(number) in caplog.text
    assert plain(cache.load(LOG)) == plain(entry_of(1))
    assert [kept.is_segment for kept in kept_files(cache._directory)] == [True]


@pytest.mark.parametrize("most", [1, 1000, 250_000])
def test_writing_goes_on_after_a_part_was_written(
    cache: IndexCache, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    def write(descriptor: int, data: memoryview) -> int:
        return writes(descriptor, data[: max(1000, most)])

    def write_several(descriptor: int, pieces: Sequence[Piece]) -> int:
        return writes(descriptor, b"".join(pieces)[:most])

    writes = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write)
        patch.setattr(os, "writev", write_several)
        cache.save({LOG: entry_of(20_000)})
    assert plain(cache.load(LOG)) == plain(entry_of(20_000))


def test_the_limit_of_a_file_s_size(tmp_path: Path) -> None:
    program = """if True:
        import resource, sys
        from pathlib import Path
        from insight_core.ingest.index.cache import IndexCache
        from tests.ingest.index_entries import LOG, entry_of, plain
        cache = IndexCache(Path(sys.argv[1]))
        cache.save({LOG: entry_of(10)})
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        cache.save({LOG: entry_of(100_000)})
        assert plain(cache.load(LOG)) == plain(entry_of(10))
    """
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert ended.returncode == 0, ended.stderr
    assert "File too large" in ended.stderr
    assert [kept.is_segment for kept in kept_files(tmp_path)] == [True]


def test_a_cache_directory_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path / "file" / "cache", Path("/proc/nowhere/cache")):
        caplog.clear()
        cache = IndexCache(place)
        cache.save({LOG: entry_of(1)})
        cache.save({LOG: entry_of(1)})
        cache.tidy()
        assert cache.load(LOG) is None
        assert caplog.text.count("not updated any more") == 1


def test_clearing_while_somebody_saves(cache: IndexCache) -> None:
    ended = threading.Event()

    def save() -> None:
        while not ended.is_set():
            cache.save({LOG: entry_of(5)})

    saving = threading.Thread(target=save)
    saving.start()
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        clear(cache._directory)
        assert plain(cache.load(LOG)) in (None, plain(entry_of(5)))
    ended.set()
    saving.join()
    cache.save({LOG: entry_of(5)})
    assert plain(cache.load(LOG)) == plain(entry_of(5))


def test_several_hosts_save_tidy_and_load_at_once(tmp_path: Path) -> None:
    program = """if True:
        import sys, time
        from pathlib import Path
        from insight_core.ingest.index.cache import IndexCache
        from tests.ingest.index_entries import entry_of
        directory, path, first = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
        cache = IndexCache(directory)
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            cache.save({path: entry_of(int(first), first=first)})
            cache.tidy()
    """
    log = tmp_path / "log"
    log.touch()
    cache = IndexCache(tmp_path)
    cache.save({str(log): entry_of(1000, first=1000.0)})
    saving = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), str(log), number], cwd=Path(__file__).parents[2]
        )
        for number in ("1000", "2000", "2000")
    ]
    expected = [plain(entry_of(points, first=float(points))) for points in (1000, 2000)]
    seen = []
    while any(process.poll() is None for process in saving):
        seen.append(loaded(tmp_path, str(log)))
    assert [process.wait() for process in saving] == [0, 0, 0]
    assert all(each in expected for each in seen)
    assert loaded(tmp_path, str(log)) in expected
    cache.tidy()
    assert len(segments_in(tmp_path)) == 1


# --- upkeep ---------------------------------------------------------------------------------------


@pytest.fixture
def logs(tmp_path: Path) -> Callable[[int], list[str]]:
    """Makes files that entries can be of."""

    def make(count: int) -> list[str]:
        paths = [tmp_path / f"log{number}" for number in range(count)]
        for path in paths:
            path.touch()
        return [str(path) for path in paths]

    return make


@pytest.fixture
def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def temporaries(cache: IndexCache) -> set[str]:
    return {Path(kept.path).name for kept in kept_files(cache._directory) if not kept.is_segment}


def test_what_dead_processes_left_is_removed(
    cache: IndexCache, logs: Callable[[int], list[str]], dead_process: int
) -> None:
    (log,) = logs(1)
    cache.save({log: entry_of(1)})
    place = place_of(cache, log)
    own = place.with_name(f"{machine_name()}-{os.getpid()}-5-1.segment.tmp")
    dead = place.with_name(f"{machine_name()}-{dead_process}-5-1.segment.tmp")
    elsewhere = place.with_name(f"other_machine-{dead_process}-5-1.segment.tmp")
    old = place.with_name(f"other_machine-{dead_process}-5-2.segment.tmp")
    for path in (own, dead, elsewhere, old):
        path.write_bytes(b"half of a segment file")
    os.utime(old, (0, 0))
    stranger = place.with_name("notes.txt")
    stranger.write_text("not ours")
    cache.tidy()
    assert temporaries(cache) == {own.name, elsewhere.name}
    assert stranger.exists()
    assert plain(cache.load(log)) == plain(entry_of(1))


def test_entries_of_files_that_are_gone_are_removed(
    cache: IndexCache, logs: Callable[[int], list[str]]
) -> None:
    paths = logs(4)
    for path in paths:
        cache.save({path: entry_of(1)})
    cache.save({path: entry_of(10) for path in paths[:2]})
    assert cache.holds(paths[0])
    places = segments_in(cache._directory)
    os.unlink(paths[1])
    place_of(cache, paths[2]).write_bytes(b"damaged")
    damaged = place_of(cache, paths[2])
    cache.tidy()
    again = IndexCache(cache._directory)
    assert [again.holds(path) for path in paths] == [True, False, False, True]
    assert not damaged.exists()
    assert len(places) == 5
    assert len(segments_in(cache._directory)) == 2


def test_a_segment_file_of_which_little_counts_is_rewritten(
    cache: IndexCache, logs: Callable[[int], list[str]]
) -> None:
    paths = logs(10)
    cache.save({path: entry_of(1000, first=number) for number, path in enumerate(paths)})
    cache.save({path: entry_of(10) for path in paths[:4]})
    before = segments_in(cache._directory)
    size = before[0].stat().st_size
    cache.tidy()
    assert segments_in(cache._directory) == before  # half of it counts
    cache.save({path: entry_of(10) for path in paths[4:6]})
    in_use = cache.load(paths[6])
    cache.tidy()
    assert len(segments_in(cache._directory)) == 3
    assert sum(path.stat().st_size for path in segments_in(cache._directory)) < 0.6 * size
    for number, path in enumerate(paths):
        expected = entry_of(10) if number < 6 else entry_of(1000, first=number)
        assert loaded(cache._directory, path) == plain(expected)
    assert plain(in_use) == plain(entry_of(1000, first=6))
    assert plain(cache.load(paths[9])) == plain(entry_of(1000, first=9))


def test_the_index_has_what_translations_and_caches_of_plugins_leave(
    cache: IndexCache, logs: Callable[[int], list[str]]
) -> None:
    paths = logs(2)
    for path in paths:
        cache.save({path: entry_of(5_000)})
    cache.tidy()
    size = sum(path.stat().st_size for path in segments_in(cache._directory))
    cache._most_bytes = size + (1 << 20)
    mirror, translated = (cache._directory / "plugins" / name for name in ("remote/m", "translations/0/t"))
    for place in (mirror, translated):
        place.mkdir(parents=True)
    (mirror / "file").write_bytes(bytes(2 << 20))  # within a limit of its own
    cache.tidy()
    assert sum(path.stat().st_size for path in segments_in(cache._directory)) == size
    (translated / "file").write_bytes(bytes(2 << 20))
    cache.tidy()
    assert segments_in(cache._directory) == []


def test_many_small_segment_files_become_one(cache: IndexCache, logs: Callable[[int], list[str]]) -> None:
    paths = logs(20)
    for number, path in enumerate(paths):
        cache.save({path: entry_of(number)})
    cache.tidy()
    assert len(segments_in(cache._directory)) == 1
    for number, path in enumerate(paths):
        assert loaded(cache._directory, path) == plain(entry_of(number))


def test_segment_files_are_not_joined_without_end(
    cache: IndexCache, logs: Callable[[int], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file with everything would be evicted as a whole."""
    paths = logs(40)
    for path in paths:
        cache.save({path: entry_of(1000)})
    size = place_of(cache, paths[0]).stat().st_size
    monkeypatch.setattr(index_upkeep, "_SMALL", size + 100)
    for _ in range(2):
        cache.tidy()
        sizes = [place.stat().st_size for place in segments_in(cache._directory)]
        assert len(sizes) == 3
        assert max(sizes) < 20 * size
    for path in paths:
        assert loaded(cache._directory, path) == plain(entry_of(1000))


def test_what_is_damaged_stays_damaged_when_it_is_rewritten(
    cache: IndexCache, logs: Callable[[int], list[str]]
) -> None:
    paths = logs(20)
    for number, path in enumerate(paths):
        cache.save({path: entry_of(100 + number)})
    place = place_of(cache, paths[7])
    whole = bytearray(place.read_bytes())
    whole[-10] ^= 8
    place.write_bytes(whole)
    cache.tidy()
    assert len(segments_in(cache._directory)) == 1
    for number, path in enumerate(paths):
        found = loaded(cache._directory, path)
        assert found == (None if number == 7 else plain(entry_of(100 + number)))


def test_the_least_used_entries_go_first(tmp_path: Path, logs: Callable[[int], list[str]]) -> None:
    paths = logs(10)
    cache = IndexCache(tmp_path / "cache", most_bytes=1)
    cache._most_bytes = 1 << 30
    for age, path in enumerate(paths):
        cache.save({path: entry_of(100)})
        size = place_of(cache, path).stat().st_size
        used = time.time() - 86400 * (1 + age)
        os.utime(place_of(cache, path), (used, used))
    assert IndexCache(tmp_path / "cache").load(paths[9]) is not None  # the oldest is used again
    cache._most_bytes = size * 4
    cache.tidy()
    again = IndexCache(tmp_path / "cache")
    kept = [number for number, path in enumerate(paths) if again.holds(path)]
    assert kept == [0, 1, 9]


def test_dead_entries_go_before_any_that_counts(tmp_path: Path, logs: Callable[[int], list[str]]) -> None:
    paths = logs(10)
    cache = IndexCache(tmp_path / "cache", most_bytes=1 << 30)
    for _ in range(4):  # a log file that grows leaves its earlier entries behind
        cache.save({path: entry_of(1000) for path in paths[1:]})
    cache.save({paths[0]: entry_of(1000)})
    used = time.time() - 86400
    os.utime(place_of(cache, paths[0]), (used, used))
    live = sum({place_of(cache, path): place_of(cache, path).stat().st_size for path in paths}.values())
    cache._most_bytes = 2 * live
    cache.tidy()
    again = IndexCache(tmp_path / "cache")
    assert [again.holds(path) for path in paths] == [True] * 10


def test_a_host_that_saves_for_long_keeps_to_the_limit(
    tmp_path: Path, logs: Callable[[int], list[str]]
) -> None:
    paths = logs(200)
    cache = IndexCache(tmp_path / "cache", most_bytes=100_000)
    for path in paths:
        cache.save({path: entry_of(100)})
    assert 50_000 < contents(tmp_path / "cache").bytes <= 111_000


def test_info_and_clear_know_our_files_from_others(tmp_path: Path, logs: Callable[[int], list[str]]) -> None:
    paths = logs(3)
    cache = IndexCache(tmp_path / "cache")
    assert contents(tmp_path / "cache") == index_upkeep.Contents()
    assert clear(tmp_path / "cache") == index_upkeep.Contents()
    for path in paths:
        cache.save({path: entry_of(1)})
    os.unlink(paths[0])
    place = place_of(cache, paths[1])
    place.write_bytes(b"damaged")
    (tmp_path / "cache/keep.txt").write_text("another program's")
    place.with_name("keep.txt").write_text("another program's")
    held = contents(tmp_path / "cache")
    assert (held.entries, held.existing, held.unusable) == (2, 1, 1)
    assert held.oldest_use is not None
    assert abs(held.oldest_use - time.time()) < 60
    removed = clear(tmp_path / "cache")
    assert (removed.entries, removed.bytes) == (held.entries, held.bytes)
    assert sorted(path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()) == ["keep.txt"] * 2


def test_a_claim_is_what_its_text_says() -> None:
    listed: list[Claim] = [SCALAR, SummaryPlugin("a:b"), SummaryPlugin("tensorboard:x"), SummaryPlugin("")]
    assert [claim_of(str(claim)) for claim in listed] == listed
