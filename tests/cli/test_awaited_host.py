"""Requests that come before the host is there."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from werkzeug.test import Client

from insight_core.cli.awaited_host import AwaitedHost
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse

    from insight_core.web import Host


_PROGRAM = """
import sys
import insight_core.cli.serve as serving
from insight_core.cli import main
from insight_core.plugin import InvalidArgument

def fail(*arguments):
    sys.stdin.readline()
    raise InvalidArgument("no host can be made")

serving._host = fail
main()
"""


def test_a_host_that_cannot_be_made_ends_the_process_although_a_request_waits(tmp_path: Path) -> None:
    flags = [
        f"--logdir={tmp_path}",
        "--port=0",
        "--no-cache",
        "--no-token",
        f"--state-dir={tmp_path.parent}/state",
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        port = urlsplit(process.stdout.readline().split(" at ")[1].split()[0]).port
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _, errors = process.communicate("\n", PATIENCE)
            with suppress(ConnectionResetError):
                assert client.recv(100) == b""
    assert process.returncode not in (None, 0)
    assert "no host can be made" in errors


class _Host:
    """Stands for the host."""

    closed = 0

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        start_response("200 OK", [])
        return [f"answer to {environ['PATH_INFO']}".encode()]

    def close(self) -> None:
        self.closed += 1


def test_requests_wait_for_the_host_and_are_answered_by_it() -> None:
    awaited, answers, asking = AwaitedHost(), dict[str, str](), threading.Barrier(4)

    def ask(path: str) -> None:
        asking.wait(PATIENCE)
        answers[path] = Client(awaited).get(path).text

    threads = [threading.Thread(target=ask, args=(path,), daemon=True) for path in ("/a", "/b", "/c")]
    for thread in threads:
        thread.start()
    asking.wait(PATIENCE)
    assert not answers
    awaited.come(cast("Host", _Host()))
    for thread in threads:
        thread.join(PATIENCE)
    assert answers == {path: f"answer to {path}" for path in ("/a", "/b", "/c")}
    assert Client(awaited).get("/later").text == "answer to /later"


def test_a_server_that_stops_closes_the_host_if_it_came() -> None:
    awaited, host = AwaitedHost(), _Host()
    awaited.close()
    awaited.come(cast("Host", host))
    awaited.close()
    assert host.closed == 1
