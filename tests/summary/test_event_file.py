"""Event files that programs write are read back whole, by the fields as they were written."""

from __future__ import annotations

from pathlib import Path

import pytest

from insight_core.api import SummaryPlugin
from insight_core.loading.logdir import Logdir
from insight_core.providers.local import LocalProvider
from insight_core.summary.event_file import EventFile
from insight_core.values.tensors import tensor_of


def test_strings_are_read_back(tmp_path: Path) -> None:
    values = [[b""], [b"one", b"\xff\x00two"], [b"x" * 300_000]]
    with EventFile(tmp_path / "new/run") as file:
        for step, strings in enumerate(values):
            file.strings("sample", "täg", 2**40 + step, strings, wall_time=5.5 + step)
        assert file.path.name.startswith("events.out.tfevents.")
    provider = LocalProvider([Logdir(str(tmp_path))], [], reload_interval=0)
    try:
        provider.load()
        assert not provider.damage()
        [info] = provider.series(str(SummaryPlugin("sample")))
        assert (info.key.run, info.key.tag) == ("new/run", "täg")
        assert info.data_class == 2
        table = provider.records(str(SummaryPlugin("sample")), info.key)
        assert table.steps.tolist() == [2**40, 2**40 + 1, 2**40 + 2]
        assert table.wall_times.tolist() == [5.5, 6.5, 7.5]
        for index, strings in enumerate(values):
            payload = provider.payload(str(SummaryPlugin("sample")), info.key, index)
            assert tensor_of(payload).values.tolist() == strings
    finally:
        provider.close()


def test_each_has_a_name_of_its_own(tmp_path: Path) -> None:
    files = [EventFile(tmp_path) for _ in range(3)]
    for file in files:
        file.close()
    assert len({file.path for file in files}) == 3


def test_what_was_written_is_there_before_it_is_closed(tmp_path: Path) -> None:
    with EventFile(tmp_path) as file:
        before = file.path.stat().st_size
        file.strings("sample", "a", 0, [b"now"])
        assert file.path.stat().st_size > before


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        EventFile(tmp_path / "file")
