"""Files that are none: nothing waits for them, whatever came into the place of a log."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from insight_core.ingest.beginnings import Beginnings
from insight_core.ingest.discover import discover
from insight_core.ingest.event_file import EventFile, read_payload
from insight_core.ingest.logdir import Logdir
from insight_core.ingest.scanner.small_files import read_small_files
from insight_core.plugin import Dialect, FileName
from insight_core.providers.payload_streams import payload_of_file, stream_of_file

CLAIM = FileName("*")


@pytest.fixture
def pipe(tmp_path: Path) -> str:
    path = tmp_path / "events.out.tfevents.1.host"
    os.mkfifo(path)
    return str(path)


def _ends(call: Callable[[], object]) -> list[object]:
    """What a call returns or raises; fails where it waits for a writer of the pipe."""
    found: list[object] = []

    def run() -> None:
        try:
            found.append(call())
        except OSError as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    return found


def test_reading_a_file_that_is_a_pipe_now_ends_with_an_error(pipe: str) -> None:
    for call in (
        lambda: EventFile(pipe, Dialect.TENSORBOARD).read(),
        lambda: read_payload(pipe, 0, 12, 1),
        lambda: payload_of_file(pipe, CLAIM, 10),
        lambda: stream_of_file(pipe, CLAIM),
    ):
        [error] = _ends(call)
        assert isinstance(error, OSError)
        assert error.strerror == "not a regular file"


def test_small_files_that_are_pipes_are_left_out(pipe: str) -> None:
    guesses = [Dialect.TENSORBOARD]
    assert _ends(lambda: read_small_files([pipe], guesses, frozenset(), 1, 1)) == [[None]]


def test_the_beginning_of_a_pipe_makes_no_run(pipe: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    info = os.stat(tmp_path / "file")  # as it was when it was found
    assert _ends(lambda: Beginnings().say(pipe, info, lambda beginning: True)) == [False]


def test_pipes_sockets_and_devices_are_no_logs(pipe: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        before = os.getcwd()
        os.chdir(tmp_path)  # paths of sockets are short
        try:
            one.bind("x.tfevents.2")
        finally:
            os.chdir(before)
        (tmp_path / "y.tfevents.3").symlink_to("/dev/zero")
        found = discover([Logdir(str(tmp_path))])
    assert (found.files, found.named, found.damage) == ({}, {}, {})
