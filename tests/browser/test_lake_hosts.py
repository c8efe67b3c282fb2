"""Three hosts on one lake are one page behind nginx: each answers in turn, and all show a new version."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import insight_scalar
import pytest
from playwright.sync_api import Page, expect

from benchmarks.processes import free_port
from insight_core.plugin.testing import EventWriter
from tests.browser.conftest import Serve
from tests.lakes import LakeBuild
from tests.waiting import eventually

pytestmark = pytest.mark.browser


@pytest.fixture
def build(tmp_path: Path) -> LakeBuild:
    for name in ("first", "second"):
        write(tmp_path / "logs" / name)
    build = LakeBuild([str(tmp_path / "logs")], str(tmp_path / "lake"), [insight_scalar.insight_plugin()])
    build.run()
    return build


def write(run: Path) -> None:
    with EventWriter(run) as writer:
        for step in range(20):
            writer.scalar("loss", step, 1 / (step + 1))


@pytest.fixture
def proxied(serve: Serve, build: LakeBuild, tmp_path: Path, repository: Path) -> Iterator[str]:
    """The address of nginx before three hosts."""
    unpacked = repository / ".nginx/usr/sbin/nginx"
    program = str(unpacked) if unpacked.is_file() else shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if program is None:
        pytest.skip("no nginx here: `make .nginx/usr/sbin/nginx` fetches Debian's")
    flags = ["--data-provider", f"lake:{build.place}", "--reload-interval", "0.2"]
    addresses = [serve(*flags).removeprefix("http://").partition("/")[0] for _ in range(3)]
    port = free_port()
    servers = " ".join(f"server {address};" for address in addresses)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
    config = tmp_path / "nginx.conf"
    config.write_text(
        f"daemon off; {'user root;' if os.geteuid() == 0 else ''} pid {tmp_path}/pid;"
        f" error_log {tmp_path}/errors; events {{}}\n"
        f"http {{ access_log off; {temporary}\nupstream hosts {{ {servers} }}\n"
        f"server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://hosts; proxy_buffering off;"
        " proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection '';"
        " add_header X-Answered-By $upstream_addr; } }\n}\n"
    )
    process = subprocess.Popen([program, "-c", str(config), "-e", str(tmp_path / "errors")])
    yield f"http://127.0.0.1:{port}/"
    process.terminate()
    process.wait(timeout=60)


def asked(url: str, path: str) -> tuple[Any, str]:
    """An answer, and the host that gave it."""
    with urllib.request.urlopen(f"{url}{path}", timeout=60) as answer:
        return json.loads(answer.read()), answer.headers["X-Answered-By"]


def test_three_hosts_of_a_lake_are_one_page(
    proxied: str, build: LakeBuild, tmp_path: Path, page: Page
) -> None:
    def names() -> set[tuple[str, ...]]:
        return {tuple(run["name"] for run in asked(proxied, "data/run_table")[0]["runs"]) for _ in range(6)}

    eventually(lambda: names() == {("first", "second")})
    path = "data/plugin/scalar/series?tag=loss&run=second"
    answers = [asked(proxied, path) for _ in range(6)]
    assert len(Counter(host for _, host in answers)) == 3
    assert all(answer == answers[0][0] for answer, _ in answers)
    page.goto(proxied)
    expect(page.get_by_text("second", exact=True).first).to_be_visible()
    write(tmp_path / "logs/third")
    build.run()
    eventually(lambda: names() == {("first", "second", "third")})
    expect(page.get_by_text("third", exact=True).first).to_be_visible()
