"""Entries of the index cache: saved entries load, unexpected content is rejected."""

from __future__ import annotations

import itertools
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_core.formats.columns import Block
from insight_core.formats.stored_block import Lost, StoredBlock
from insight_core.ingest.file_record import Entry
from insight_core.ingest.index import segment_file
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.format import VERSION, index_directory, pack
from insight_core.ingest.index.segment_directory import write_segment
from insight_core.ingest.index.upkeep import clear, contents
from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin
from tests.ingest.index_entries import LOG, SCALAR, entries, entry_of, loaded, place_of, plain, segments_in

SHELF = Path(IndexCache(Path("/"))._shelves["/"]).name


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(entry=entries)
def test_what_is_saved_is_loaded(cache: IndexCache, entry: Entry) -> None:
    cache.save({LOG: entry})
    assert plain(cache.load(LOG)) == plain(entry)


@pytest.mark.parametrize("points", [0, 1, 50, 20_000])
def test_columns_are_aligned_and_contiguous(cache: IndexCache, points: int) -> None:
    cache.save({LOG: entry_of(points)})
    entry = cache.load(LOG)
    assert entry is not None
    for _, block in entry.content.blocks:
        assert block.ends.tolist() == [points, 2 * points, 3 * points]
        for column in [*block.columns_of(1).loaded().arrays(), *block.loaded().columns.arrays()]:
            assert len(column) in (points, 3 * points)
            assert column.flags.aligned
            assert column.flags.c_contiguous


def test_a_start_reads_no_points_and_a_look_only_its_own(
    cache: IndexCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.save({f"/logs/{number}": entry_of(20_000) for number in range(5)})
    read: list[int] = []

    def pread(descriptor: int, size: int, offset: int) -> bytes:
        read.append(size)
        return original(descriptor, size, offset)

    original = os.pread
    monkeypatch.setattr(os, "pread", pread)
    again = IndexCache(tmp_path / "cache")
    found = [again.load(f"/logs/{number}") for number in range(5)]
    assert sum(read) <= 1 << 16
    read.clear()
    assert found[3] is not None
    [(_, block)] = found[3].content.blocks
    assert len(block.columns_of(1).loaded()) == 20_000
    assert 20 * 20_000 <= sum(read) <= 20 * 20_000 + 1000


def test_short_series_are_read_together(cache: IndexCache) -> None:
    """A checksum for each would take longer than the points."""
    cache.save({LOG: entry_of(10, series=1000)})
    entry = cache.load(LOG)
    assert entry is not None
    [(_, block)] = entry.content.blocks
    assert isinstance(block, StoredBlock)
    assert block.chunks == 4
    for place in (0, 326, 327, 328, 999):
        assert block.columns_of(place).loaded().steps.tolist() == list(range(10))


def test_the_last_of_several_entries_counts(cache: IndexCache, tmp_path: Path) -> None:
    first, second = IndexCache(tmp_path / "cache"), IndexCache(tmp_path / "cache")
    first.save({LOG: entry_of(1), "/logs/other": entry_of(7)})
    second.save({LOG: entry_of(2)})
    assert loaded(tmp_path / "cache") == plain(entry_of(2))
    assert loaded(tmp_path / "cache", "/logs/other") == plain(entry_of(7))


def test_entries_of_a_logdir_are_kept_by_themselves(tmp_path: Path) -> None:
    roots = ["/logs", "/logs/inner/"]
    IndexCache(tmp_path, roots).save(
        {"/logs/a": entry_of(1), "/logs/inner/b": entry_of(2), "/logsb": entry_of(3)}
    )
    assert len({path.parent for path in segments_in(tmp_path)}) == 2
    for each in (roots, roots[::-1]):
        again = IndexCache(tmp_path, each)
        assert [again.holds(path) for path in ("/logs/a", "/logs/inner/b", "/logsb")] == [True, True, False]
    assert not IndexCache(tmp_path, ["/logs"]).holds("/logs/inner/b")


def test_entries_are_found_by_path(
    cache: IndexCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    odd = os.fsdecode(b"/logs/\xff\n")
    cache.save({"here": entry_of(1)})
    cache.save({odd: entry_of(2)})
    assert plain(cache.load(str(tmp_path / "here"))) == plain(entry_of(1))
    assert plain(cache.load(odd)) == plain(entry_of(2))
    assert cache.load("elsewhere") is None


def test_the_last_save_wins(cache: IndexCache) -> None:
    for points in (5, 0, 900, 3):
        cache.save({LOG: entry_of(points)})
        assert plain(cache.load(LOG)) == plain(entry_of(points))
    assert contents(cache._directory).entries == 1


def test_entries_of_a_process_that_goes_on_are_found(cache: IndexCache, tmp_path: Path) -> None:
    assert cache.load(LOG) is None
    IndexCache(tmp_path / "cache").save({LOG: entry_of(4)})
    cache.save({"/logs/other": entry_of(1)})
    assert plain(cache.load(LOG)) == plain(entry_of(4))


@pytest.mark.parametrize("claim", [SummaryPlugin("text"), EventField(Dialect.TENSORBOARD, "tensor")])
def test_what_another_file_decided_is_not_kept(cache: IndexCache, claim: Claim) -> None:
    """A tensor without metadata belongs to whom the metadata of its tag in another file names."""
    entry = entry_of(5)
    (_, first), (_, second), _ = entry.content.blocks
    own, numbers, foreign = (claim, first), (SCALAR, second), (claim, second)
    cache.save({LOG: entry._replace(content=evolve(entry.content, blocks=(own, numbers)))})
    assert cache.load(LOG) is not None
    cache.save({"/logs/other": entry._replace(content=evolve(entry.content, blocks=(own, numbers, foreign)))})
    assert cache.load("/logs/other") is None


def test_an_entry_that_is_in_use_stays_as_it_was(cache: IndexCache) -> None:
    cache.save({LOG: entry_of(5000)})
    before = cache.load(LOG)
    cache.save({LOG: entry_of(5000, first=7.0)})
    clear(cache._directory)
    assert plain(before) == plain(entry_of(5000))


def test_nobody_else_may_read_the_cache(cache: IndexCache, tmp_path: Path) -> None:
    cache.save({LOG: entry_of(1)})
    for path in [index_directory(tmp_path / "cache"), place_of(cache).parent, place_of(cache)]:
        assert path.stat().st_mode & 0o077 == 0


# --- unexpected content ---------------------------------------------------------------------------


def lost_or_dropped(cache: IndexCache) -> bool:
    """Whether a new process gets nothing, and either the file is gone or the log file is read again."""
    place = place_of(cache)
    again = IndexCache(cache._directory)
    lost: list[str] = []
    entry = again.load(LOG, lost.append)
    if entry is None:
        return not place.exists()
    with pytest.raises(Lost) as caught:
        plain(entry)
    return caught.value.path == LOG and lost == [LOG] and again.load(LOG) is None


def test_any_flipped_byte_is_noticed(cache: IndexCache, tmp_path: Path) -> None:
    cache.save({LOG: entry_of(2, series=2)})
    place = place_of(cache)
    whole = place.read_bytes()
    assert len(whole) < 2000
    for offset, mask in itertools.product(range(len(whole)), (0x01, 0x80, 0xFF)):
        place.write_bytes(bytes([*whole[:offset], whole[offset] ^ mask, *whole[offset + 1 :]]))
        assert lost_or_dropped(cache), offset


def test_a_segment_file_of_any_other_length_is_dropped(cache: IndexCache) -> None:
    cache.save({LOG: entry_of(1, series=1)})
    place = place_of(cache)
    whole = place.read_bytes()
    for length in range(len(whole)):
        place.write_bytes(whole[:length])
        assert loaded(cache._directory) is None
        assert not place.exists()
    place.write_bytes(whole + b"\0")
    assert loaded(cache._directory) is None
    assert not place.exists()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_segment_files_are_noticed(tmp_path: Path, data: st.DataObject) -> None:
    directory = Path(tempfile.mkdtemp(dir=tmp_path))
    cache = IndexCache(directory)
    entry = entry_of(data.draw(st.sampled_from([0, 3, 500])))
    cache.save({LOG: entry})
    place = place_of(cache)
    whole = place.read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 300)))
    damaged = whole[:start] + data.draw(st.binary(max_size=300)) + whole[end:]
    place.write_bytes(damaged)
    if damaged == whole:
        assert loaded(directory) == plain(entry)
    else:
        assert lost_or_dropped(cache)


def test_a_file_that_is_cut_off_while_it_is_open_is_noticed(cache: IndexCache) -> None:
    """As another machine may do it: a mapped file would end the process."""
    cache.save({LOG: entry_of(50_000)})
    lost: list[str] = []
    entry = cache.load(LOG, lost.append)
    assert entry is not None
    os.truncate(place_of(cache), 5000)
    with pytest.raises(Lost):
        plain(entry)
    assert lost == [LOG]


def test_damage_of_one_series_leaves_the_others(cache: IndexCache) -> None:
    cache.save({LOG: entry_of(20_000)})
    place = place_of(cache)
    whole = bytearray(place.read_bytes())
    whole[-1] ^= 1
    place.write_bytes(whole)
    entry = IndexCache(cache._directory).load(LOG)
    assert entry is not None
    [(_, block)] = entry.content.blocks
    assert len(block.columns_of(0).loaded()) == len(block.columns_of(1).loaded()) == 20_000
    with pytest.raises(Lost, match="a checksum is wrong"):
        block.columns_of(2).loaded()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    numbers=st.lists(st.integers(-3, 40) | st.integers(-(2**63), 2**63 - 1), max_size=40), rest=st.binary()
)
def test_a_directory_of_nonsense_with_good_checksums_is_dropped(
    tmp_path: Path, numbers: list[int], rest: bytes
) -> None:
    directory = Path(tempfile.mkdtemp(dir=tmp_path))
    packed = pack(entry_of(0, series=0))
    encoded = np.array(numbers, np.int64).tobytes() + rest
    write_segment(
        os.fspath(index_directory(directory) / SHELF), 0, {LOG: (1, packed._replace(directory=encoded))}
    )
    [place] = segments_in(directory)
    cache = IndexCache(directory)
    found = cache.load(LOG)
    assert place.exists()
    assert (found is not None) == cache.holds(LOG)
    assert found is None or not found.content.blocks


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"some text", os.urandom(5000)])
def test_alien_files_are_dropped(cache: IndexCache, content: bytes) -> None:
    cache.save({LOG: entry_of(1)})
    place = place_of(cache)
    place.write_bytes(content)
    assert loaded(cache._directory) is None
    assert not place.exists()


def test_a_directory_in_the_place_of_a_segment_file(cache: IndexCache) -> None:
    cache.save({LOG: entry_of(1)})
    place = place_of(cache)
    place.unlink()
    place.mkdir()
    assert loaded(cache._directory) is None
    cache.save({LOG: entry_of(2)})
    assert loaded(cache._directory) == plain(entry_of(2))


def test_a_segment_file_of_another_version_is_dropped(
    cache: IndexCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(segment_file, "VERSION", VERSION + 1)
        cache.save({LOG: entry_of(1)})
    assert segments_in(cache._directory)
    assert cache.load(LOG) is None
    assert not segments_in(cache._directory)


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_directory_that_others_can_write_is_not_trusted(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    IndexCache(tmp_path).save({LOG: entry_of(1)})
    index_directory(tmp_path).chmod(mode)
    cache = IndexCache(tmp_path)
    assert "can be written by other users" in caplog.text
    assert cache.load(LOG) is None
    assert not cache.holds(LOG)
    cache.save({"/logs/other": entry_of(1)})
    cache.tidy()
    assert contents(tmp_path).entries == 1


def held_open(cache: IndexCache) -> int:
    """The number of descriptors of segment files, deleted or not."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the one that lists
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return sum(link.startswith(str(cache._directory)) for link in links)


def test_segment_files_beyond_a_share_of_the_descriptors_are_opened_for_each_read(
    cache: IndexCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("insight_core.ingest.index.cache._most_open", lambda: 5)
    paths = [str(tmp_path / f"log{number}") for number in range(40)]
    for number, path in enumerate(paths):
        Path(path).touch()
        cache.save({path: entry_of(number + 1)})
    again = IndexCache(cache._directory)
    kept = [again.load(path) for path in paths]
    assert held_open(cache) == 5
    for number, entry in enumerate(kept):
        assert entry is not None
        assert plain(entry) == plain(entry_of(number + 1))
    again.tidy()
    assert held_open(cache) == 5
    assert len(segments_in(cache._directory)) == 1


def test_a_process_that_goes_on_saving_lets_go_of_what_it_replaced(cache: IndexCache) -> None:
    for number in range(20):
        cache.save({LOG: entry_of(number)})
        assert cache.load(LOG) is not None
        assert held_open(cache) == 1


def test_a_signalling_nan_is_kept_without_a_warning(cache: IndexCache) -> None:
    claim, block = entry_of(1).content.blocks[0]
    assert isinstance(block, Block)
    block.columns.values = np.array([0x7F800001] * len(block.columns), np.uint32).view(np.float32)
    entry = entry_of(1)
    cache.save({LOG: entry._replace(content=evolve(entry.content, blocks=((claim, block),)))})
    assert cache.holds(LOG)


def test_the_last_save_wins_when_the_clock_was_set_back(
    cache: IndexCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.save({LOG: entry_of(1)})
    again = IndexCache(cache._directory)
    assert again.load(LOG) is not None
    monkeypatch.setattr(time, "time_ns", lambda: 1)
    again.save({LOG: entry_of(2)})
    assert loaded(cache._directory) == plain(entry_of(2))
