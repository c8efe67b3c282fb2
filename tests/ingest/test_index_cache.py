"""Entries of the index cache: saved entries load, unexpected content is rejected."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from insight_core.formats.crc32c import crc32c
from insight_core.ingest.file_record import Entry
from insight_core.ingest.index import format as index_format
from insight_core.ingest.index.cache import IndexCache
from insight_core.ingest.index.format import index_directory
from insight_core.ingest.index.upkeep import clear, contents
from insight_core.plugin import Claim, Dialect, EventField, SummaryPlugin
from tests.ingest.index_entries import LOG, SCALAR, entries, entry_of, place_of, plain


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
    for _, block in loaded.content.blocks:
        assert block.ends.tolist() == [points, 2 * points, 3 * points]
        for column in block.columns.arrays():
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
    (_, first), (_, second), _ = entry.content.blocks
    own, numbers, foreign = (claim, first), (SCALAR, second), (claim, second)
    cache.save(LOG, evolve(entry, content=evolve(entry.content, blocks=(own, numbers))))
    assert cache.load(LOG) is not None
    cache.save("/logs/other", evolve(entry, content=evolve(entry.content, blocks=(own, numbers, foreign))))
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


# --- unexpected content ---------------------------------------------------------------------------


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
    header, name, *_ = index_format.encode(LOG, entry_of(0, series=0))
    fields = list(index_format._HEADER.unpack(header))
    body = bytes(index_format._FILE.size) + directory
    fields[3] = len(header) + len(name) + len(body)
    fields[5:9] = [len(numbers), len(rest) // 2, len(directory), crc32c(body)]
    begun = index_format._HEADER.pack(*fields)[:-4]
    checksum = crc32c(name, crc32c(begun))
    cache.save(LOG, entry_of(0))
    place_of(cache).write_bytes(begun + checksum.to_bytes(4, sys.byteorder) + name + body)
    loaded = cache.load(LOG)
    assert loaded is None or all(len(block.columns) == 0 for _, block in loaded.content.blocks)


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


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702])
def test_a_directory_that_others_can_write_is_not_trusted(
    tmp_path: Path, mode: int, caplog: pytest.LogCaptureFixture
) -> None:
    IndexCache(tmp_path).save(LOG, entry_of(1))
    index_directory(tmp_path).chmod(mode)
    cache = IndexCache(tmp_path)
    assert "can be written by other users" in caplog.text
    assert cache.load(LOG) is None
    cache.save("/logs/other", entry_of(1))
    cache.tidy()
    assert contents(tmp_path).entries == 1
