"""Who may ask a data server: its token, programs of the same user, TLS, unix sockets, and nobody else."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import grpc
import pytest
from attrs import frozen
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from insight_core.plugin import InvalidArgument, Unavailable
from insight_core.plugin.testing import EventWriter
from insight_core.rpc.peer_user import SameUser
from insight_core.rpc.schema.pool import POOL
from insight_core.rpc.schema.services import INSIGHT, TENSORBOARD
from insight_core.rpc.serving import addresses_of
from insight_core.rpc.tokens import published_token, read_token
from tests.certificates import certificate
from tests.data_server_clients import connected
from tests.other_user import needs_root, run_as_other
from tests.waiting import PATIENCE, eventually

COMMAND = [sys.executable, "-m", "insight_core.cli.data_server", "--no-cache"]
METHODS = [
    *(
        f"/{service}/{method.name}"
        for service in (INSIGHT, TENSORBOARD)
        for method in POOL.FindServiceByName(service).methods
    ),
    *(
        f"/{service.full_name}/{method.name}"
        for file in (health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR)
        for service in file.services_by_name.values()
        for method in service.methods
    ),
    "/no.such.Service/Method",
    f"/{INSIGHT}/NoSuchMethod",
]
ASKING = """
import json
target, methods = json.loads(sys.argv[1])
with grpc.insecure_channel(target) as channel:
    for method in methods:
        call = channel.stream_stream(method, None, None)(iter([b""]), timeout=30)
        try:
            list(call)
        except grpc.RpcError as error:
            print(method, error.code().name)
        else:
            print(method, "OK")
"""


@frozen
class Running:
    process: subprocess.Popen[str]
    address: str


Start: TypeAlias = Callable[..., Running]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs/run") as writer:
        writer.scalar("x", 0, 1.0)
    return tmp_path / "logs"


@pytest.fixture
def start(logdir: Path, tmp_path: Path) -> Iterator[Start]:
    """Starts a server on a free port, or on the unix socket that the flags name."""
    with ExitStack() as ending:

        def start_server(*flags: str, given: str | None = None) -> Running:
            port_file = tmp_path / f"port{len(list(tmp_path.iterdir()))}"
            sockets = [flag.partition("=")[2] for flag in flags if flag.startswith("--unix-socket=")]
            ports = [] if sockets else ["--port=0", f"--port-file={port_file}"]
            process = subprocess.Popen(
                [*COMMAND, f"--logdir={logdir}", *ports, *flags],
                stdin=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            ending.callback(process.communicate)
            ending.callback(process.kill)
            assert process.stdin is not None
            if given is not None:
                process.stdin.write(given)
                process.stdin.flush()
            listens = Path(sockets[0]) if sockets else port_file
            eventually(lambda: process.poll() is not None or listens.exists())
            assert process.poll() is None, process.stderr and process.stderr.read()
            return Running(
                process, f"unix:{sockets[0]}" if sockets else f"localhost:{port_file.read_text().strip()}"
            )

        yield start_server


def codes(address: str, *metadata: tuple[str, str | bytes]) -> set[str]:
    """Status codes of all methods of all services."""
    found = set()
    with grpc.insecure_channel(address) as channel:
        for method in METHODS:
            ask: Any = channel.stream_stream(method, None, None)
            call = ask(iter([b""]), timeout=PATIENCE, metadata=metadata)
            try:
                next(call)
                call.cancel()
                found.add("OK")
            except grpc.RpcError as error:
                found.add(error.code().name)
            except StopIteration:
                found.add("OK")
    return found


def refused_start(*flags: str) -> str:
    done = subprocess.run([*COMMAND, *flags], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done.stderr


def token_file(tmp_path: Path, token: str = "the-token", mode: int = 0o600) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{token}\n")
    path.chmod(mode)
    return path


def test_every_method_of_every_service_needs_the_token(start: Start, tmp_path: Path) -> None:
    server = start(f"--token-file={token_file(tmp_path)}", "--no-same-user", "--reflection")
    for wrong in (
        (),
        (("authorization", "Bearer another"),),
        (("authorization", "the-token"),),
        (("authorization", "Basic the-token"),),
        (("authorization", "Bearer the-token"), ("authorization", "Bearer the-token")),
    ):
        assert codes(server.address, *wrong) == {"UNAUTHENTICATED"}
    right = codes(server.address, ("authorization", "Bearer the-token"))
    assert "OK" in right
    assert "UNIMPLEMENTED" in right  # of the methods that do not exist
    assert "UNAUTHENTICATED" not in right


def test_programs_of_the_same_user_need_no_token(start: Start) -> None:
    server = start()
    port = server.address.rpartition(":")[2]
    for host in ("localhost", "127.0.0.1"):
        found = codes(f"{host}:{port}")
        assert "OK" in found
        assert "UNAUTHENTICATED" not in found


def test_another_user_is_refused_by_every_method(start: Start) -> None:
    needs_root()
    server = start("--reflection")
    port = server.address.rpartition(":")[2]
    for host in ("localhost", "127.0.0.1", "[::1]"):
        done = run_as_other(ASKING, json.dumps([f"{host}:{port}", METHODS]))
        assert done.stdout.splitlines() == [f"{method} UNAUTHENTICATED" for method in METHODS], done.stderr


def test_another_user_cannot_reach_a_unix_socket(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "s"
    server = start(f"--unix-socket={path}")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "OK" in codes(server.address)
    needs_root()
    for directory in (tmp_path, *tmp_path.parents[:3]):
        directory.chmod(directory.stat().st_mode | 0o011)
    done = run_as_other("print(socket.socket(socket.AF_UNIX).connect_ex(sys.argv[1]))", str(path))
    assert done.stdout.strip() == "13", done.stderr  # EACCES


def test_a_unix_socket_with_a_token_from_standard_input(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "s"
    server = start(f"--unix-socket={path}", "--token-file=-", "--die-after-stdin", given="secret\n")
    assert codes(server.address) == {"UNAUTHENTICATED"}
    with connected(f"grpc+unix://{path}", token_file=str(token_file(tmp_path, "secret"))) as logs:
        assert logs.location()
    server.process.communicate(timeout=PATIENCE)
    assert server.process.returncode == 0
    assert not path.exists()


def test_clients_of_the_user_find_the_token_of_each_start(start: Start) -> None:
    server = start("--no-same-user")
    with connected(server.address) as logs:
        assert logs.location()
    token = published_token(server.address)
    assert token is not None
    assert len(token) >= 43  # 256 bits
    state = Path(os.environ["XDG_STATE_HOME"], "insight-host", "data-servers")
    [file] = state.glob("*/*")
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert published_token(server.address.replace("localhost", "127.0.0.1")) == token
    assert published_token(server.address.replace("localhost", "example.org")) is None
    server.process.kill()
    server.process.wait()
    assert file.exists()
    other = start("--no-same-user")  # removes what the killed one left
    assert [path.name for path in file.parent.iterdir()] == [other.address]
    other.process.send_signal(signal.SIGTERM)
    other.process.wait(PATIENCE)
    assert list(file.parent.iterdir()) == []


def test_a_client_says_which_token_is_missing(start: Start, tmp_path: Path) -> None:
    server = start("--no-same-user", f"--token-file={token_file(tmp_path)}")
    wrong = tmp_path / "wrong"
    wrong.write_text("wrong\n")
    wrong.chmod(0o600)
    with (
        pytest.raises(Unavailable, match=r"needs a token.*--data-provider-token-file"),
        connected(server.address, token_file=str(wrong)),
    ):
        pass
    with connected(f"grpc://{server.address}", token_file=str(tmp_path / "token")) as logs:
        assert logs.location()
        wrong.replace(tmp_path / "token")  # is read again for each call
        with pytest.raises(Unavailable, match="needs a token"):
            logs.runs()


def test_no_token_says_so(start: Start, logdir: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, f"--logdir={logdir}", "--port=0", "--no-token"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        assert "no token: every user of this machine can read these logs" in process.stderr.readline()
        assert "UNAUTHENTICATED" not in codes(address)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_beyond_loopback_it_needs_token_and_tls_or_insecure(host: str, tmp_path: Path, start: Start) -> None:
    files = certificate(tmp_path / "tls")
    tls = (f"--tls-cert={files.chain}", f"--tls-key={files.key}")
    common = ("--logdir=.", f"--host={host}", "--port=0")
    assert "needs TLS (--tls-cert FILE)" in refused_start(*common)
    assert "needs a token (leave out --no-token)" in refused_start(*common, *tls, "--no-token")
    assert "a token (leave out --no-token) and TLS" in refused_start(*common, "--no-token")
    start(f"--host={host}", *tls)
    open_to_all = start(f"--host={host}", "--insecure")
    # the user of a connection is not known there: it may come from another machine
    assert codes(open_to_all.address) == {"UNAUTHENTICATED"}


def test_tls(start: Start, tmp_path: Path) -> None:
    files = certificate(tmp_path / "tls")
    server = start(f"--tls-cert={files.chain}", f"--tls-key={files.key}", "--no-same-user")
    with connected(f"grpcs://{server.address}", ca_file=str(files.chain)) as logs:
        assert logs.location()
    with (
        pytest.raises(Unavailable, match="not trusted"),
        connected(f"grpcs://{server.address}", ca_file=str(certificate(tmp_path / "other").chain)),
    ):
        pass
    with pytest.raises(Unavailable, match="does not answer"), connected(server.address):
        pass
    renewed = certificate(tmp_path / "renewed")
    renewed.key.replace(files.key)
    renewed.chain.replace(files.chain)
    with connected(f"grpcs://{server.address}", ca_file=str(files.chain)) as logs:
        assert logs.location()


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = token_file(tmp_path, mode=0o640)
    with pytest.raises(InvalidArgument, match="other users may read it; run chmod 600"):
        read_token(str(path))
    path.chmod(0o600)
    assert read_token(str(path)) == "the-token"
    for text in ("", "\n", "two words\n", "ä\n", "x" * 2000):
        path.write_text(text)
        with pytest.raises(InvalidArgument, match="not a token"):
            read_token(str(path))
    with pytest.raises(InvalidArgument, match="no such file"):
        read_token(str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--unix-socket=s", "--port=1"], "--port cannot be combined with --unix-socket"),
        (["--no-token", "--token-file=t"], "--token-file cannot be combined with --no-token"),
        (["--tls-key=k"], "--tls-key needs --tls-cert"),
        (["--token-file=/nonexistent/token"], "--token-file /nonexistent/token: no such file"),
        (["--tls-cert=/nonexistent/cert"], "--tls-cert /nonexistent/cert: no such file"),
        (["--unix-socket=/nonexistent/directory/s"], "failed to listen on the unix socket"),
    ],
)
def test_flags_that_cannot_be(flags: list[str], said: str) -> None:
    assert said in refused_start("--logdir=.", *flags)


# --- the user of a connection -----------------------------------------------------------------------


def test_only_the_sockets_of_this_user_count() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        same = SameUser.at(addresses_of("127.0.0.1"), port)
        assert same is not None
        with socket.create_connection(("127.0.0.1", port)) as connection:
            own = connection.getsockname()[1]
            peer = f"ipv4:127.0.0.1:{own}"
            assert same.has(peer)
            assert same.has(f"ipv6:%5B::ffff:127.0.0.1%5D:{own}")
            assert not SameUser(same.bound, port, same.user + 1).has(peer)
            assert not SameUser(same.bound, own, same.user).has(peer)  # connected to another port
        for nobody in (
            peer,
            f"ipv4:127.0.0.1:{port}",
            "unix:",
            "",
            "ipv4:127.0.0.1:99999",
            "ipv4:10.0.0.1:1",
        ):
            assert not same.has(nobody)  # closed, the listening socket itself, no address


def test_users_are_not_told_apart_beyond_loopback() -> None:
    assert SameUser.at(addresses_of("0.0.0.0"), 1) is None
    assert SameUser.at(addresses_of("localhost"), 1) is not None
