"""A host with --receive: its flags and token, a kill in the middle, and a proxy with TLS before it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.processes import free_port
from insight_record import SummaryWriter
from insight_record.sending import sender as sending_thread
from tests.certificates import Certificate, certificate
from tests.cli.asking import got
from tests.cli.conftest import Serving
from tests.receivers import TOKEN, written
from tests.waiting import PATIENCE, eventually

Run = Callable[..., subprocess.CompletedProcess[str]]
Serve = Callable[..., Serving]


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The file of the senders' token, which this process sends."""
    path = tmp_path / "sender.token"
    path.touch(mode=0o600)
    path.write_text(TOKEN)
    monkeypatch.setenv("INSIGHT_RECORD_TOKEN", TOKEN)
    monkeypatch.setenv("INSIGHT_RECORD_SPOOL", str(tmp_path / "spools"))
    monkeypatch.setattr(sending_thread, "_senders", {})
    yield path
    for sender in sending_thread._senders.values():
        sender.finish()


def _names(answer: Any) -> set[str]:  # noqa: ANN401
    return {run["name"] for run in answer["runs"]}


def _send(url: str, run: str, steps: range = range(10)) -> None:
    with SummaryWriter(run, to=url) as writer:
        for step in steps:
            writer.add_scalar("loss", float(step), step)


@pytest.mark.parametrize("by_variable", [False, True])
def test_runs_that_are_sent_are_shown(serve: Serve, token: Path, tmp_path: Path, by_variable: bool) -> None:
    place = tmp_path / "new/received"
    given = {"INSIGHT_HOST_RECEIVE": str(place), "INSIGHT_HOST_RECEIVE_TOKEN_FILE": str(token)}
    flags = ("--receive", str(place), "--receive-token-file", str(token))
    host = serve(env=given) if by_variable else serve(*flags)
    _send(host.url, "team/first")
    got(f"{host.url}data/run_table", lambda answer: _names(answer) == {"team/first"})
    [series] = got(
        f"{host.url}data/plugin/scalar/series?run=team/first&tag=loss&format=json",
        lambda answer: [len(one["steps"]) for one in answer["series"]] == [10],
    )["series"]
    assert series["values"] == [float(step) for step in range(10)]


def test_a_directory_of_received_runs_is_shown_beside_others_and_once(
    serve: Serve, token: Path, tmp_path: Path
) -> None:
    with SummaryWriter(tmp_path / "logs/local") as writer:
        writer.add_scalar("loss", 1.0, 0)
    flags = ("--receive-token-file", str(token))
    host = serve(str(tmp_path / "logs"), "--receive", str(tmp_path / "in"), *flags)
    _send(host.url, "sent")
    got(f"{host.url}data/run_table", lambda answer: _names(answer) == {"logs/local", "in/sent"})
    within = serve(str(tmp_path / "logs"), "--receive", str(tmp_path / "logs/in"), *flags)
    _send(within.url, "sent")
    got(f"{within.url}data/run_table", lambda answer: _names(answer) == {"local", "in/sent"})


def _status(url: str, token: str) -> int:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_each_token_opens_its_own_door(serve: Serve, tmp_path: Path) -> None:
    host = serve("--receive", str(tmp_path / "in"), "--port", "0", env={"INSIGHT_HOST_TOKEN": "1"})
    assert host.process.stdout is not None
    said = host.process.stdout.readline()
    address, _, owner = host.url.partition("?token=")
    [sender] = re.findall(r"INSIGHT_RECORD_TOKEN to (\S+)$", said)
    assert owner != sender
    file = f"{address}receive/files/a/tfevents.1"
    assert (_status(file, sender), _status(file, owner)) == (200, 401)
    assert (_status(f"{address}data/runs", sender), _status(f"{address}data/runs", owner)) == (401, 200)
    assert _status(f"{file}?token={sender}", "") == 401


def test_without_a_directory_of_any_kind_no_host_starts(run: Run, token: Path) -> None:
    answer = run("--receive-token-file", str(token))
    assert answer.returncode == 2
    assert "no log directory" in answer.stderr


def test_a_token_file_that_others_may_read_ends_the_start(run: Run, token: Path, tmp_path: Path) -> None:
    token.chmod(0o644)
    answer = run("--receive", str(tmp_path / "in"), "--receive-token-file", str(token))
    assert answer.returncode == 1
    assert "others may read this file" in answer.stderr
    assert TOKEN not in answer.stderr


def test_a_host_that_is_killed_and_started_again_gets_the_rest(
    serve: Serve, token: Path, tmp_path: Path
) -> None:
    place = tmp_path / "in"
    flags = ("--receive", str(place), "--receive-token-file", str(token))
    port = ("--port", str(free_port()))
    host = serve(*flags, port=port)
    writer = SummaryWriter("run", to=host.url)
    for step in range(5000):
        writer.add_scalar("loss", float(step), step)
    eventually(lambda: written(place) if place.is_dir() else None)
    host.process.send_signal(signal.SIGKILL)
    host.process.communicate(timeout=PATIENCE)
    for step in range(5000, 10_000):
        writer.add_scalar("loss", float(step), step)
    writer.flush()
    again = serve(*flags, port=port)
    writer.close()
    answer = got(
        f"{again.url}data/plugin/scalar/series?run=run&tag=loss&format=json",
        lambda answer: [len(one["steps"]) for one in answer["series"]] == [10_000],
    )
    assert answer["series"][0]["values"] == [float(step) for step in range(10_000)]
    assert len(written(place)) == 1


@pytest.fixture
def nginx(tmp_path: Path, repository: Path) -> Iterator[Callable[[str, Certificate], str]]:
    """Starts nginx with TLS, by the lines of docs/how-to/recording.md, before a host; returns its address."""
    unpacked = repository / ".nginx/usr/sbin/nginx"
    program = str(unpacked) if unpacked.is_file() else shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if program is None:
        pytest.skip("no nginx here: `make .nginx/usr/sbin/nginx` fetches Debian's")
    processes: list[subprocess.Popen[bytes]] = []

    def start(backend: str, files: Certificate) -> str:
        page = (repository / "docs/how-to/recording.md").read_text(encoding="utf-8")
        [location] = re.findall(r"```nginx\n(.*?)```", page, re.DOTALL)
        assert "127.0.0.1:6006" in location
        port = free_port()
        temporary = " ".join(
            f"{kind}_temp_path {tmp_path}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = tmp_path / "nginx.conf"
        worker = "user root;" if os.geteuid() == 0 else ""  # may read the files of the test
        config.write_text(
            f"daemon off; {worker} pid {tmp_path}/pid; events {{}}\n"
            f"http {{ access_log {tmp_path}/access; {temporary}\n"
            f"server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {files.chain};\n"
            f"ssl_certificate_key {files.key};\n{location.replace('127.0.0.1:6006', backend)}}}}}\n"
        )
        processes.append(subprocess.Popen([program, "-c", str(config), "-e", str(tmp_path / "errors")]))
        return f"https://localhost:{port}/insight"

    yield start
    for process in processes:
        process.terminate()
        process.wait(timeout=PATIENCE)


def test_runs_come_through_a_proxy_with_tls(
    serve: Serve,
    token: Path,
    tmp_path: Path,
    nginx: Callable[[str, Certificate], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place, files = tmp_path / "in", certificate(tmp_path / "tls")
    flags = ("--receive", str(place), "--receive-token-file", str(token), "--path-prefix", "/insight")
    host = serve(*flags)
    url = nginx(host.url.removeprefix("http://").partition("/")[0], files)
    monkeypatch.setenv("SSL_CERT_FILE", str(files.chain))
    eventually(lambda: (tmp_path / "pid").exists())
    with SummaryWriter("run", to=url) as writer:
        writer.add_tensor("big", [0.0] * 1_000_000)  # in pieces, each as large as nginx takes by default
    [data] = written(place).values()
    assert len(data) > 4_000_000
    logged = (tmp_path / "access").read_text()
    assert "PATCH /insight/receive/files/run/" in logged
    assert TOKEN not in logged
    got(f"{host.url}data/run_table", lambda answer: _names(answer) == {"run"})
