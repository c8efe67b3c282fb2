"""Unmodified TensorBoard is answered by a data server of its user without a token; other users are not."""

from __future__ import annotations

import shlex
from pathlib import Path

from tests.conformance.dashboards import Dashboards
from tests.conformance.data_servers import OURS, running, until
from tests.conformance.tensorboard_servers import tensorboard
from tests.other_user import needs_root, run_as_other

_ASK = """
with grpc.insecure_channel(sys.argv[1]) as channel:
    try:
        channel.unary_unary("/tensorboard.data.TensorBoardDataProvider/ListRuns", None, None)(b"", timeout=30)
        print("OK")
    except grpc.RpcError as error:
        print(error.code().name)
"""


def shows_runs(url: str) -> bool:
    answer = Dashboards(url).json("runs")
    return isinstance(answer, list) and bool(answer)


def test_tensorboard_needs_no_token_for_a_server_of_its_user(
    peer: str, sample_logs: Path, tmp_path: Path
) -> None:
    with (
        running(OURS, sample_logs / "torch", tmp_path) as address,
        tensorboard(peer, tmp_path, f"--grpc_data_provider={address}") as url,
    ):
        until(lambda: shows_runs(url))


def test_other_users_are_refused_by_the_server_that_tensorboard_starts(
    peer: str, sample_logs: Path, tmp_path: Path
) -> None:
    needs_root()
    program = tmp_path / "insight-data-server"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(OURS)} "$@"\n')
    program.chmod(0o755)
    chosen = {"TENSORBOARD_DATA_SERVER_BINARY": str(program), "XDG_STATE_HOME": str(tmp_path)}
    flags = (f"--logdir={sample_logs / 'torch'}", "--load_fast=true")
    with tensorboard(peer, tmp_path, *flags, **chosen) as url:
        until(lambda: shows_runs(url))
        [published] = tmp_path.glob("insight-host/data-servers/*/*")
        port = published.name.rpartition(":")[2]
        for host in ("localhost", "127.0.0.1"):
            done = run_as_other(_ASK, f"{host}:{port}")
            assert done.stdout.strip() == "UNAUTHENTICATED", done.stderr


def test_other_users_are_refused_where_flags_turn_off_what_tensorboard_relies_on(
    peer: str, sample_logs: Path, tmp_path: Path
) -> None:
    """Without the rule TensorBoard is refused as well, as documented."""
    command = [*OURS, "--no-same-user"]
    with (
        running(command, sample_logs / "torch", tmp_path) as address,
        tensorboard(peer, tmp_path, f"--grpc_data_provider={address}") as url,
    ):
        assert Dashboards(url).fetch("runs").startswith(b"500 ")
