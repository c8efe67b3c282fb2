"""The page behind nginx, with TLS, a prefix and users, by the configuration of docs/how-to/share.md."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.processes import free_port
from insight_core.plugin.testing import EventWriter
from tests.browser.conftest import Serve
from tests.certificates import Certificate, certificate
from tests.waiting import eventually

pytestmark = pytest.mark.browser

USER = {"username": "alice", "password": "her password"}

Start = Callable[[str], str]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    with EventWriter(tmp_path / "logs" / "run") as writer:
        writer.scalar("loss", 0, 1.0)
    return tmp_path / "logs"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate(tmp_path_factory.mktemp("nginx"))


@pytest.fixture
def nginx(tmp_path: Path, repository: Path, files: Certificate) -> Iterator[Start]:
    """Starts nginx before the host at a port, by the documented lines; returns its address."""
    unpacked = repository / ".nginx/usr/sbin/nginx"
    program = str(unpacked) if unpacked.is_file() else shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if program is None:
        pytest.skip("no nginx here: `make .nginx/usr/sbin/nginx` fetches Debian's")
    processes: list[subprocess.Popen[bytes]] = []

    def start(backend: str) -> str:
        page = (repository / "docs/how-to/share.md").read_text(encoding="utf-8")
        [server] = re.findall(r"```nginx\n(.*?)```", page, re.DOTALL)
        users = tmp_path / "users"
        users.write_text(f"{USER['username']}:{{PLAIN}}{USER['password']}\n")
        port = free_port()
        for documented, here in {
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "/etc/nginx/cert.pem": str(files.chain),
            "/etc/nginx/key.pem": str(files.key),
            "/etc/nginx/users": str(users),
            "127.0.0.1:6006": backend,
            "Bearer TOKEN": f"Bearer {(tmp_path / 'owner.token').read_text()}",
        }.items():
            assert documented in server
            server = server.replace(documented, here)
        temporary = " ".join(
            f"{kind}_temp_path {tmp_path}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = tmp_path / "nginx.conf"
        worker = "user root;" if os.geteuid() == 0 else ""  # may read the files of the test
        config.write_text(
            f"daemon off; {worker} pid {tmp_path}/pid; error_log {tmp_path}/errors; events {{}}\n"
            f"http {{ access_log off; {temporary}\n{server}}}\n"
        )
        processes.append(subprocess.Popen([program, "-c", str(config), "-e", str(tmp_path / "errors")]))
        url = f"https://127.0.0.1:{port}/insight/"
        eventually(lambda: _status(url, files) == 401)
        return url

    yield start
    for process in processes:
        process.terminate()
        process.wait(timeout=60)


def _status(url: str, files: Certificate) -> int | None:
    context = ssl.create_default_context(cafile=str(files.chain))
    try:
        with urllib.request.urlopen(url, timeout=10, context=context) as answer:
            status: int = answer.status
            return status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:  # nginx does not listen yet, or has closed the connection
        return None


def _host(serve: Serve, logs: Path, place: Path) -> str:
    """The address of a host as documented, without scheme and prefix."""
    token = place / "owner.token"
    token.touch(mode=0o600)
    token.write_text("owner-token-0123456789")
    flags = ["--path-prefix", "/insight", "--allowed-host", "logs.example.org", "--trust-proxy", "X-User"]
    environment = {"INSIGHT_HOST_TOKEN": "1"}
    url = serve("--logdir", logs, *flags, "--token-file", token, environment=environment)
    return url.removeprefix("http://").partition("/")[0]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page whose user has a password for nginx."""
    context = browser.new_context(ignore_https_errors=True, http_credentials=USER, locale="en")  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def test_a_user_of_nginx_sees_live_runs_and_is_named_in_notes(
    page: Page, serve: Serve, logs: Path, nginx: Start, tmp_path: Path
) -> None:
    backend = _host(serve, logs, tmp_path)
    url = nginx(backend)
    page.goto(f"{url}#locale=en")
    expect(page.locator('[data-run="run"]')).to_be_visible()
    expect(page.locator('[data-tag="loss"] canvas').first).to_be_visible()
    with EventWriter(logs / "later") as writer:
        writer.scalar("loss", 0, 1.0)
    expect(page.locator('[data-run="later"]')).to_be_visible()  # by the stream of events
    saved = page.evaluate(
        """async () => {
            const { token } = await (await fetch('data/annotations')).json();
            const headers = { 'X-Insight-Token': token };
            const body = JSON.stringify({ run: 'run', note: 'the best' });
            return (await fetch('data/annotations', { method: 'PUT', headers, body })).status;
        }"""
    )
    assert saved == 200
    run = page.locator('[data-run="run"]')
    run.hover()
    run.locator('[data-action="run-menu"]').click()
    expect(page.locator('[data-author="note"]')).to_have_text(re.compile(r"^Note: alice, "))
    forged = urllib.request.Request(f"http://{backend}/insight/data/runs", headers={"X-User": "mallory"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(forged, timeout=10)
    with refused.value as error:
        assert error.code == 401
