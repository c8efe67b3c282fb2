"""Front ends that change while the host runs, as those of a plugin that is being written."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

from werkzeug.test import Client

from insight_core.plugin import Plugin, hookimpl
from insight_core.plugin.testing.fake import FakeProvider
from insight_core.registry import Registry
from insight_core.web import Host


def test_a_saved_file_is_another_address_that_pages_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "index.js").write_text("export default 1;")
    plugin = Plugin("words", "Words", frontend=tmp_path, is_active=lambda ctx: True)
    module = SimpleNamespace(insight_plugin=hookimpl(lambda: plugin, specname="insight_plugin"))
    host = Host(Registry.of([("words", lambda: module)]), FakeProvider("logs"))
    client = Client(host)
    address = _address(client)
    listing = _listing(client)
    host.watch_front_ends()
    try:
        (tmp_path / "part.js").write_text("export default 2;")
        until = time.monotonic() + 60
        while _listing(client) == listing:
            assert time.monotonic() < until
            time.sleep(0.02)
        assert _address(client) != address
    finally:
        host.close()


def _address(client: Client) -> str:
    row = client.get("/data/plugins_listing").get_json()["words"]
    return str(row["loading_mechanism"]["module_path"])


def _listing(client: Client) -> int:
    return int(client.get("/data/changes?since=0").get_json()["plugins"])
