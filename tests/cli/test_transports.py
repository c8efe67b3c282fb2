"""``--unix-socket`` and ``--tls-cert``: other ways to reach a host than a port without encryption."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import ssl
import stat
import subprocess
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from insight_core.plugin.testing import EventWriter
from insight_core.web import tls
from insight_core.web.http_server import Server, listen
from tests.certificates import Certificate, certificate
from tests.other_user import run_as_other
from tests.waiting import PATIENCE, eventually

Serve = Callable[..., Any]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs/run") as writer:
        writer.scalar("loss", 0, 1.0)
    return tmp_path / "logs"


@pytest.fixture
def files(tmp_path: Path) -> Certificate:
    return certificate(tmp_path / "tls")


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a unix socket; the Host is that of the far end of a tunnel."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", 6006, timeout=PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


@contextmanager
def over_tls(application: Any, files: Certificate) -> Iterator[Server]:  # noqa: ANN401
    """A server in this process."""
    certificates = tls.Certificates(str(files.chain), str(files.key))
    server = listen(application, port=0, certificates=certificates)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    yield server
    server.stop()
    serving.join(PATIENCE)


def _ok(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]


def status_of(connection: http.client.HTTPConnection, path: str = "/data/runs", **headers: str) -> int:
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def trusting(files: Certificate) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(files.chain))


@contextmanager
def tls_connection(serving: Any, files: Certificate) -> Iterator[http.client.HTTPSConnection]:  # noqa: ANN401
    port = int(serving.url.split(":")[2].strip("/"))
    connection = http.client.HTTPSConnection("localhost", port, context=trusting(files), timeout=PATIENCE)
    yield connection
    connection.close()


# --- unix sockets -----------------------------------------------------------------------------------


def test_a_unix_socket_serves_its_owner_and_is_removed_at_the_end(serve: Serve, logdir: Path) -> None:
    path = logdir.parent / "s"
    serving = serve("--logdir", str(logdir), "--unix-socket", str(path), port=())
    assert serving.url == "http://localhost:6006/"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    connection = UnixConnection(path)
    for _ in range(2):  # on one connection
        assert status_of(connection) == 200
    assert status_of(connection, Host="127.0.0.1:9999") == 200
    assert status_of(connection, Host="evil.example") == 403
    connection.close()
    serving.process.send_signal(signal.SIGTERM)
    _, err = serving.process.communicate(timeout=PATIENCE)
    assert serving.process.returncode == 0
    [hint] = err.splitlines()
    assert f"ssh -N -L 6006:{path} " in hint
    assert not path.exists()
    assert sorted(each.name for each in path.parent.iterdir()) == ["logs"]


def test_events_over_a_unix_socket_end_with_the_host(serve: Serve, logdir: Path) -> None:
    path = logdir.parent / "s"
    serving = serve("--logdir", str(logdir), "--unix-socket", str(path), port=())
    connection = UnixConnection(path)
    connection.request("GET", "/data/events")
    answer = connection.getresponse()
    assert answer.readline().startswith(b"retry")
    serving.process.send_signal(signal.SIGTERM)
    answer.read()  # to its end
    assert serving.process.wait(timeout=PATIENCE) == 0
    connection.close()


def test_a_socket_left_behind_is_replaced_but_neither_a_live_one_nor_a_file(
    serve: Serve, run: Run, logdir: Path
) -> None:
    path = logdir.parent / "s"
    flags = ("--logdir", str(logdir), "--unix-socket", str(path))
    first = serve(*flags, port=())
    refused = run(*flags)
    assert refused.returncode == 1
    assert f"cannot listen on the unix socket {path}: a server already listens there" in refused.stderr
    first.process.kill()
    first.process.wait()
    assert path.exists()
    serve(*flags, port=())
    connection = UnixConnection(path)
    assert status_of(connection) == 200
    connection.close()
    other = logdir.parent / "notes.txt"
    other.write_text("mine")
    refused = run("--logdir", str(logdir), "--unix-socket", str(other))
    assert "a file that is not a socket is there" in refused.stderr
    assert other.read_text() == "mine"


def test_another_user_cannot_connect_to_a_unix_socket(serve: Serve, logdir: Path) -> None:
    path = logdir.parent / "s"
    serve("--logdir", str(logdir), "--unix-socket", str(path), port=())
    for directory in (path.parent, *path.parent.parents[:3]):
        directory.chmod(directory.stat().st_mode | 0o011)
    program = "s = socket.socket(socket.AF_UNIX); print(s.connect_ex(sys.argv[1]))"
    done = run_as_other(program, str(path))
    assert done.stdout.strip() == "13", done.stderr  # EACCES


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--unix-socket", "s", "--port", "1"], "--port cannot be combined with --unix-socket"),
        (["--unix-socket", "s", "--host", "::"], "--host cannot be combined with --unix-socket"),
    ],
)
def test_flags_that_contradict_each_other(run: Run, flags: list[str], said: str) -> None:
    done = run("--logdir", ".", *flags)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_path_that_is_too_long_is_refused_with_the_limit(run: Run, logdir: Path) -> None:
    done = run("--logdir", str(logdir), "--unix-socket", str(logdir.parent / ("s" * 120)))
    assert done.returncode == 1
    assert "the path is too long for a socket" in done.stderr


# --- TLS --------------------------------------------------------------------------------------------


def test_tls_serves_pages_and_events_and_ends(serve: Serve, logdir: Path, files: Certificate) -> None:
    flags = ("--tls-cert", str(files.chain), "--tls-key", str(files.key))
    serving = serve("--logdir", str(logdir), *flags)
    assert serving.url.startswith("https://127.0.0.1:")
    with urllib.request.urlopen(f"{serving.url}data/runs", context=trusting(files)) as answer:
        assert json.load(answer) is not None
    with tls_connection(serving, files) as connection, tls_connection(serving, files) as events:
        for _ in range(2):  # on one connection
            assert status_of(connection) == 200
        assert connection.sock.version() in ("TLSv1.2", "TLSv1.3")
        events.request("GET", "/data/events")
        stream = events.getresponse()
        assert stream.readline().startswith(b"retry")
        serving.process.send_signal(signal.SIGTERM)
        stream.read()  # to its end, which comes over TLS as well
        _, err = serving.process.communicate(timeout=PATIENCE)
        assert (serving.process.returncode, err) == (0, "")


def test_old_versions_of_tls_are_refused(serve: Serve, logdir: Path, files: Certificate) -> None:
    serving = serve("--logdir", str(logdir), "--tls-cert", str(files.chain), "--tls-key", str(files.key))
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.load_verify_locations(files.chain)
    old.set_ciphers("DEFAULT:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with tls_connection(serving, files) as connection:
        address = ("localhost", connection.port)
    with (
        socket.create_connection(address, timeout=PATIENCE) as plain,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        old.wrap_socket(plain, server_hostname="localhost")


def test_plain_http_at_a_tls_port_is_told(serve: Serve, logdir: Path, files: Certificate) -> None:
    serving = serve("--logdir", str(logdir), "--tls-cert", str(files.chain), "--tls-key", str(files.key))
    with tls_connection(serving, files) as secure:
        plain = http.client.HTTPConnection("127.0.0.1", secure.port, timeout=PATIENCE)
    plain.request("GET", "/")
    answer = plain.getresponse()
    assert answer.status == 400
    assert b"https://" in answer.read()
    plain.close()


def test_a_client_that_never_shakes_hands_delays_no_other(
    files: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tls, "_HANDSHAKE", 0.5)
    with over_tls(_ok, files) as server:
        silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
        for client in silent[:4]:
            client.sendall(b"\x16\x03\x01")  # a handshake that never goes on
        connection = http.client.HTTPSConnection("localhost", server.port, context=trusting(files))
        assert status_of(connection) == 200
        connection.close()
        for client in silent:
            client.settimeout(PATIENCE)
            assert client.recv(100) == b""  # the server closes it
            client.close()


def test_a_renewed_certificate_is_used_without_a_restart(
    serve: Serve, logdir: Path, files: Certificate, tmp_path: Path
) -> None:
    serving = serve("--logdir", str(logdir), "--tls-cert", str(files.chain), "--tls-key", str(files.key))
    port = int(serving.url.split(":")[2].strip("/"))
    first = ssl.get_server_certificate(("127.0.0.1", port))
    files.key.write_text("half written")  # as long as the files do not fit, the old ones are used
    assert ssl.get_server_certificate(("127.0.0.1", port)) == first
    renewed = certificate(tmp_path / "renewed")
    renewed.key.replace(files.key)
    renewed.chain.replace(files.chain)
    expected = files.chain.read_text().strip()
    eventually(lambda: ssl.get_server_certificate(("127.0.0.1", port)).strip() == expected)


def test_tls_over_a_unix_socket(serve: Serve, logdir: Path, files: Certificate) -> None:
    path = logdir.parent / "s"
    flags = ("--unix-socket", str(path), "--tls-cert", str(files.chain), "--tls-key", str(files.key))
    assert serve("--logdir", str(logdir), *flags, port=()).url == "https://localhost:6006/"
    with socket.socket(socket.AF_UNIX) as plain:
        plain.connect(str(path))
        with trusting(files).wrap_socket(plain, server_hostname="localhost") as secure:
            secure.sendall(b"GET /data/runs HTTP/1.1\r\nHost: localhost:6006\r\n\r\n")
            assert secure.recv(100).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("cert", "key", "said"),
    [
        ("absent.pem", "key.pem", "no such file"),
        ("chain.pem", "absent.pem", "no such file"),
        ("key.pem", "key.pem", "not a certificate chain and its key in PEM format"),
        ("chain.pem", "other/key.pem", "the key is not that of the certificate"),
    ],
)
def test_certificates_that_cannot_be_used_end_the_start(
    run: Run, logdir: Path, files: Certificate, cert: str, key: str, said: str
) -> None:
    place = files.chain.parent
    certificate(place / "other")
    done = run("--logdir", str(logdir), "--tls-cert", str(place / cert), "--tls-key", str(place / key))
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_key_needs_a_certificate(run: Run, logdir: Path) -> None:
    done = run("--logdir", str(logdir), "--tls-key", "key.pem")
    assert done.returncode == 1
    assert "--tls-key needs --tls-cert" in done.stderr


def test_an_answer_under_way_at_the_end_stays_encrypted(files: Certificate) -> None:
    """Closing one direction of a connection must not make Python drop TLS for the other one."""
    going, go_on = threading.Event(), threading.Event()

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterator[bytes]:
        assert environ["wsgi.url_scheme"] == "https"
        start_response("200 OK", [("Content-Length", "10")])
        yield b"first"
        going.set()
        go_on.wait(PATIENCE)
        yield b"later"

    with over_tls(application, files) as server:
        connection = http.client.HTTPSConnection("localhost", server.port, context=trusting(files))
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert going.wait(PATIENCE)
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        time.sleep(0.2)  # the connection's reading side is closed now
        go_on.set()
        assert answer.read() == b"firstlater"
        stopping.join(PATIENCE)
        connection.close()
