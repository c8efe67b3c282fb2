"""Parts of a file that are zeros until their bytes arrive, as on NFS and in preallocated files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import insight_scalar
import pytest

from insight_core.ingest.event_file import EventFile
from insight_core.ingest.followed_file import TAIL, Replaced
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import file_version
from insight_core.ingest.scanner.holes import MOST_RETRIED
from insight_core.plugin import Dialect
from insight_core.providers.local import LocalProvider
from tests.oracles.implementations import BOTH, scan_with
from tests.support.damaged_logdir import FILE_NAME, scalar_record, version_record
from tests.support.points import scalar_points

COUNT = 600
RECORDS = [version_record(), *(scalar_record(step) for step in range(COUNT))]
WHOLE = b"".join(RECORDS)
PAGE = 4096


def place(step: int) -> int:
    """The offset of the record of a step."""
    return sum(map(len, RECORDS[: step + 1]))


class Pages:
    """A file on a network file system: its size grows at once, its bytes come page by page."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(b"")

    def allocate(self, size: int) -> None:
        """Makes the file ``size`` bytes long; new bytes are zeros that are stored, not a hole."""
        with open(self.path, "r+b") as file:
            have = file.seek(0, os.SEEK_END)
            file.write(bytes(size - have))

    def fill(self, first: int, end: int) -> None:
        """The bytes from ``first`` to ``end`` arrive."""
        with open(self.path, "r+b") as file:
            file.seek(first)
            file.write(WHOLE[first:end])
        self._pass_time()

    def _pass_time(self) -> None:
        """Changes the time of the file, whatever the clock of the file system tells apart."""
        info = self.path.stat()
        os.utime(self.path, ns=(info.st_atime_ns, info.st_mtime_ns + 1_000_000))


@pytest.fixture(params=BOTH)
def pages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Pages:
    scan_with(request.param, monkeypatch)
    return Pages(tmp_path / FILE_NAME)


class Follower:
    """The steps that a reader has of a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = EventFile(str(path), Dialect.TENSORBOARD)
        self._steps: list[int] = []
        self.readings = 1  # from the beginning

    def steps(self) -> list[int]:
        while True:
            try:
                batch = self._file.read()
            except Replaced:
                self._file = EventFile(str(self._path), Dialect.TENSORBOARD)
                self._steps = []
                self.readings += 1
                continue
            if batch is None:
                return list(self._steps)
            self._steps += [step for block in batch.blocks for step in block.columns.steps.tolist()]

    def damage(self) -> list[tuple[int, int]]:
        return [(flaw.offset, flaw.skipped) for flaw in self._file.flaws()]

    def resumes(self) -> bool:
        """Whether a later start goes on where this reader is."""
        record = self._file.record()
        assert record is not None
        return EventFile(str(self._path), Dialect.TENSORBOARD).resume(record, file_version(self._path.stat()))


def test_zeros_at_the_end_are_read_when_their_bytes_arrive(pages: Pages) -> None:
    pages.allocate(place(200))
    pages.fill(0, place(100))
    reader = Follower(pages.path)
    assert reader.steps() == list(range(100))
    assert reader.damage() == [(place(100), place(200) - place(100))]
    pages.fill(place(100), place(200))
    assert reader.steps() == list(range(200))
    pages.allocate(len(WHOLE))
    pages.fill(place(200), len(WHOLE))
    assert reader.steps() == list(range(COUNT))
    assert reader.damage() == []
    assert reader.readings == 1


@pytest.mark.parametrize("size", [len(WHOLE), len(WHOLE) + MOST_RETRIED + PAGE])
def test_a_preallocated_file_is_read_as_it_is_written(pages: Pages, size: int) -> None:
    """Whatever the size of a piece: records end within it."""
    pages.allocate(size)
    reader = Follower(pages.path)
    for end in range(0, len(WHOLE) + 1500, 1500):
        pages.fill(max(0, end - 1500), end)
        whole = sum(place(step + 1) <= end for step in range(COUNT))
        assert reader.steps() == list(range(whole))
    assert reader.damage() == ([] if size == len(WHOLE) else [(len(WHOLE), size - len(WHOLE))])


def test_pages_arrive_in_any_order(pages: Pages) -> None:
    pages.allocate(len(WHOLE))
    starts = list(range(0, len(WHOLE), PAGE))
    reader = Follower(pages.path)
    for start in [*starts[::-2], *starts[::2], *starts]:
        pages.fill(start, start + PAGE)
        fresh = Follower(pages.path)
        assert reader.steps() == fresh.steps()
        assert reader.damage() == fresh.damage()
    assert reader.steps() == list(range(COUNT))


# (first byte, byte after the last) of what arrives late: whole records, pages, the data of one record
LATE = {
    "records": (place(100), place(200)),
    "a page": (PAGE, 2 * PAGE),
    "data of a record": (place(100) + 12, place(101)),
    "the first page": (0, PAGE),
}


@pytest.mark.parametrize("late", LATE.values(), ids=LATE)
@pytest.mark.parametrize("grows", [False, True])
def test_a_page_before_what_was_read_is_read_when_it_arrives(
    pages: Pages, late: tuple[int, int], grows: bool
) -> None:
    first, end = late
    pages.allocate(place(500))
    pages.fill(0, first)
    pages.fill(end, place(500))
    assert place(500) - end > TAIL
    reader = Follower(pages.path)
    before = reader.steps()
    assert reader.damage()
    if grows:
        pages.allocate(len(WHOLE))
        pages.fill(place(500), len(WHOLE))
        after = reader.steps()
        assert after == [*before, *range(500, COUNT)]
        assert reader.readings == 1
    pages.fill(first, end)
    assert reader.steps() == list(range(COUNT if grows else 500))
    assert reader.damage() == []


def test_a_part_of_the_damage_is_read_while_the_rest_is_missing(pages: Pages) -> None:
    pages.allocate(len(WHOLE))
    pages.fill(0, PAGE)
    pages.fill(5 * PAGE, len(WHOLE))
    reader = Follower(pages.path)
    reader.steps()
    pages.fill(2 * PAGE, 3 * PAGE)
    fresh = Follower(pages.path)
    assert reader.steps() == fresh.steps()
    assert reader.damage() == fresh.damage()


def test_damage_that_stays_does_not_have_a_file_read_again(pages: Pages) -> None:
    pages.allocate(place(500))
    pages.fill(0, place(100))
    pages.fill(place(101), place(300))
    pages.fill(place(300) + 20, place(500))
    reader = Follower(pages.path)
    for step in range(500, COUNT):
        pages.allocate(place(step + 1))
        pages.fill(place(step), place(step + 1))
        reader.steps()
    assert reader.readings == 1
    assert len(reader.damage()) == 2
    pages.allocate(len(WHOLE) + 1)
    assert reader.resumes()


def test_a_later_start_reads_damage_that_was_filled_meanwhile(pages: Pages) -> None:
    pages.allocate(place(500))
    pages.fill(0, place(100))
    pages.fill(place(200), place(500))
    reader = Follower(pages.path)
    reader.steps()
    pages.allocate(len(WHOLE))
    assert reader.resumes()
    pages.fill(place(100), place(101))
    assert not reader.resumes()


def test_the_end_is_searched_no_further_than_the_limit_again(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a file of something else that grows would be searched whole for each piece."""
    size = MOST_RETRIED + (1 << 20)
    pages.allocate(PAGE)
    pages.fill(0, place(10))
    with open(pages.path, "r+b") as file:
        file.truncate(place(10))
        file.seek(place(10))
        file.write(b"\x01" * size)
    reader = Follower(pages.path)
    assert reader.steps() == list(range(10))
    read = 0
    pread = os.pread

    def counted(descriptor: int, count: int, offset: int) -> bytes:
        nonlocal read
        read += count
        return pread(descriptor, count, offset)

    monkeypatch.setattr(os, "pread", counted)  # the kernel has its own
    with open(pages.path, "r+b") as file:
        file.seek(0, os.SEEK_END)
        file.write(b"\x01" * 1000)
    reader.steps()
    assert read < MOST_RETRIED
    pages.fill(place(10), len(WHOLE))
    assert reader.steps() == list(range(COUNT))


@contextmanager
def host(directory: Path, cache: Path | None) -> Iterator[Callable[[], tuple[list[int], int]]]:
    """Points and damaged places that a host of the directory shows."""
    provider = LocalProvider(
        [Logdir(str(directory))], [insight_scalar.insight_plugin()], reload_interval=0, cache_directory=cache
    )

    def shown() -> tuple[list[int], int]:
        provider.load()
        points = scalar_points(provider, ".", "loss")
        return [step for step, _ in points], len(provider.damage())

    try:
        yield shown
    finally:
        provider.close()


@pytest.mark.parametrize("is_kept", [True, False], ids=["index", "no index"])
def test_a_host_and_the_next_one_show_what_arrived(
    pages: Pages, is_kept: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    cache = tmp_path_factory.mktemp("cache") if is_kept else None
    pages.allocate(place(500))
    pages.fill(0, place(100))
    pages.fill(place(200), place(500))
    missing = [*range(100), *range(200, 500)]
    with host(pages.path.parent, cache) as shown:
        assert shown() == (missing, 1)
        pages.allocate(len(WHOLE))
        pages.fill(place(500), len(WHOLE))
        assert shown() == ([*missing, *range(500, COUNT)], 1)
        pages.fill(place(100), place(150))
        assert shown()[0] == [*range(150), *range(200, COUNT)]
    with host(pages.path.parent, cache) as shown:
        assert shown() == ([*range(150), *range(200, COUNT)], 1)
    pages.fill(place(150), place(200))
    pages.allocate(len(WHOLE) + 1)
    with host(pages.path.parent, cache) as shown:
        assert shown()[0] == list(range(COUNT))
