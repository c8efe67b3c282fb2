"""Resuming an event file where reading stopped, and when it has to be read again."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import insight_scalar
import pytest

from insight_core.formats.batch import Batch
from insight_core.ingest import event_file
from insight_core.ingest.event_file import EventFile
from insight_core.ingest.file_record import MOST_FLAWS, FileRecord
from insight_core.ingest.followed_file import Replaced
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scan_ahead import FileVersion, file_version
from insight_core.ingest.scanner.scanner import open_scanner
from insight_core.plugin import Dialect
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store.store import Store
from tests.support.damaged_logdir import FILE_NAME, scalar_record, version_record
from tests.support.growing_file import GrowingFile
from tests.support.points import scalar_points

RECORD = len(scalar_record(500))  # of all steps that need two bytes


def content(count: int, *, tag: str = "loss", first: int = 0) -> bytes:
    return version_record() + b"".join(scalar_record(step, tag=tag) for step in range(first, first + count))


@pytest.fixture
def growing(tmp_path: Path) -> GrowingFile:
    """A file of which the first half is there."""
    file = GrowingFile(content(1000), tmp_path / FILE_NAME)
    file.grow_to(len(content(500)))
    return file


def read(file: EventFile) -> list[int]:
    """Steps of what is read until the end."""
    steps: list[int] = []
    while (batch := file.read()) is not None:
        steps += [step for block in batch.blocks for step in block.columns.steps.tolist()]
    return steps


def recorded(path: Path) -> FileRecord:
    """The record of the file, read to its end."""
    file = EventFile(str(path), Dialect.TENSORBOARD)
    read(file)
    record = file.record()
    assert record is not None
    return record


def resumed(path: Path, record: FileRecord) -> EventFile | None:
    file = EventFile(str(path), Dialect.TENSORBOARD)
    return file if file.resume(record, version_of(path)) else None


def version_of(path: Path) -> FileVersion:
    return file_version(path.stat())


def state(file: EventFile) -> object:
    return file.position, file.size, file.dialect, file.flaws(), file.record()


def test_an_unchanged_file_has_nothing_to_read(growing: GrowingFile) -> None:
    before = EventFile(str(growing.path), Dialect.TENSORBOARD)
    read(before)
    record = before.record()
    assert record is not None
    after = resumed(growing.path, record)
    assert after is not None
    info = growing.path.stat()
    assert after.is_unchanged(info.st_size, info.st_mtime_ns)
    assert read(after) == []
    assert state(after) == state(before)


def test_of_a_file_that_grew_only_the_new_bytes_are_read(
    growing: GrowingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = recorded(growing.path)
    growing.finish()
    scanned: list[tuple[int, int]] = []
    file = resumed(growing.path, record)
    assert file is not None
    watch_scans(monkeypatch, file, lambda position, end: scanned.append((position, end)))
    assert read(file) == list(range(500, 1000))
    assert scanned[0][0] == len(content(500))
    assert sum(end - position for position, end in scanned) == growing.size - record.position
    assert file.record() == recorded(growing.path)


@pytest.mark.parametrize("cut", [1, 11, 12, RECORD - 1])
def test_a_record_that_was_cut_off_is_read_once_it_is_whole(growing: GrowingFile, cut: int) -> None:
    growing.grow(cut)
    record = recorded(growing.path)
    unchanged = resumed(growing.path, record)
    assert unchanged is not None
    assert unchanged.flaws() == [record.tail]
    growing.finish()
    file = resumed(growing.path, record)
    assert file is not None
    assert read(file) == list(range(500, 1000))
    assert file.flaws() == []


def test_damage_is_remembered(tmp_path: Path) -> None:
    damaged = bytearray(content(2 * MOST_FLAWS + 10))
    for number in range(0, 2 * MOST_FLAWS + 10, 2):
        damaged[len(content(number)) + 20] ^= 1
    path = tmp_path / FILE_NAME
    path.write_bytes(damaged + b"\xff" * 30)
    before = EventFile(str(path), Dialect.TENSORBOARD)
    read(before)
    assert len(before.flaws()) == MOST_FLAWS + 2
    record = before.record()
    assert record is not None
    after = resumed(path, record)
    assert after is not None
    assert after.flaws() == before.flaws()
    with open(path, "ab") as file:
        file.write(content(3))
    assert read(after) == [0, 1, 2]
    whole = EventFile(str(path), Dialect.TENSORBOARD)
    read(whole)
    assert after.flaws() == whole.flaws()


def test_the_dialect_is_remembered(tmp_path: Path) -> None:
    with EventWriter(tmp_path / FILE_NAME, Dialect.MINDSPORE) as writer:
        writer.scalar("loss", 0, 1.0)
    record = recorded(writer.path)
    with EventWriter(writer.path, Dialect.MINDSPORE, append=True) as writer:
        writer.scalar("loss", 1, 1.0)
    file = resumed(writer.path, record)
    assert file is not None
    assert file.dialect is Dialect.MINDSPORE
    assert read(file) == [1]


def test_a_file_without_a_record_is_gone_on_with(tmp_path: Path) -> None:
    file = GrowingFile(content(3), tmp_path / FILE_NAME)
    for size in (0, 5):
        file.grow_to(size)
        record = recorded(file.path)
        assert resumed(file.path, record) is not None
    file.finish()
    after = resumed(file.path, record)
    assert after is not None
    assert read(after) == [0, 1, 2]


def test_nothing_is_recorded_before_the_end_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_file, "open_scanner", partial(open_scanner, chunk=4096))
    path = tmp_path / FILE_NAME
    path.write_bytes(content(300))
    file = EventFile(str(path), Dialect.TENSORBOARD)
    assert file.record() is None
    assert file.read() is not None
    assert file.position < path.stat().st_size
    assert file.record() is None
    read(file)
    assert file.record() is not None
    with open(path, "ab") as appended:
        appended.write(content(300))
    assert file.read() is not None
    assert file.record() is None, "the file was read beyond the end of the last complete pass"


# --- files that have to be read again -------------------------------------------------------------


def truncated(file: GrowingFile) -> None:
    os.truncate(file.path, file.size - RECORD)


def truncated_and_regrown(file: GrowingFile) -> None:
    os.truncate(file.path, file.size - 2 * RECORD)
    with open(file.path, "ab") as appended:
        appended.write(b"".join(scalar_record(step) for step in range(900, 950)))


def truncated_and_regrown_to_the_same_size(file: GrowingFile) -> None:
    os.truncate(file.path, file.size - RECORD)
    with open(file.path, "ab") as appended:
        appended.write(scalar_record(900))
    assert file.path.stat().st_size == file.size


def replaced_by_an_equal_one(file: GrowingFile) -> None:
    file.replace(file.path.read_bytes())


def replaced_by_a_longer_one(file: GrowingFile) -> None:
    file.replace(content(600, tag="other"))


def rewritten(file: GrowingFile) -> None:
    file.rewrite(content(500, first=7))


def rewritten_and_longer(file: GrowingFile) -> None:
    file.rewrite(content(600, first=7))


def edited_in_the_middle(file: GrowingFile) -> None:
    with open(file.path, "r+b") as edited:
        edited.seek(250 * RECORD)
        edited.write(b"!")


def edited_in_the_middle_and_dated_back(file: GrowingFile) -> None:
    before = file.path.stat()
    edited_in_the_middle(file)
    os.utime(file.path, ns=(before.st_atime_ns, before.st_mtime_ns))


def edited_at_the_beginning_and_appended(file: GrowingFile) -> None:
    with open(file.path, "r+b") as edited:
        edited.seek(100)
        edited.write(b"!")
    file.grow(5 * RECORD)


def edited_at_the_end_and_appended(file: GrowingFile) -> None:
    with open(file.path, "r+b") as edited:
        edited.seek(-20, os.SEEK_END)
        edited.write(b"!")
    file.grow(5 * RECORD)


def touched(file: GrowingFile) -> None:
    os.utime(file.path, ns=(0, 0))


CHANGES = [
    truncated,
    truncated_and_regrown,
    truncated_and_regrown_to_the_same_size,
    replaced_by_an_equal_one,
    replaced_by_a_longer_one,
    rewritten,
    rewritten_and_longer,
    edited_in_the_middle,
    edited_in_the_middle_and_dated_back,
    edited_at_the_beginning_and_appended,
    edited_at_the_end_and_appended,
    touched,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_is_not_what_was_read_is_read_anew(
    growing: GrowingFile, change: Callable[[GrowingFile], None]
) -> None:
    record = recorded(growing.path)
    wait_for_the_clock(growing.path)
    change(growing)
    file = EventFile(str(growing.path), Dialect.TENSORBOARD)
    assert not file.resume(record, version_of(growing.path))
    assert file.position == 0
    fresh = EventFile(str(growing.path), Dialect.TENSORBOARD)
    assert read(file) == read(fresh)
    assert state(file) == state(fresh)


@pytest.mark.parametrize(
    "change", [truncated_and_regrown, rewritten_and_longer, edited_at_the_end_and_appended]
)
def test_a_change_behind_what_was_read_is_noticed_while_following(
    growing: GrowingFile, change: Callable[[GrowingFile], None]
) -> None:
    file = EventFile(str(growing.path), Dialect.TENSORBOARD)
    read(file)
    change(growing)
    with pytest.raises(Replaced):
        read(file)


@pytest.mark.parametrize("change", CHANGES[1:3] + CHANGES[5:7])
@pytest.mark.parametrize("known", [0, 300])
def test_a_change_while_a_file_is_scanned_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[GrowingFile], None], known: int
) -> None:
    growing = GrowingFile(content(1000), tmp_path / FILE_NAME)
    file = EventFile(str(growing.path), Dialect.TENSORBOARD)
    if known:
        growing.grow_to(len(content(known)))
        read(file)
    growing.grow_to(len(content(500)))
    wait_for_the_clock(growing.path)
    watch_scans(monkeypatch, file, lambda position, end: change(growing))
    with pytest.raises(Replaced):
        read(file)


def test_a_file_that_grows_while_it_is_scanned_is_gone_on_with(
    growing: GrowingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = EventFile(str(growing.path), Dialect.TENSORBOARD)
    watch_scans(monkeypatch, file, lambda position, end: growing.grow(1111))
    assert read(file) == list(range(1000))


def test_a_file_that_cannot_be_restored_is_read_anew(
    growing: GrowingFile, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def opened() -> LocalProvider:
        return LocalProvider(
            [Logdir(str(growing.path.parent))],
            [insight_scalar.insight_plugin()],
            reload_interval=0,
            cache_directory=tmp_path / "cache",
        )

    with closing(opened()) as first:
        first.load()

    def fails(*_: object) -> None:
        raise KeyError("values")

    with closing(opened()) as second:
        with monkeypatch.context() as patch:
            patch.setattr(Store, "restore", fails)
            patch.setattr(Store, "recall", fails)
            second.load()
        assert [damage.reason for damage in second.damage()] == ["reading failed: 'values'"]
        second.load()
        assert scalar_points(second, ".") == [(step, float(step)) for step in range(500)]
        assert not second.damage()


def watch_scans(
    monkeypatch: pytest.MonkeyPatch, file: EventFile, scanned: Callable[[int, int], object]
) -> None:
    """``scanned`` is called after every scan, with where it began and ended."""
    inner = file._scanner or open_scanner(file.dialect)

    class Watched:
        dialect = inner.dialect

        def scan(self, descriptor: int, position: int, size: int, until: int | None = None) -> Batch:
            batch = inner.scan(descriptor, position, size, until)
            scanned(position, batch.end)
            return batch

    monkeypatch.setattr(file, "_scanner", Watched())


def wait_for_the_clock(path: Path) -> None:
    """Until a change now gets another time: that of file systems ticks every few milliseconds."""
    probe = path.with_name("clock")
    while True:
        probe.touch()
        if probe.stat().st_mtime_ns > path.stat().st_mtime_ns:
            return
