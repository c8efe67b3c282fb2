"""``insight-host`` serving: start line, ports, notices, signals."""

from __future__ import annotations

import ctypes
import http.client
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from insight_core.plugin.testing import EventWriter
from tests.cli.asking import get, got

Serve = Callable[..., Any]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "run") as writer:
        writer.scalar("loss", 1, 0.5)
    return tmp_path / "logs"


def test_one_line_says_where(serve: Serve, logdir: Path) -> None:
    serving = serve("--logdir", str(logdir))
    assert serving.url.startswith("http://127.0.0.1:")
    assert get(f"{serving.url}healthz") == {"status": "ok"}
    got(f"{serving.url}data/runs", lambda runs: runs == ["run"])


def test_the_path_prefix_and_the_title(serve: Serve, logdir: Path) -> None:
    serving = serve("--logdir", str(logdir), "--url_path_prefix", "a/b/", "--window-title", "Études")
    assert serving.url.endswith("/a/b/")
    assert get(f"{serving.url}data/environment")["window_title"] == "Études"


def test_flags_from_the_environment(serve: Serve, logdir: Path) -> None:
    serving = serve(
        env={"INSIGHT_HOST_LOGDIR": str(logdir), "INSIGHT_HOST_PORT": "0", "INSIGHT_HOST_PATH_PREFIX": "x"},
        port=(),
    )
    assert serving.url.endswith("/x/")
    got(f"{serving.url}data/runs", lambda runs: runs == ["run"])


def test_a_missing_logdir_is_served_with_a_notice_until_it_is_there(serve: Serve, tmp_path: Path) -> None:
    serving = serve("--logdir", str(tmp_path / "later"), "--reload-interval", "0.1")
    table = get(f"{serving.url}data/run_table")
    assert table["runs"] == []
    assert str(tmp_path / "later") in table["notices"][0]["details"]["path"]
    with EventWriter(tmp_path / "later" / "run") as writer:
        writer.scalar("loss", 1, 0.5)
    table = got(f"{serving.url}data/run_table", lambda table: table["runs"])
    assert table["notices"] == []


def test_a_busy_port_that_was_asked_for_is_an_error(run: Run, logdir: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run("--logdir", str(logdir), "--port", port)
        assert done.returncode == 1
        assert port in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout == ""
        assert run("--logdir", str(logdir), env={"INSIGHT_HOST_PORT": port}).returncode == 1


def test_without_a_port_a_busy_one_is_passed_over(serve: Serve, logdir: Path) -> None:
    first = serve("--logdir", str(logdir), port=())
    second = serve("--logdir", str(logdir), port=())
    ports = [int(serving.url.rstrip("/").rpartition(":")[2]) for serving in (first, second)]
    assert 6006 <= ports[0] < ports[1] < 6106


def test_an_address_that_is_not_here_is_an_error(run: Run, logdir: Path) -> None:
    done = run("--logdir", str(logdir), "--host", "192.0.2.1", "--port", "0")
    assert done.returncode == 1
    assert "192.0.2.1" in done.stderr
    assert "Traceback" not in done.stderr


def test_hosts_that_may_be_named(serve: Serve, logdir: Path) -> None:
    serving = serve("--logdir", str(logdir), "--allowed-host", "logs.example")
    assert _status(serving.url, "logs.example") == 200
    assert _status(serving.url, "evil.example") == 403


def _status(url: str, host: str) -> int:
    connection = http.client.HTTPConnection(url.split("/")[2], timeout=60)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_cleanly_with_open_streams(serve: Serve, logdir: Path, number: signal.Signals) -> None:
    serving = serve("--logdir", str(logdir))
    streams = [urllib.request.urlopen(f"{serving.url}data/events", timeout=60) for _ in range(3)]
    try:
        began = time.monotonic()
        serving.process.send_signal(number)
        out, err = serving.process.communicate(timeout=60)
        assert time.monotonic() - began < 10  # not as long as a stream lasts
        assert (serving.process.returncode, out, err) == (0, "", "")
    finally:
        for stream in streams:
            stream.close()


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and tgkill")
def test_a_signal_that_another_thread_gets_ends_it(serve: Serve, logdir: Path) -> None:
    serving = serve("--logdir", str(logdir))
    number = serving.process.pid
    tasks = Path(f"/proc/{number}/task")
    deadline = time.monotonic() + 10
    while not (others := [int(task.name) for task in tasks.iterdir() if task.name != str(number)]):
        assert time.monotonic() < deadline
    time.sleep(0.2)  # the main thread waits for its end by now
    assert ctypes.CDLL(None).tgkill(number, others[0], int(signal.SIGTERM)) == 0
    assert serving.process.wait(timeout=60) == 0


def test_a_signal_while_loading_ends_it_too(serve: Serve, tmp_path: Path) -> None:
    with EventWriter(tmp_path / "long") as writer:
        writer.scalar_block([f"t{i}" for i in range(4)], range(100_000), [[0.5] * 4] * 100_000)
    serving = serve("--logdir", str(tmp_path))
    serving.process.send_signal(signal.SIGTERM)
    _, err = serving.process.communicate(timeout=60)
    assert (serving.process.returncode, err) == (0, "")


def test_open_opens_a_browser_once_it_listens(serve: Serve, logdir: Path, tmp_path: Path) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new && mv {opened}.new {opened}\n')
    browser.chmod(0o755)
    serving = serve("--logdir", str(logdir), "--open", env={"BROWSER": str(browser)})
    deadline = time.monotonic() + 10
    while not opened.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert opened.read_text().strip() == serving.url


def test_progress_on_a_terminal_only(logdir: Path) -> None:
    master, slave = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("INSIGHT_HOST_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "insight_core.cli", "--logdir", str(logdir), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=slave,
        env=environment,
    )
    os.close(slave)
    shown = b""
    deadline = time.monotonic() + 15
    while b"Loaded" not in shown and time.monotonic() < deadline:
        if select.select([master], [], [], 0.1)[0]:
            shown += os.read(master, 4096)
    process.terminate()
    out, _ = process.communicate(timeout=60)
    os.close(master)
    assert b"Loaded 1 run," in shown
    assert b"\x1b" not in out
    assert out.count(b"http://") == 1


def test_the_version_is_told_at_once() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "insight_core.cli", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert done.stdout.startswith("insight-host ")
    assert "Python 3." in done.stdout
    assert "numpy " in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not imported & {"numpy", "werkzeug", "pluggy", "insight_core.plugin", "http.server"}


@pytest.mark.parametrize("word", ["--version", "plugins"])
def test_a_reader_that_has_gone_is_no_error(word: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "insight_core.cli", word]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, timeout=60)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_usage_without_a_logdir(run: Run) -> None:
    done = run()
    assert done.returncode == 2
    assert "insight-host runs/" in done.stderr
    assert done.stdout == ""
