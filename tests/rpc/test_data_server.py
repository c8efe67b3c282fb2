"""insight-data-server in a process of its own: a stand-in for TensorBoard's."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import grpc
import pytest

from insight_core.cli.data_server_flags import read_data_server_options
from insight_core.plugin.testing import EventWriter
from insight_core.rpc.schema import tensorboard_data_pb2 as messages
from insight_core.rpc.schema.services import TENSORBOARD, ServiceStub

COMMAND = [sys.executable, "-m", "insight_core.cli.data_server", "--no-cache"]
Start: TypeAlias = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts the server with the given flags; it is killed when the test has not ended it."""
    servers: list[subprocess.Popen[str]] = []

    def start_server(*flags: str) -> subprocess.Popen[str]:
        server = subprocess.Popen(
            [*COMMAND, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        servers.append(server)
        return server

    yield start_server
    for server in servers:
        if server.poll() is None:
            server.kill()
        server.communicate()


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs/run") as writer:
        for step in range(100):
            writer.scalar("x", step, float(step))
            writer.text("t", step, "hi")
    return tmp_path / "logs"


def port_in(file: Path) -> int:
    ends = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < ends
        time.sleep(0.02)
    text = file.read_text()
    assert text == f"{int(text)}\n"
    return int(text)


def steps(port: int, kind: str, plugin: str) -> list[int]:
    """Steps of the one series of a plugin, as soon as there is one."""
    with grpc.insecure_channel(f"localhost:{port}") as channel:
        request = getattr(messages, f"Read{kind}Request")(
            plugin_filter=messages.PluginFilter(plugin_name=plugin),
            downsample=messages.Downsample(num_points=10**6),
        )
        ends = time.monotonic() + 30
        while True:
            runs = getattr(ServiceStub(channel, TENSORBOARD), f"Read{kind}")(request, timeout=60).runs
            if runs:
                return list(runs[0].tags[0].data.step)
            assert time.monotonic() < ends
            time.sleep(0.05)


def test_the_port_file_and_the_end_of_standard_input(start: Start, logdir: Path, tmp_path: Path) -> None:
    file = tmp_path / "port"
    server = start(
        f"--logdir={logdir}", "--port=0", f"--port-file={file}", "--die-after-stdin", "--reload=once"
    )
    assert steps(port_in(file), "Scalars", "scalars") == list(range(100))
    assert [path.name for path in tmp_path.iterdir()] == ["logs", "port"]
    out, err = server.communicate(timeout=60)
    assert server.returncode == 0
    assert (out, err) == ("", "")


def test_it_says_where_it_listens_and_ends_at_a_signal(start: Start, logdir: Path) -> None:
    server = start(f"--logdir={logdir}", "--port", "0")
    assert server.stderr is not None
    words = server.stderr.readline().split()
    assert words[:2] == ["listening", "on"]
    host, _, port = words[2].rpartition(":")
    assert host == "localhost"
    with socket.create_connection((host, int(port))):
        pass
    server.send_signal(signal.SIGTERM)
    assert server.wait(timeout=60) == 0


def test_samples_by_tensorboards_names(start: Start, logdir: Path, tmp_path: Path) -> None:
    file = tmp_path / "port"
    start(
        f"--logdir={logdir}",
        "--port=0",
        f"--port-file={file}",
        "--samples-per-plugin=scalars=10,text=7,images=all",
    )
    port = port_in(file)
    for kind, plugin, count in (("Scalars", "scalars", 10), ("Tensors", "text", 7)):
        kept = steps(port, kind, plugin)
        assert len(kept) == count
        assert kept[-1] == 99


@pytest.mark.parametrize(
    ("flags", "code", "text"),
    [
        (["--logdir="], 8, "empty --logdir"),
        (["--logdir=bogus://x"], 8, 'unknown protocol "bogus" in logdir bogus://x'),
        (["--logdir=.", "--disable-plugin=nobody"], 2, "unknown plugin 'nobody'"),
        (["--logdir=.", "--port-file=/nonexistent/port"], 1, 'failed to write port "'),
    ],
)
def test_why_it_does_not_start(start: Start, tmp_path: Path, flags: list[str], code: int, text: str) -> None:
    file = tmp_path / "error"
    server = start(*flags, "--port=0", f"--error-file={file}")
    _, said = server.communicate(timeout=60)
    assert (server.returncode, said) == (code, "")
    assert text in file.read_text()


def test_without_an_error_file_stderr_says_why(start: Start) -> None:
    server = start("--logdir=", "--port=0")
    _, said = server.communicate(timeout=60)
    assert (server.returncode, said) == (8, "fatal: empty --logdir\n")


def test_a_port_in_use(start: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        file = tmp_path / "error"
        server = start("--logdir=.", "--host=127.0.0.1", f"--port={port}", f"--error-file={file}")
        assert server.wait(timeout=60) == 9
        assert file.read_text().startswith(f'failed to bind to ("127.0.0.1", {port}): ')


@pytest.mark.parametrize(
    "flags", [[], ["--logdir=x", "--port=bad"], ["--logdir=x", "--reload=often"], ["--logdir=x", "--nothing"]]
)
def test_bad_flags(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        read_data_server_options(flags, {})
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_flags_as_tensorboard_gives_them() -> None:
    options = read_data_server_options(
        [
            "--logdir=/x:y",
            "--reload=2",
            "--samples-per-plugin=scalars=all,images=7",
            "--port=0",
            "--port-file=p",
            "--die-after-stdin",
            "--error-file=e",
            "--verbose",
            "--verbose",
            "--no-checksum",
        ],
        {},
    )
    assert (options.logdir, options.reload, options.port, options.host) == (("/x:y",), 2.0, 0, "localhost")
    assert options.samples_per_plugin == {"scalars": 0, "images": 7}
    assert (options.port_file, options.error_file, options.die_after_stdin) == ("p", "e", True)
    assert options.shared.verbosity == "debug"


def test_defaults_and_shared_flags() -> None:
    options = read_data_server_options(
        ["--logdir", "a", "--logdir", "b"], {"INSIGHT_HOST_CACHE_DIR": "/c", "INSIGHT_HOST_PORT": "99"}
    )
    assert (options.logdir, options.port, options.reload) == (("a", "b"), 6806, 5.0)
    assert options.shared.cache_dir == "/c"  # but the port is for one server alone
    assert options.shared.cache
    assert options.samples_per_plugin == {}
    assert read_data_server_options(["--logdir=a", "--reload=once"], {}).reload == 0.0
    assert read_data_server_options(["--logdir=a", "--reload=0"], {}).reload == 0.5
    assert not read_data_server_options(["--logdir=a", "--no-cache"], {}).shared.cache


def test_flags_as_insight_host_gives_them() -> None:
    options = read_data_server_options(
        [
            "--logdir=a:/x",
            "--reload=0.25",
            "--samples-per-plugin=scalar=5",
            "--samples-per-plugin=image=2",
            "--cache-preset=mindinsight",
            "--verbosity=info",
            "--cache-size=2147483648",
            "--max-memory=1073741824",
        ],
        {},
    )
    assert (options.reload, options.samples_per_plugin) == (0.25, {"scalar": 5, "image": 2})
    assert (options.shared.cache_preset, options.shared.verbosity) == ("mindinsight", "info")
    assert options.shared.cache_size == 1 << 31
    assert options.shared.max_memory == 1 << 30
