"""Entries of the index cache: what is saved is loaded, and what is odd is never believed."""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_core.api import Claim, Dialect, EventField, SummaryPlugin
from insight_core.loading import index_cache, index_format, index_upkeep
from insight_core.loading.index_cache import IndexCache
from insight_core.loading.index_entry import Entry, FileRecord
from insight_core.loading.index_format import index_directory
from insight_core.loading.index_upkeep import clear, contents, kept_files
from insight_core.records.batch import Flaw
from insight_core.records.crc32c import crc32c
from insight_core.records.wire import Metadata
from insight_core.store.file_state import FileState, SeriesGroup

LOG = "/logs/run/events.out.tfevents.1"
SCALAR = EventField(Dialect.TENSORBOARD, "simple_value")

texts = st.text(st.characters(), max_size=8)  # surrogates too: file names that are not UTF-8 have them
counts = st.integers(0, 2**62)
offsets = st.integers(-(2**62), 2**62)
checksums = st.integers(0, 2**32 - 1)
dialects = st.sampled_from(Dialect)
names = st.text(st.characters(codec="utf-8"), max_size=8)
claims = st.builds(EventField, dialects, names) | st.builds(SummaryPlugin, names)
flaws = st.builds(Flaw, offsets, texts, offsets)


@st.composite
def groups(draw: st.DrawFn) -> SeriesGroup:
    tags = draw(st.lists(texts, min_size=1, max_size=4))
    ends = np.cumsum(draw(st.lists(st.integers(0, 5), min_size=len(tags), max_size=len(tags))))
    points = int(ends[-1])
    types = draw(
        st.dictionaries(names, st.sampled_from(["<i8", "<f8", "<f4", "|u1"]), min_size=1, max_size=4)
    )
    columns = {
        name: np.frombuffer(draw(st.binary(min_size=8 * points, max_size=8 * points)), np.uint8)
        .view(kind)[:points]
        .copy()
        for name, kind in types.items()
    }
    totals = draw(st.none() | st.lists(counts, min_size=len(tags), max_size=len(tags)))
    return SeriesGroup(
        draw(texts),
        tuple(tags),
        tuple(draw(st.lists(claims, max_size=3))),
        columns,
        ends,
        None if totals is None else np.array(totals),
        np.array(draw(st.lists(st.booleans(), min_size=len(tags), max_size=len(tags)))),
    )


records = st.builds(
    FileRecord,
    inode=st.integers(0, 2**64 - 1),
    size=counts,
    mtime_ns=offsets,
    ctime_ns=offsets,
    position=counts,
    head_length=counts,
    head_checksum=checksums,
    tail_length=counts,
    tail_checksum=checksums,
    dialect=dialects,
    flaws=st.lists(flaws, max_size=3).map(tuple),
    more_flaws=counts,
    first_unnamed_flaw=offsets,
    unnamed_skipped=counts,
    tail=st.none() | flaws,
)
metadata = st.builds(Metadata, texts, texts, texts, st.binary(max_size=9), st.integers(0, 9))
states = st.builds(
    FileState,
    dialect=dialects,
    start_time=st.none() | st.floats(allow_nan=False),
    metadata=st.dictionaries(texts, metadata, max_size=3),
    groups=st.lists(groups(), max_size=4).map(tuple),
    refused=st.dictionaries(texts, flaws, max_size=3),
)


def standing_alone(state: FileState) -> FileState:
    """The state with metadata for every tag."""
    tags = {tag for group in state.groups for tag in group.tags} | state.refused.keys()
    return evolve(state, metadata={**dict.fromkeys(tags, Metadata("p", "", "")), **state.metadata})


entries = st.builds(Entry, records, states.map(standing_alone))


def plain(entry: Entry | None) -> object:
    """An entry in a form that can be compared."""
    if entry is None:
        return None
    content = entry.content
    listed = []
    for group in content.groups:
        totals = group.counts() if group.totals is None else group.totals
        for place, tag in enumerate(group.tags):
            columns = group.columns_of(place)
            held = [(name, column.dtype.str, column.tobytes()) for name, column in columns.items()]
            facts = int(totals[place]), bool(group.ascending[place])
            listed.append((group.plugin, tag, group.claims, held, facts))
    listed.sort(key=repr)  # groups of the same kind are joined
    kept = content.dialect, content.start_time, dict(content.metadata), dict(content.refused)
    return entry.file, kept, listed


def entry_of(points: int, *, series: int = 3, first: float = 0.0) -> Entry:
    """What a small run with scalars leaves; values count from ``first``."""
    listed = tuple(
        SeriesGroup(
            "scalar",
            (f"tag{number}",),
            (SCALAR,),
            {
                "steps": np.arange(points),
                "wall_times": np.linspace(1.7e9, 1.7e9 + 60, points),
                "values": np.arange(first, first + points, dtype=np.float32),
            },
            np.array([points]),
            None,
            np.array([True]),
        )
        for number in range(series)
    )
    state = FileState(Dialect.TENSORBOARD, 1.7e9, {"tag0": Metadata("scalars", "", "")}, listed)
    return Entry(FileRecord(1, 2, 3, 4, 5, 6, 7, 8, 9, Dialect.TENSORBOARD), state)


@pytest.fixture
def cache(tmp_path: Path) -> IndexCache:
    return IndexCache(tmp_path / "cache", "claims and policies")


def place_of(cache: IndexCache, path: str = LOG) -> Path:
    return Path(cache._place(path))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(entry=entries)
def test_what_is_saved_is_loaded(cache: IndexCache, entry: Entry) -> None:
    cache.save(LOG, entry)
    assert plain(cache.load(LOG)) == plain(entry)


@pytest.mark.parametrize("points", [0, 1, 50, 20_000])
def test_columns_are_aligned_and_read_only(cache: IndexCache, points: int) -> None:
    cache.save(LOG, entry_of(points))
    loaded = cache.load(LOG)
    assert loaded is not None
    for group in loaded.content.groups:
        assert group.ends.tolist() == [points, 2 * points, 3 * points]
        for column in group.columns.values():
            assert len(column) == 3 * points
            assert column.flags.aligned
            assert not column.flags.writeable


def test_entries_are_found_by_path(
    cache: IndexCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = os.fsdecode(b"/logs/\xff\n")
    cache.save("here", entry_of(1))
    cache.save(odd, entry_of(2))
    assert plain(cache.load(str(tmp_path / "here"))) == plain(entry_of(1))
    assert plain(cache.load(odd)) == plain(entry_of(2))
    assert cache.load("elsewhere") is None


def test_the_last_save_wins(cache: IndexCache) -> None:
    for points in (5, 0, 900, 3):
        cache.save(LOG, entry_of(points))
        assert plain(cache.load(LOG)) == plain(entry_of(points))
    assert contents(cache._directory).entries == 1


@pytest.mark.parametrize("claim", [SummaryPlugin("text"), EventField(Dialect.TENSORBOARD, "tensor")])
def test_what_another_file_decided_is_not_kept(cache: IndexCache, claim: Claim) -> None:
    """A tensor without metadata belongs to whom the metadata of its tag in another file names."""
    entry = entry_of(5)
    first, second, _ = entry.content.groups
    own, foreign = evolve(first, claims=(claim,)), evolve(second, claims=(SCALAR, claim))
    cache.save(LOG, evolve(entry, content=evolve(entry.content, groups=(own, second))))
    assert cache.load(LOG) is not None
    cache.save("/logs/other", evolve(entry, content=evolve(entry.content, groups=(own, foreign))))
    assert cache.load("/logs/other") is None


def test_an_entry_that_is_in_use_stays_as_it_was(cache: IndexCache) -> None:
    cache.save(LOG, entry_of(5000))
    before = cache.load(LOG)
    cache.save(LOG, entry_of(5000, first=7.0))
    clear(cache._directory)
    assert plain(before) == plain(entry_of(5000))


def test_nobody_else_may_read_the_cache(cache: IndexCache, tmp_path: Path) -> None:
    cache.save(LOG, entry_of(1))
    for path in [index_directory(tmp_path / "cache"), place_of(cache).parent, place_of(cache)]:
        assert path.stat().st_mode & 0o077 == 0


# --- what is odd ----------------------------------------------------------------------------------


def dropped(cache: IndexCache) -> bool:
    """Whether nothing is loaded, and the entry is gone."""
    return cache.load(LOG) is None and not place_of(cache).exists()


def test_any_flipped_byte_makes_an_entry_unusable(cache: IndexCache) -> None:
    cache.save(LOG, entry_of(2, series=2))
    whole = place_of(cache).read_bytes()
    assert len(whole) < 2000
    for offset, mask in itertools.product(range(len(whole)), (0x01, 0x80, 0xFF)):
        damaged = bytes([*whole[:offset], whole[offset] ^ mask, *whole[offset + 1 :]])
        with pytest.raises(index_format.Unusable):
            index_format.decode(damaged, index_format.read_header(damaged))


def test_an_entry_of_any_other_length_is_dropped(cache: IndexCache) -> None:
    cache.save(LOG, entry_of(1, series=1))
    whole = place_of(cache).read_bytes()
    for length in range(len(whole)):
        place_of(cache).write_bytes(whole[:length])
        assert dropped(cache)
    place_of(cache).write_bytes(whole + b"\0")
    assert dropped(cache)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_entries_are_dropped(cache: IndexCache, data: st.DataObject) -> None:
    cache.save(LOG, entry_of(data.draw(st.sampled_from([0, 3, 500]))))
    whole = place_of(cache).read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 300)))
    damaged = whole[:start] + data.draw(st.binary(max_size=300)) + whole[end:]
    place_of(cache).write_bytes(damaged)
    assert damaged == whole or dropped(cache)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    numbers=st.lists(st.integers(-3, 40) | st.integers(-(2**63), 2**63 - 1), max_size=40), rest=st.binary()
)
def test_a_directory_of_nonsense_with_good_checksums_is_dropped(
    cache: IndexCache, numbers: list[int], rest: bytes
) -> None:
    directory = np.array(numbers, np.int64).tobytes() + rest
    header, name, *_ = index_format.encode(LOG, cache._fingerprint, entry_of(0, series=0))
    fields = list(index_format._HEADER.unpack(header))
    body = bytes(index_format._FILE.size) + directory
    fields[3] = len(header) + len(name) + len(body)
    fields[6:10] = [len(numbers), len(rest) // 2, len(directory), crc32c(body)]
    begun = index_format._HEADER.pack(*fields)[:-4]
    checksum = crc32c(name, crc32c(begun))
    cache.save(LOG, entry_of(0))
    place_of(cache).write_bytes(begun + checksum.to_bytes(4, sys.byteorder) + name + body)
    loaded = cache.load(LOG)
    assert loaded is None or all(
        len(column) == 0 for group in loaded.content.groups for column in group.columns.values()
    )


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"some text", os.urandom(5000)])
def test_alien_files_are_dropped(cache: IndexCache, content: bytes) -> None:
    cache.save(LOG, entry_of(1))
    place_of(cache).write_bytes(content)
    assert dropped(cache)


def test_a_directory_in_the_place_of_an_entry(cache: IndexCache, caplog: pytest.LogCaptureFixture) -> None:
    place_of(cache).mkdir(parents=True)
    assert cache.load(LOG) is None
    cache.save(LOG, entry_of(1))
    assert cache.load(LOG) is None


def test_the_entry_of_another_event_file_is_dropped(cache: IndexCache) -> None:
    cache.save(LOG, entry_of(1))
    other = "/logs/run/events.out.tfevents.2"
    cache.save(other, entry_of(2))
    os.replace(place_of(cache, other), place_of(cache))
    assert dropped(cache)


def test_an_entry_of_another_version_is_dropped(cache: IndexCache, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(index_format, "VERSION", index_format.VERSION + 1)
        cache.save(LOG, entry_of(1))
    assert dropped(cache)


def test_entries_made_with_other_plugins_or_policies_are_not_used(tmp_path: Path) -> None:
    one, other = (IndexCache(tmp_path, fingerprint) for fingerprint in ("all", "1000 points"))
    one.save(LOG, entry_of(9))
    assert other.load(LOG) is None
    assert plain(one.load(LOG)) == plain(entry_of(9)), "a host with other flags leaves it alone"
    other.save(LOG, entry_of(4))
    assert plain(other.load(LOG)) == plain(entry_of(4))
    assert one.load(LOG) is None


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_directory_that_others_can_write_is_not_trusted(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    IndexCache(tmp_path, "f").save(LOG, entry_of(1))
    index_directory(tmp_path).chmod(mode)
    cache = IndexCache(tmp_path, "f")
    assert "can be written by other users" in caplog.text
    assert cache.load(LOG) is None
    cache.save("/logs/other", entry_of(1))
    cache.tidy()
    assert contents(tmp_path).entries == 1


# --- where nothing can be written -----------------------------------------------------------------


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO])
@pytest.mark.parametrize("call", ["open", "write", "close", "replace"])
def test_a_full_disk_ends_saving_and_is_said_once(
    cache: IndexCache,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    number: int,
    call: str,
) -> None:
    cache.save(LOG, entry_of(1))
    works = getattr(os, call)

    def fails(*arguments: object) -> object:
        if call == "close":
            works(*arguments)
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, fails)
        cache.save(LOG, entry_of(2))
        cache.save(LOG, entry_of(3))
    cache.save(LOG, entry_of(4))
    assert caplog.text.count("no longer kept up") == 1
    assert os.strerror(number) in caplog.text
    assert plain(cache.load(LOG)) == plain(entry_of(1))
    assert [kept.is_entry for kept in kept_files(cache._directory)] == [True]


def test_writing_goes_on_after_a_part_was_written(cache: IndexCache, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: writes(descriptor, data[:1000]))
        cache.save(LOG, entry_of(100_000))
    assert plain(cache.load(LOG)) == plain(entry_of(100_000))


def test_the_limit_of_a_file_s_size(tmp_path: Path) -> None:
    program = """if True:
        import resource, sys
        from pathlib import Path
        from tests.loading.test_index_cache import *
        cache = IndexCache(Path(sys.argv[1]), "f")
        cache.save(LOG, entry_of(10))
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        cache.save(LOG, entry_of(100_000))
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
    assert [kept.is_entry for kept in kept_files(tmp_path)] == [True]


def test_a_cache_directory_that_cannot_be_made(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    for place in (tmp_path / "file" / "cache", Path("/proc/nowhere/cache")):
        caplog.clear()
        cache = IndexCache(place, "f")
        cache.save(LOG, entry_of(1))
        cache.save(LOG, entry_of(1))
        cache.tidy()
        assert cache.load(LOG) is None
        assert caplog.text.count("no longer kept up") == 1


def test_clearing_while_somebody_saves(cache: IndexCache) -> None:
    ended = threading.Event()

    def save() -> None:
        while not ended.is_set():
            cache.save(LOG, entry_of(5))

    saving = threading.Thread(target=save)
    saving.start()
    deadline = time.monotonic() + 0.3
    while time.monotonic() < deadline:
        clear(cache._directory)
        assert plain(cache.load(LOG)) in (None, plain(entry_of(5)))
    ended.set()
    saving.join()
    cache.save(LOG, entry_of(5))
    assert plain(cache.load(LOG)) == plain(entry_of(5))


def test_two_hosts_save_and_load_at_once(tmp_path: Path) -> None:
    program = """if True:
        import sys, time
        from pathlib import Path
        from tests.loading.test_index_cache import *
        cache, first = IndexCache(Path(sys.argv[1]), "f"), float(sys.argv[2])
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            cache.save(LOG, entry_of(int(first), first=first))
    """
    cache = IndexCache(tmp_path, "f")
    cache.save(LOG, entry_of(1000, first=1000.0))
    saving = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), number], cwd=Path(__file__).parents[2]
        )
        for number in ("1000", "2000")
    ]
    seen = set()
    expected = {points: plain(entry_of(points, first=float(points))) for points in (1000, 2000)}
    while any(process.poll() is None for process in saving):
        loaded = cache.load(LOG)
        assert loaded is not None
        points = int(loaded.content.groups[0].ends[0])
        assert plain(loaded) == expected[points]
        seen.add(points)
    assert [process.wait() for process in saving] == [0, 0]
    assert seen == {1000, 2000}


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
    return {Path(kept.path).name for kept in kept_files(cache._directory) if not kept.is_entry}


def test_what_dead_processes_left_is_removed(
    cache: IndexCache, logs: Callable[[int], list[str]], dead_process: int
) -> None:
    (log,) = logs(1)
    cache.save(log, entry_of(1))
    place = place_of(cache, log)
    own = Path(index_cache._temporary_name(str(place), 1))
    dead = Path(str(own).replace(f"-{os.getpid()}-", f"-{dead_process}-"))
    elsewhere = place.with_name(f"{place.name}.other_machine-{dead_process}-1.tmp")
    old = place.with_name(f"{place.name}.other_machine-{dead_process}-2.tmp")
    for path in (own, dead, elsewhere, old):
        path.write_bytes(b"half of an entry")
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
    paths = logs(3)
    for path in paths:
        cache.save(path, entry_of(1))
    os.unlink(paths[1])
    place_of(cache, paths[2]).write_bytes(b"damaged")
    cache.tidy()
    assert [place_of(cache, path).exists() for path in paths] == [True, False, False]


def test_the_least_used_entries_go_first(tmp_path: Path, logs: Callable[[int], list[str]]) -> None:
    paths = logs(10)
    cache = IndexCache(tmp_path / "cache", "f", most_bytes=1)
    size = sum(len(piece) for piece in index_format.encode(paths[0], b"f", entry_of(100)))
    cache._most_bytes = size * 100
    for age, path in enumerate(paths):
        cache.save(path, entry_of(100))
        used = time.time() - 86400 * (1 + age)
        os.utime(place_of(cache, path), (used, used))
    assert cache.load(paths[9]) is not None  # the oldest is used again
    cache._most_bytes = size * 4
    cache.tidy()
    kept = [number for number, path in enumerate(paths) if place_of(cache, path).exists()]
    assert kept == [0, 1, 9]


def test_a_host_that_saves_for_long_keeps_to_the_limit(
    tmp_path: Path, logs: Callable[[int], list[str]]
) -> None:
    paths = logs(200)
    cache = IndexCache(tmp_path / "cache", "f", most_bytes=100_000)
    for path in paths:
        cache.save(path, entry_of(100))
    assert 50_000 < contents(tmp_path / "cache").bytes <= 111_000


def test_info_and_clear_know_our_files_from_others(tmp_path: Path, logs: Callable[[int], list[str]]) -> None:
    paths = logs(3)
    cache = IndexCache(tmp_path / "cache", "f")
    assert contents(tmp_path / "cache") == index_upkeep.Contents()
    assert clear(tmp_path / "cache") == index_upkeep.Contents()
    for path in paths:
        cache.save(path, entry_of(1))
    os.unlink(paths[0])
    place_of(cache, paths[1]).write_bytes(b"damaged")
    (tmp_path / "cache/keep.txt").write_text("another program's")
    place_of(cache, paths[1]).with_name("keep.txt").write_text("another program's")
    held = contents(tmp_path / "cache")
    assert (held.entries, held.existing, held.unusable) == (3, 1, 1)
    assert held.oldest_use is not None
    assert abs(held.oldest_use - time.time()) < 60
    removed = clear(tmp_path / "cache")
    assert (removed.entries, removed.bytes) == (held.entries, held.bytes)
    assert sorted(path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()) == ["keep.txt"] * 2


def test_a_claim_is_what_its_text_says() -> None:
    listed: list[Claim] = [SCALAR, SummaryPlugin("a:b"), SummaryPlugin("tensorboard:x"), SummaryPlugin("")]
    assert [index_format._claim(str(claim)) for claim in listed] == listed
