"""Directories that are listed in threads, where listing one waits: the walk finds the same."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import insight_scalar
import pytest

from insight_core.ingest import _waits, listing
from insight_core.ingest.discover import discover
from insight_core.ingest.file_patterns import FileNames
from insight_core.ingest.found import Found
from insight_core.ingest.logdir import Logdir
from tests.support.damaged_logdir import damaged_logdir

_SCAN = os.scandir


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    damaged_logdir(tmp_path / "damaged")
    for number in range(3 * listing._LOOKED_AT):
        file = tmp_path / f"r{number}/below/events.out.tfevents.{number}.h"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"x" * number)
    (tmp_path / "r1/out").symlink_to(tmp_path / "nowhere")
    (tmp_path / "r2/events.out.tfevents.9.link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "r3/same").symlink_to(tmp_path / "r4")
    return tmp_path


def walked(logdir: Path) -> Found:
    return discover([Logdir(str(logdir))], FileNames([insight_scalar.insight_plugin()]))


def slow_scan(readers: set[int]) -> object:
    def scan(path: str) -> object:
        readers.add(threading.get_ident())
        time.sleep(0.002)
        return _SCAN(path)

    return scan


def test_a_slow_file_system_is_walked_in_threads_with_the_same_result(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = walked(logdir)
    readers: set[int] = set()
    monkeypatch.setattr(os, "scandir", slow_scan(readers))
    monkeypatch.setattr(_waits, "waits_of_listing", len)
    assert walked(logdir) == alone
    assert len(alone.runs) > 3 * listing._LOOKED_AT
    assert len(readers) > 2


def test_a_directory_that_goes_while_it_is_listed_is_left_out(
    logdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = slow_scan(set())

    def scan(path: str) -> object:
        if path.endswith("r0/below"):
            raise FileNotFoundError(path)
        return slow(path)  # type: ignore[operator]

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(_waits, "waits_of_listing", len)
    found = walked(logdir)
    assert "r0/below" not in found.runs
    assert "r1/below" in found.runs


def test_a_fast_file_system_is_walked_in_one_thread(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[listing.DirectoryListing] = []
    monkeypatch.setattr(listing.DirectoryListing, "_begin_threads", began.append)
    monkeypatch.setattr(listing.SystemWaits, "are_long", lambda waits, pieces: False)
    walked(logdir)
    assert not began


def test_waits_for_the_interpreter_begin_no_threads(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[listing.DirectoryListing] = []
    monkeypatch.setattr(listing.DirectoryListing, "_begin_threads", began.append)
    monkeypatch.setattr(listing.SystemWaits, "are_long", lambda waits, pieces: True)
    walked(logdir)
    assert not began
