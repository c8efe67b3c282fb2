"""Runs whose stored points are damaged: whole again after whatever made the damage known."""

from __future__ import annotations

import os
import random
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import insight_image
import insight_scalar
import pytest

from insight_core.ingest.logdir import Logdir
from insight_core.plugin import Plugin
from insight_core.plugin.data import SeriesKey
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.store import column_memory
from insight_core.store.snapshot import Snapshot
from tests.ingest.index_entries import segments_in
from tests.support.points import scalar_points

Open = Callable[..., LocalProvider]
ROUNDS = 40
SCALAR, IMAGE = insight_scalar.insight_plugin(), insight_image.insight_plugin()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens loaded providers of ``tmp_path/logs`` that share an index."""
    providers: list[LocalProvider] = []

    def open_(plugins: Sequence[Plugin] = (SCALAR,)) -> LocalProvider:
        provider = LocalProvider(
            [Logdir(str(tmp_path / "logs"))], plugins, reload_interval=0, cache_directory=tmp_path / "cache"
        )
        providers.append(provider)
        provider.load()
        return provider

    yield open_
    for provider in providers:
        provider.close()


def snapshot(provider: LocalProvider, key: SeriesKey) -> Snapshot:
    found = provider._store.snapshot("scalar", key)
    assert found is not None
    return found


def damage(cache: Path) -> None:
    for place in segments_in(cache):
        os.truncate(place, 100)


def test_a_run_is_whole_when_its_second_file_grows_and_its_first_is_damaged(
    tmp_path: Path, opened: Open
) -> None:
    with EventWriter(tmp_path / "logs/r", start_time=1.0) as writer:
        for step in range(10):
            writer.scalar("loss", step, step)
    opened().close()
    with EventWriter(tmp_path / "logs/r", start_time=2.0) as writer:
        second = writer.path
    again = opened()
    damage(tmp_path / "cache")
    with EventWriter(second, append=True) as writer:
        writer.scalar("loss", 10, 10)
    again._loader._follow(frozenset({str(second)}))  # what the watcher reports; no walk follows
    assert [step for step, _ in scalar_points(again, "r")] == list(range(11))


def test_a_plugin_that_comes_late_gets_its_values_however_many_files_are_damaged(
    tmp_path: Path, opened: Open
) -> None:
    for run in range(15):
        with EventWriter(tmp_path / f"logs/r{run}") as writer:
            writer.scalar("loss", 0, run)
            writer.image("picture", 0, b"picture", 1, 1)
    with closing(opened([IMAGE])) as first:
        assert len(first.series("image")) == 15
    again = opened([IMAGE])
    damage(tmp_path / "cache")
    again.admit(SCALAR)
    assert [len(scalar_points(again, f"r{run}")) for run in range(15)] == [1] * 15
    assert len(again.series("image")) == 15


def test_points_of_a_tag_with_two_claims_stay_within_the_limit(
    tmp_path: Path, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in range(2):
        with EventWriter(tmp_path / f"logs/r{run}", start_time=1.0) as writer:
            writer.scalar("loss", 0, run)
        with EventWriter(tmp_path / f"logs/r{run}", start_time=2.0) as writer:
            writer.scalars_tf2("loss", 1, run)
    opened().close()
    monkeypatch.setattr(column_memory, "_RECENT", 1)  # the last one alone is kept
    again = opened()
    keys = [SeriesKey(f"r{run}", "loss") for run in range(2)]
    shown = [weakref.ref(snapshot(again, key)) for key in keys]
    assert [each() is None for each in shown] == [True, False]
    assert snapshot(again, keys[1]) is shown[1]()
    assert [scalar_points(again, key.run) for key in keys] == [[(0, 0.0), (1, 0.0)], [(0, 1.0), (1, 1.0)]]


def test_hosts_that_share_an_index_show_what_the_logs_hold_while_one_evicts(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Two write, one of them has room for nothing; each stays open while the others save, evict and end."""
    seed = request.config.getoption("--kill-seed")
    draw = random.Random(seed)
    logdir, runs = tmp_path / "logs", [f"r{number}" for number in range(4)]
    writers = [EventWriter(logdir / run) for run in runs]
    written = dict.fromkeys(runs, 0)
    hosts: list[LocalProvider | None] = [None, None, None]
    sizes = [None, 1, None]  # bytes of the index
    for number in range(request.config.getoption("--kill-rounds") or ROUNDS):
        which = draw.randrange(len(runs))
        for _ in range(draw.choice([0, 1, 5000])):
            writers[which].scalar("loss", written[runs[which]], 0.0)
            written[runs[which]] += 1
        writers[which].flush()
        at = draw.randrange(len(hosts))
        host = hosts[at]
        if host is not None and draw.random() < 0.5:
            host.close()
            host = None
        if host is None:
            host = hosts[at] = LocalProvider(
                [Logdir(str(logdir))],
                [SCALAR],
                reload_interval=0,
                cache_directory=tmp_path / "cache",
                cache_size=sizes[at],
            )
        host.load()
        shown = {run: [step for step, _ in scalar_points(host, run)] for run in runs}
        assert shown == {run: list(range(count)) for run, count in written.items()}, (number, seed)
    for host in filter(None, hosts):
        host.close()
    for writer in writers:
        writer.close()
