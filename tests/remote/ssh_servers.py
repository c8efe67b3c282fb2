"""SSH with SFTP on a port of its own: OpenSSH where it is installed, else a server in this process."""

from __future__ import annotations

import asyncio
import getpass
import logging
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import asyncssh

from tests.waiting import eventually

_SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
_SFTP = Path("/usr/lib/openssh/sftp-server")  # of Debian


@contextmanager
def ssh_server(home: Path) -> Iterator[str]:
    """``USER@HOST:PORT`` of a server, which the keys and known hosts below a home directory lead to."""
    (home / ".ssh").mkdir(mode=0o700)
    host_key = asyncssh.generate_private_key("ssh-ed25519")
    host_key.write_private_key(home / "host_key")
    (home / "host_key").chmod(0o600)
    running = _openssh if _SSHD is not None and _SFTP.exists() else _asyncssh
    with running(home, host_key) as port:
        known = host_key.export_public_key().decode().strip()
        (home / ".ssh/known_hosts").write_text(f"[127.0.0.1]:{port} {known}\n")
        yield f"{getpass.getuser()}@127.0.0.1:{port}"


@contextmanager
def _openssh(home: Path, host_key: asyncssh.SSHKey) -> Iterator[int]:
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(home / ".ssh/id_ed25519")
    key.write_public_key(home / "authorized")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # as its service does
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    settings = {
        "Port": port,
        "ListenAddress": "127.0.0.1",
        "HostKey": home / "host_key",
        "AuthorizedKeysFile": home / "authorized",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "Subsystem": f"sftp {_SFTP}",
    }
    (home / "config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    with (home / "log").open("wb") as log:
        server = subprocess.Popen([str(_SSHD), "-D", "-e", "-f", home / "config"], stderr=log)
    try:
        eventually(lambda: "listening" in (home / "log").read_text() or server.poll() is not None)
        assert server.poll() is None, (home / "log").read_text()
        yield port
    finally:
        server.terminate()
        server.wait()


class _Anyone(asyncssh.SSHServer):
    def __init__(self, connections: list[asyncssh.SSHServerConnection]) -> None:
        self._connections = connections

    def connection_made(self, connection: asyncssh.SSHServerConnection) -> None:
        self._connections.append(connection)

    def begin_auth(self, username: str) -> bool:
        return False


@contextmanager
def _asyncssh(home: Path, host_key: asyncssh.SSHKey) -> Iterator[int]:
    logging.getLogger("asyncssh").setLevel(logging.WARNING)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    connections: list[asyncssh.SSHServerConnection] = []

    async def listen() -> asyncssh.SSHAcceptor:
        factory = partial(_Anyone, connections)
        return await asyncssh.listen(
            "127.0.0.1", 0, server_factory=factory, server_host_keys=[host_key], sftp_factory=True
        )

    server = asyncio.run_coroutine_threadsafe(listen(), loop).result()
    yield server.get_port()
    asyncio.run_coroutine_threadsafe(_close([server, *connections]), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _close(opened: Sequence[asyncssh.SSHAcceptor | asyncssh.SSHServerConnection]) -> None:
    for each in opened:
        each.close()
    for each in opened:
        await each.wait_closed()
