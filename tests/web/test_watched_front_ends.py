"""Front ends that change while the host runs, as those of a plugin that is being written."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin, hookimpl
from insight_core.plugin.testing.fake import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A host of one plugin with its front end in ``tmp_path``."""
    (tmp_path / "index.js").write_text("export default 1;")
    plugin = Plugin("words", "Words", frontend=tmp_path, is_active=lambda ctx: True)
    module = SimpleNamespace(insight_plugin=hookimpl(lambda: plugin, specname="insight_plugin"))
    host = Host(Registry.of([("words", lambda: module)]), FakeProvider("logs"))
    yield host
    host.close()


def test_a_saved_file_is_another_address_that_pages_are_told_of(host: Host, tmp_path: Path) -> None:
    client = Client(host)
    address = _address(client)
    listing = _listing(client)
    host.watch_front_ends()
    (tmp_path / "part.js").write_text("export default 2;")
    _wait_for_another_listing(client, listing)
    assert _address(client) != address


def test_a_build_that_gives_the_same_files_again_is_told_too(host: Host, tmp_path: Path) -> None:
    """A build empties the directory first: a page that was opened then has to ask once more."""
    client = Client(host)
    listing = _listing(client)
    module = tmp_path / "index.js"
    before = module.stat().st_mtime_ns
    host.watch_front_ends()
    module.write_bytes(module.read_bytes())
    os.utime(module, ns=(before + 10**9, before + 10**9))
    _wait_for_another_listing(client, listing)


def _wait_for_another_listing(client: Client, listing: int) -> None:
    until = time.monotonic() + 60
    while _listing(client) == listing:
        assert time.monotonic() < until
        time.sleep(0.02)


def _address(client: Client) -> str:
    row = client.get("/data/plugins_listing").get_json()["words"]
    return str(row["loading_mechanism"]["module_path"])


def _listing(client: Client) -> int:
    return int(client.get("/data/changes?since=0").get_json()["plugins"])
