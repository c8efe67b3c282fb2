"""Points that an earlier process stored: read when a client asks, and read again if damaged."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import get_args

import insight_image
import insight_scalar
import pytest

from insight_core.formats.stored_block import StoredBlock
from insight_core.ingest.event_file import EventFile
from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Dialect
from insight_core.plugin.data import SeriesField, SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store import column_memory
from tests.ingest.index_entries import segments_in

PLUGINS = [insight_scalar.insight_plugin(), insight_image.insight_plugin()]
LONG = 6000  # points that are a chunk of their own
ROUNDS = 60

Open = Callable[[], LocalProvider]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs with long and short series, images, a restart, and two files."""
    logs = tmp_path_factory.mktemp("written")
    for run in range(3):
        with EventWriter(logs / f"r{run}") as writer:
            for step in range(LONG):
                writer.scalar("long", step, step * (run + 1))
            for tag in range(30):
                for step in (0, 1, 2, 1, 2, 3) if tag == 7 else range(5):
                    writer.scalar(f"short{tag}", step, tag + step / 8)
            writer.image("image", 1, b"picture", 1, 1)
    with EventWriter(logs / "r2", start_time=1_700_000_100.0) as writer:
        for step in range(LONG // 2, LONG):
            writer.scalar("long", step, -step)
    return logs


@pytest.fixture
def logdir(written: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(written, tmp_path / "logs"))


@pytest.fixture
def opened(logdir: Path, tmp_path: Path) -> Iterator[Open]:
    """Opens loaded providers with one cache; closed at the end."""
    providers: list[LocalProvider] = []

    def open_() -> LocalProvider:
        provider = LocalProvider(
            [Logdir(str(logdir))], PLUGINS, reload_interval=0, cache_directory=tmp_path / "cache"
        )
        providers.append(provider)
        provider.load()
        return provider

    yield open_
    for provider in providers:
        provider.close()


def keep(opened: Open) -> None:
    """A process that leaves an index."""
    opened().close()


def test_stored_series_are_listed_by_column_as_one_by_one(opened: Open) -> None:
    keep(opened)
    fields: tuple[SeriesField, ...] = get_args(SeriesField)
    provider = opened()
    for plugin in ("scalar", "image"):
        found = {
            SeriesKey(table.run, tag): {field: table.column(field)[place] for field in fields}
            for table in provider.series_tables(plugin, fields)
            for place, tag in enumerate(table.tags)
        }
        assert found == {
            info.key: {field: getattr(info, field) for field in fields} for info in provider.series(plugin)
        }
        assert len(found) == (93 if plugin == "scalar" else 3)


def test_stored_series_are_named_without_reading_what_is_stored_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with EventWriter(tmp_path / "logs/run") as writer:
        for step in range(LONG):
            writer.scalar("loss", step, step)

    def open_() -> LocalProvider:
        logdirs = [Logdir(str(tmp_path / "logs"))]
        return LocalProvider(logdirs, PLUGINS, reload_interval=0, cache_directory=tmp_path / "cache")

    with closing(open_()) as first:
        first.load()
    reads: list[StoredBlock] = []
    tables = StoredBlock.tables

    def counted(block: StoredBlock) -> object:
        reads.append(block)
        return tables(block)

    with closing(open_()) as second:
        second.load()
        monkeypatch.setattr(StoredBlock, "tables", counted)
        [table] = second.series_tables("scalar", ["attempts", "claims"])
        assert (table.tags, len(reads)) == (("loss",), 0)
        [table] = second.series_tables("scalar", ["points"])
        assert (table.column("points"), len(reads)) == ([LONG], 1)


def everything(provider: LocalProvider) -> object:
    """All points of all series, and what is said of them."""
    fields: tuple[SeriesField, ...] = ("last_step",)
    last_steps = {
        (table.run, tag): step
        for plugin in ("scalar", "image")
        for table in provider.series_tables(plugin, fields)
        for tag, step in zip(table.tags, table.column("last_step"), strict=True)
    }
    infos = [info for plugin in ("scalar", "image") for info in provider.series(plugin)]
    numbers = provider.scalars("scalar", [info.key for info in provider.series("scalar")])
    images = [info.key for info in provider.series("image")]
    return (
        last_steps,
        sorted(map(repr, infos)),
        {
            key: (each.steps.tolist(), each.wall_times.tolist(), each.values.tolist(), each.hidden)
            for key, each in numbers.items()
        },
        {key: provider.payload("image", key, 0).data for key in images},
        provider.damage(),
    )


def without_index(logdir: Path) -> object:
    with closing(LocalProvider([Logdir(str(logdir))], PLUGINS, reload_interval=0)) as provider:
        provider.load()
        return everything(provider)


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files of which bytes were scanned."""
    found: list[str] = []
    original = EventFile.read

    def read(file: EventFile, may_scan_ahead: bool = False) -> object:
        found.append(file.path)
        return original(file, may_scan_ahead)

    monkeypatch.setattr(EventFile, "read", read)
    return found


def test_a_second_start_shows_the_same_and_scans_nothing(
    opened: Open, logdir: Path, scanned: list[str]
) -> None:
    keep(opened)
    expected = without_index(logdir)
    scanned.clear()
    again = opened()
    for _ in range(2):
        assert everything(again) == expected
    assert scanned == []


def test_what_is_looked_at_stays_within_its_limit(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(opened)
    limit = 3 * 20 * LONG
    monkeypatch.setattr(column_memory, "_RECENT", limit)
    again = opened()
    recent = again._store._memory.recent
    for _ in range(3):
        for run in range(3):
            key = SeriesKey(f"r{run}", "long")
            snapshot = again._store.snapshot("scalar", key)
            assert again._store.snapshot("scalar", key) is snapshot
            assert 0 < recent.size <= limit
            del snapshot
    assert again._store._memory.held == 0


def test_the_index_keeps_to_its_size(logdir: Path, tmp_path: Path) -> None:
    for size, fits in ((10 << 20, True), (200_000, False)):
        cache = tmp_path / str(size)
        with closing(
            LocalProvider(
                [Logdir(str(logdir))], PLUGINS, reload_interval=0, cache_directory=cache, cache_size=size
            )
        ) as provider:
            provider.load()
        held = sum(path.stat().st_size for path in segments_in(cache))
        assert (held > 200_000) == fits


def test_damaged_points_are_read_again(
    opened: Open, logdir: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    keep(opened)
    for place in segments_in(tmp_path / "cache"):
        whole = bytearray(place.read_bytes())
        whole[len(whole) // 2 :: 999] = bytes(len(whole[len(whole) // 2 :: 999]))
        place.write_bytes(whole)
    expected = without_index(logdir)
    again = opened()
    key = SeriesKey("r1", "long")
    assert again.scalars("scalar", [key])[key].values.tolist() == [2.0 * step for step in range(LONG)]
    assert everything(again) == expected
    assert caplog.text.count("is read again") >= 1
    again.close()
    caplog.clear()
    assert everything(opened()) == expected
    assert not caplog.text


def test_whatever_is_damaged_nothing_is_lost_and_nothing_wrongly_trusted(
    opened: Open, logdir: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    keep(opened)
    seed = request.config.getoption("--kill-seed")
    draw = random.Random(seed)
    expected = without_index(logdir)
    for number in range(request.config.getoption("--kill-rounds") or ROUNDS):
        while_open = draw.random() < 0.5
        again = opened() if while_open else None  # it deletes segment files that it finds damaged
        place = draw.choice(segments_in(tmp_path / "cache"))
        whole = bytearray(place.read_bytes())
        kind = draw.choice(["flip", "flip", "zero", "cut", "swap", "delete"])
        at = draw.randrange(len(whole))
        if kind == "flip":
            whole[at] ^= 1 << draw.randrange(8)
        elif kind == "zero":
            whole[at : at + 4096] = bytes(len(whole[at : at + 4096]))
        elif kind == "cut":
            del whole[at:]
        elif kind == "swap":
            other = draw.randrange(len(whole))
            whole[at : at + 64], whole[other : other + 64] = whole[other : other + 64], whole[at : at + 64]
        if kind == "delete":
            place.unlink()
        else:
            with open(place, "r+b") as file:  # the same file, which may be open
                file.write(whole)
                file.truncate()
        again = again or opened()
        where = f"round {number} of seed {seed}: {kind} at {at} of {place}"
        assert everything(again) == expected, where
        assert everything(again) == expected, where
        again.close()


def test_a_log_file_that_has_grown_and_whose_points_are_damaged_is_read_again(
    tmp_path: Path, opened: Open, logdir: Path
) -> None:
    with EventWriter(logdir / "r0") as writer:
        for step in range(LONG):
            writer.scalar("long", step, step)
    keep(opened)
    for place in segments_in(tmp_path / "cache"):
        whole = bytearray(place.read_bytes())
        whole[-16 * LONG :] = bytes(16 * LONG)
        place.write_bytes(whole)
    for path in logdir.glob("*/*"):
        with EventWriter(path, append=True) as writer:
            writer.scalar("long", LONG, 1.0)
    assert everything(opened()) == without_index(logdir)


@pytest.mark.parametrize("by_column", [True, False])
def test_any_number_of_lost_log_files_are_read_again_together(tmp_path: Path, by_column: bool) -> None:
    for run in range(30):
        with EventWriter(tmp_path / f"logs/r{run}") as writer:
            writer.scalar("loss", 1, run)

    def open_() -> LocalProvider:
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs"))], PLUGINS, reload_interval=0, cache_directory=tmp_path / "cache"
        )
        provider.load()
        return provider

    open_().close()
    with closing(open_()) as again:
        for place in segments_in(tmp_path / "cache"):
            os.truncate(place, 100)
        found = again.series_tables("scalar", ["points"]) if by_column else again.series("scalar")
        assert len(found) == 30


def test_a_damaged_log_file_of_two_logdirs_is_read_again_for_both(logdir: Path, tmp_path: Path) -> None:
    logdirs = [Logdir(str(logdir), "all"), Logdir(str(logdir / "r0"), "one")]

    def open_() -> LocalProvider:
        provider = LocalProvider(logdirs, PLUGINS, reload_interval=0, cache_directory=tmp_path / "cache")
        provider.load()
        return provider

    with closing(open_()) as first:
        expected = everything(first)
    with closing(open_()) as second:
        for place in segments_in(tmp_path / "cache"):
            os.truncate(place, 100)
        assert everything(second) == expected


def test_a_run_whose_stored_file_is_damaged_while_another_grows(
    opened: Open, logdir: Path, tmp_path: Path
) -> None:
    keep(opened)
    first, second = sorted((logdir / "r2").iterdir())
    for place in segments_in(tmp_path / "cache"):
        os.truncate(place, place.stat().st_size)
        whole = bytearray(place.read_bytes())
        whole[2000:] = bytes(len(whole) - 2000)
        place.write_bytes(whole)
    with EventWriter(second, append=True) as writer:
        writer.scalar("long", LONG, 1.0)
    again = opened()
    again.load()
    assert everything(again) == without_index(logdir)
    assert first.exists()
    assert Dialect.TENSORBOARD in again.runs()[0].dialects
