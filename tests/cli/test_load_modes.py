"""``--data-provider`` and ``--load``: the same data whoever reads it, and a host that never waits in vain."""

from __future__ import annotations

import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from insight_core.plugin import Dialect, Unavailable
from insight_core.plugin.testing import EventWriter
from tests.certificates import certificate
from tests.cli.asking import answered, ask
from tests.data_server_clients import connected
from tests.waiting import eventually

Serve = Callable[..., Any]

# what the health check of the link logs
_SILENT = re.compile(r"^INFO insight_core\.providers\.link: .* does not answer")


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    for run, dialect in (("torch/a", Dialect.TENSORBOARD), ("ms", Dialect.MINDSPORE)):
        with EventWriter(logs / run, dialect) as writer:
            for step in range(10):
                writer.scalar("loss", step, step / 2)
    return logs


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A directory for temporary files; its path is short enough for a socket."""
    with tempfile.TemporaryDirectory(prefix="insight-test-") as place:
        yield Path(place)


def complete(serving: Any, points: int = 10) -> Any:  # noqa: ANN401
    """The tags once both runs are there with all their points."""

    def holds(status: int, answer: Any) -> bool:  # noqa: ANN401
        tags = [run.get("loss", {}) for run in answer.values()] if status == 200 else []
        return len(tags) == 2 and all(tag.get("points") == points for tag in tags)

    return answered(f"{serving.url}data/plugin/scalar/tags", holds)


def child_of(pid: int) -> int:
    """The process that a host has started, as soon as there is one."""

    def found() -> int | None:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # a thread that has ended meanwhile
                for child in (thread / "children").read_text().split():
                    return int(child)
        return None

    return eventually(found)


def is_there(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@contextmanager
def data_server(logdir: Path, place: Path, *more: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """An ``insight-data-server`` that nobody supervises, and its port."""
    port_file = place / "port"
    flags = [
        f"--logdir={logdir}",
        "--port=0",
        f"--port-file={port_file}",
        "--reload=0.1",
        "--no-cache",
        *more,
    ]
    process = subprocess.Popen([sys.executable, "-m", "insight_core.cli.data_server", *flags])
    try:
        eventually(lambda: port_file.exists() and port_file.read_text().endswith("\n"))
        yield process, int(port_file.read_text())
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("mode", ["inprocess", "server", "rust"])
def test_every_mode_shows_the_same(serve: Serve, logdir: Path, mode: str) -> None:
    serving = serve("--logdir", str(logdir), "--load", mode, "--reload-interval", "0.2")
    tags = complete(serving)
    assert {run: list(found) for run, found in tags.items()} == {"torch/a": ["loss"], "ms": ["loss"]}
    status, answer = ask(f"{serving.url}data/plugin/scalar/series?tag=loss")
    assert status == 200
    assert {s["run"]: s["values"] for s in answer["series"]} == {
        run: [step / 2 for step in range(10)] for run in ("torch/a", "ms")
    }
    runs = ask(f"{serving.url}data/run_table")[1]["runs"]
    assert {run["name"]: run["dialects"] for run in runs} == {"torch/a": ["tensorboard"], "ms": ["mindspore"]}
    assert ask(f"{serving.url}data/plugins_listing")[1]["scalar"]["enabled"]


@pytest.mark.parametrize("mode", ["server", "rust"])
def test_several_logdirs_have_the_same_names_in_every_mode(serve: Serve, logdir: Path, mode: str) -> None:
    flags = ("--logdir", str(logdir), "--logdir", f"mine:{logdir / 'ms'}")
    serving = serve(*flags, "--load", mode)
    wanted = {"logs/torch/a", "logs/ms", "mine"}
    answered(f"{serving.url}data/runs", lambda status, answer: status == 200 and set(answer) == wanted)


@pytest.mark.parametrize("mode", ["server", "rust"])
def test_a_killed_data_server_is_said_at_once_and_comes_back(serve: Serve, logdir: Path, mode: str) -> None:
    serving = serve("--logdir", str(logdir), "--load", mode, "--reload-interval", "0.2")
    complete(serving)
    table = f"{serving.url}data/run_table"
    ask(f"{serving.url}data/plugins_listing")
    child = child_of(serving.process.pid)
    os.kill(child, signal.SIGKILL)
    # it is started again half a second later
    error = answered(table, lambda status, answer: status == 503 and "restarted" in answer["error"], pause=0)
    assert error["error"] == "the data server ended (killed by SIGKILL); it is being restarted"
    # what is the host's own goes on
    assert ask(f"{serving.url}healthz")[0] == 200
    assert ask(f"{serving.url}data/plugins_listing")[1]["scalar"]["enabled"]
    assert ask(f"{serving.url}data/changes?since=0")[0] == 200
    complete(serving)
    assert child_of(serving.process.pid) != child
    assert ask(table)[0] == 200


@pytest.mark.parametrize("mode", ["server", "rust"])
def test_a_stopped_data_server_holds_nobody_up(serve: Serve, logdir: Path, mode: str) -> None:
    """A health check reports it, and from then on no request waits for the deadline of an answer."""
    log = ("--verbosity", "debug")
    serving = serve("--logdir", str(logdir), "--load", mode, "--reload-interval", "0.2", *log)
    logged: list[str] = []
    reading = threading.Thread(target=logged.extend, args=[serving.process.stderr])
    reading.start()
    complete(serving)
    child = child_of(serving.process.pid)
    os.kill(child, signal.SIGSTOP)
    try:
        error = answered(f"{serving.url}data/run_table", lambda status, _: status == 503)
        assert "does not answer" in error["error"]
        noticed = eventually(lambda: [at for at, line in enumerate(logged) if _SILENT.search(line)])[0]
        paths = ("run_table", "plugins_listing", "plugin/scalar/series?tag=loss", "changes?since=0")
        statuses = [ask(f"{serving.url}data/{path}")[0] for path in paths]
        assert statuses == [503, 200, 503, 200]
        with urllib.request.urlopen(f"{serving.url}data/events", timeout=60) as events:
            assert events.readline().startswith(b"retry")
    finally:
        os.kill(child, signal.SIGCONT)
    complete(serving)
    serving.process.terminate()
    reading.join()
    assert [line for line in logged[noticed:] if "DEADLINE_EXCEEDED" in line] == []


@pytest.mark.parametrize("mode", ["server", "rust"])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_the_data_server_ends_with_the_host_and_leaves_no_files(
    serve: Serve, logdir: Path, temporary: Path, mode: str, how: signal.Signals
) -> None:
    serving = serve("--logdir", str(logdir), "--load", mode, env={"TMPDIR": str(temporary)})
    complete(serving)
    child = child_of(serving.process.pid)
    serving.process.send_signal(how)
    out, err = serving.process.communicate(timeout=60)
    assert serving.process.returncode == (-how if how is signal.SIGKILL else 0)
    assert (out, err) == ("", "")
    until = time.monotonic() + 10
    while is_there(child) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_there(child)
    assert list(temporary.iterdir()) == []


def socket_of(pid: int) -> Path:
    """The unix socket of the data server that a host has started."""
    command = Path(f"/proc/{child_of(pid)}/cmdline").read_bytes().decode().split("\0")
    [path] = [flag.partition("=")[2] for flag in command if flag.startswith("--unix-socket=")]
    return Path(path)


def test_only_the_host_can_ask_its_data_server(serve: Serve, logdir: Path) -> None:
    serving = serve("--logdir", str(logdir), "--load", "server")
    complete(serving)
    socket = socket_of(serving.process.pid)
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    with pytest.raises(Unavailable, match="needs a token"), connected(f"grpc+unix://{socket}"):
        pass
    command = Path(f"/proc/{child_of(serving.process.pid)}/cmdline").read_bytes().decode().split("\0")
    assert [flag for flag in command if "token" in flag] == ["--token-file=-"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_the_socket_of_a_data_server(
    serve: Serve, logdir: Path, how: signal.Signals
) -> None:
    serving = serve("--logdir", str(logdir), "--load", "server")
    complete(serving)
    first = socket_of(serving.process.pid)
    os.kill(child_of(serving.process.pid), signal.SIGKILL)
    eventually(lambda: not first.parent.exists())
    complete(serving)
    second = socket_of(serving.process.pid)
    serving.process.send_signal(how)
    serving.process.communicate(timeout=60)
    eventually(lambda: not second.parent.exists())


def test_a_data_provider_over_tls_with_a_token(serve: Serve, logdir: Path, tmp_path: Path) -> None:
    files, token = certificate(tmp_path / "tls"), tmp_path / "token"
    token.write_text("secret\n")
    token.chmod(0o600)
    flags = (f"--tls-cert={files.chain}", f"--tls-key={files.key}", f"--token-file={token}", "--no-same-user")
    with data_server(logdir, tmp_path, *flags) as (_, port):
        location = ("--data-provider", f"grpcs://localhost:{port}", "--data-provider-ca", str(files.chain))
        complete(serve(*location))  # programs of the same user find the token
        other = {"XDG_STATE_HOME": str(tmp_path)}  # as on another machine
        refused = serve(*location, env=other)
        error = answered(f"{refused.url}data/run_table", lambda status, answer: "token" in str(answer))
        assert "--data-provider-token-file" in error["error"]
        complete(serve(*location, "--data-provider-token-file", str(token), env=other))


def test_flags_of_loading_reach_the_data_server(serve: Serve, logdir: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    flags = (
        "--samples-per-plugin",
        "scalar=4",
        "--cache-dir",
        str(cache),
        "--max-memory",
        "100M",
        "--cache-size",
        "1G",
    )
    serving = serve("--logdir", str(logdir), "--load", "server", *flags)
    tags = complete(serving)
    assert {run["loss"]["kept"] for run in tags.values()} == {4}
    command = Path(f"/proc/{child_of(serving.process.pid)}/cmdline").read_bytes().decode().split("\0")
    assert {
        f"--cache-dir={cache}",
        f"--max-memory={100 << 20}",
        f"--cache-size={1 << 30}",
        "--samples-per-plugin=scalar=4",
    } <= set(command)


def test_the_server_in_rust_keeps_what_the_flags_say(serve: Serve, logdir: Path) -> None:
    serving = serve("--logdir", str(logdir), "--load", "rust", "--samples-per-plugin", "scalar=4")
    tags = answered(
        f"{serving.url}data/plugin/scalar/tags", lambda status, answer: status == 200 and len(answer) == 2
    )
    assert (tags["torch/a"]["loss"]["kept"], tags["ms"]["loss"]["kept"]) == (4, 4)


def test_a_data_provider_may_come_later_and_go(
    serve: Serve, logdir: Path, tmp_path: Path, run: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    with data_server(logdir, tmp_path) as (process, port):
        serving = serve("--data-provider", f"grpc://127.0.0.1:{port}")
        complete(serving)
        assert ask(f"{serving.url}data/environment")[1]["data_location"] == str(logdir)
        process.kill()
        process.wait()
        error = answered(f"{serving.url}data/run_table", lambda status, _: status == 503)
        assert f"127.0.0.1:{port}" in error["error"]
    late = serve("--data-provider", f"grpc://127.0.0.1:{port}")
    assert ask(f"{late.url}data/run_table")[0] == 503
    assert ask(f"{late.url}data/plugins_listing")[0] == 200


def test_several_data_servers_are_one_page_and_one_away_is_a_notice(
    serve: Serve, logdir: Path, tmp_path: Path
) -> None:
    def runs(table: Any) -> list[str]:  # noqa: ANN401
        return sorted(run["name"] for run in table["runs"])

    (places := [tmp_path / "one", tmp_path / "two"])[0].mkdir()
    places[1].mkdir()
    with data_server(logdir / "torch", places[0]) as (_, one):
        with data_server(logdir / "ms", places[1], "--logdir=again:" + str(logdir / "ms")) as (_, two):
            locations = [f"grpc://127.0.0.1:{one}", f"grpc://127.0.0.1:{two}"]
            serving = serve("--data-provider", ",".join(locations))
            table = f"{serving.url}data/run_table"
            whole = answered(table, lambda status, found: status == 200 and len(runs(found)) == 3)
            assert whole["notices"] == []
        away = answered(table, lambda status, found: status == 200 and found["notices"])
        assert (runs(away), away["notices"][0]["details"]["source"]) == (["a"], locations[1])
        with data_server(logdir / "ms", places[1], f"--port={two}"):
            back = answered(table, lambda status, found: status == 200 and len(runs(found)) == 2)
            assert back["notices"] == []


def test_any_server_of_the_service_of_tensorboard_will_do(serve: Serve, logdir: Path, tmp_path: Path) -> None:
    from insight_tensorboard.client.rust_server import rust_server

    port_file = tmp_path / "port"
    flags = [f"--logdir={logdir}", "--reload=1", "--port=0", f"--port-file={port_file}"]
    process = subprocess.Popen([rust_server(), *flags])
    try:
        eventually(lambda: port_file.exists() and port_file.read_text().endswith("\n"))
        serving = serve("--data-provider", f"grpc://localhost:{int(port_file.read_text())}")
        tags = f"{serving.url}data/plugin/scalar/tags"
        answer = answered(tags, lambda status, answer: status == 200 and bool(answer))
        assert list(answer) == ["torch/a"]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--data-provider", "localhost:1"], "grpc://HOST:PORT"),
        (["--data-provider", "grpc://h:1", "--load", "server"], "--load"),
        (["--logdir", "x", "--load", "elsewhere"], "inprocess"),
        ([], "no log directory"),
    ],
)
def test_flags_that_make_no_sense_are_refused(
    run: Callable[..., subprocess.CompletedProcess[str]], flags: list[str], said: str
) -> None:
    done = run(*flags)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("grpc://localhost", "grpc://HOST:PORT"),
        ("grpc://h:99999", "port number"),
        ("vault://x", "--data-provider: no plugin opens 'vault://x'"),
    ],
)
def test_a_location_that_nothing_opens_ends_the_start(
    run: Callable[..., subprocess.CompletedProcess[str]], location: str, said: str
) -> None:
    done = run("--data-provider", location)
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_flags_that_the_data_server_decides_are_named(serve: Serve) -> None:
    serving = serve("--data-provider", "grpc://127.0.0.1:9", "--samples-per-plugin", "scalar=3", "--no-cache")
    serving.process.send_signal(signal.SIGTERM)
    err = serving.process.communicate(timeout=60)[1]
    assert "--samples-per-plugin has no effect" in err
    assert "--cache has no effect" in err
