"""Front ends that change while the host runs, as those of a plugin that is being written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.web import Host
from tests.waiting import eventually


@pytest.fixture
def front_end(tmp_path: Path) -> Path:
    root = tmp_path / "words"
    root.mkdir()
    (root / "index.js").write_text("export default 1;")
    return root


@pytest.fixture
def host(host_of: Callable[..., Host], front_end: Path) -> Iterator[Host]:
    host = host_of(Plugin("words", "Words", frontend=front_end, is_active=lambda ctx: True))
    yield host
    host.close()


def test_a_saved_file_is_another_address_that_pages_are_told_of(host: Host, front_end: Path) -> None:
    client = Client(host)
    address = _address(client)
    listing = _listing(client)
    host.watch_front_ends()
    (front_end / "part.js").write_text("export default 2;")
    eventually(lambda: _listing(client) != listing)
    assert _address(client) != address


def test_a_build_that_gives_the_same_files_again_is_told_too(host: Host, front_end: Path) -> None:
    """A build empties the directory first: a page that was opened then has to ask once more."""
    client = Client(host)
    listing = _listing(client)
    module = front_end / "index.js"
    before = module.stat().st_mtime_ns
    host.watch_front_ends()
    module.write_bytes(module.read_bytes())
    os.utime(module, ns=(before + 10**9, before + 10**9))
    eventually(lambda: _listing(client) != listing)


def _address(client: Client) -> str:
    row = client.get("/data/plugins_listing").get_json()["words"]
    return str(row["loading_mechanism"]["module_path"])


def _listing(client: Client) -> int:
    return int(client.get("/data/changes?since=0").get_json()["plugins"])
