"""Without the extra ``grpc``: what needs it says so, and everything else works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from insight_core.plugin.testing import EventWriter

_HIDDEN = "import sys; sys.modules.update(dict.fromkeys(('grpc', 'grpc_health', 'grpc_reflection')))"
_HOST = f"{_HIDDEN}; from insight_core.cli import main; sys.exit(main(sys.argv[1:]))"
_DATA_SERVER = f"{_HIDDEN}; from insight_core.cli.data_server import main; sys.exit(main(sys.argv[1:]))"
_EXTRA = "not installed here: pip install 'insight-host[grpc]'"
_HINT = f"data servers need grpcio, grpcio-health-checking, grpcio-reflection, {_EXTRA}"


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs/first") as writer:
        writer.scalar("loss", 1, 0.5)
    return tmp_path / "logs"


def _run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    "arguments",
    [
        ["runs", "grpc://localhost:1"],
        ["--port=0", "--data-provider=grpc://localhost:1"],
        ["--port=0", "--load=server", "--logdir=LOGS"],
        ["--port=0", "--load=rust", "--logdir=LOGS"],
    ],
    ids=lambda arguments: arguments[-1 if arguments[0] == "runs" else 1],
)
def test_commands_that_ask_a_data_server_name_the_extra(logdir: Path, arguments: list[str]) -> None:
    done = _run(_HOST, *(one.replace("LOGS", str(logdir)) for one in arguments))
    assert done.returncode != 0
    assert _HINT in done.stderr
    assert "Traceback" not in done.stderr


def test_the_data_server_names_the_extra(logdir: Path) -> None:
    done = _run(_DATA_SERVER, f"--logdir={logdir}")
    assert (done.returncode, done.stderr) == (1, f"fatal: {_HINT}\n")


def test_logs_of_a_directory_are_read_and_the_client_of_a_host_can_be_imported(logdir: Path) -> None:
    done = _run(_HOST, "runs", str(logdir), "--csv")
    assert done.returncode == 0, done.stderr
    assert "first" in done.stdout
    imported = _run(f"{_HIDDEN}; import insight_remote.host_client.provider, insight_core.plugin.servers")
    assert imported.returncode == 0, imported.stderr


def test_beside_tensorboard_which_brings_grpcio_alone_the_others_are_named() -> None:
    done = _run(_HOST.replace("'grpc', ", ""), "runs", "grpc://localhost:1")
    assert done.returncode != 0
    assert f"data servers need grpcio-health-checking, grpcio-reflection, {_EXTRA}" in done.stderr
