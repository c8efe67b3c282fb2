"""The page's policy allows its own inline scripts only, and the page knows where the modules of tabs are."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.web import Host


def _allowed(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _scripts(policy: str) -> list[str]:
    return next(part.split()[1:] for part in policy.split("; ") if part.startswith("script-src "))


@pytest.fixture
def front_end(tmp_path: Path) -> Path:
    root = tmp_path / "front end"
    root.mkdir()
    (root / "index.js").write_text("export default {};")
    return root


def _tabs(html: str) -> dict[str, dict[str, object]]:
    found = re.search(r'id="tabs">(.*?)</script>', html)
    assert found
    tabs: dict[str, dict[str, object]] = json.loads(found[1])
    return tabs


def test_inline_scripts_of_the_page_are_allowed_by_hash_and_nowhere_else(client: Client) -> None:
    page = client.get("/")
    found = re.search(r'type="importmap">(.*?)</script>', page.text)
    assert found
    assert _scripts(page.headers["Content-Security-Policy"]) == [
        "'self'",
        "'wasm-unsafe-eval'",
        _allowed(found[1]),
        _allowed("boot()"),
    ]
    for path in ("/static/style.css", "/data/runs", "/nothing"):
        assert "sha256" not in client.get(path).headers["Content-Security-Policy"]


def test_a_page_that_did_not_change_is_answered_with_the_same_policy(client: Client) -> None:
    first = client.get("/")
    again = client.get("/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["Content-Security-Policy"] == first.headers["Content-Security-Policy"]


def test_the_policy_follows_the_file(client: Client, page_directory: Path) -> None:
    tag = client.get("/").headers["ETag"]
    (page_directory / "index.html").write_text("<script>other()</script>")
    answer = client.get("/", headers={"If-None-Match": tag})
    assert answer.status_code == 200
    assert _allowed("other()") in answer.headers["Content-Security-Policy"]


def test_the_policy_lets_tabs_use_webassembly_workers_and_media(client: Client) -> None:
    policy = client.get("/data/runs").headers["Content-Security-Policy"]
    for part in ("worker-src 'self' blob:", "media-src 'self' data: blob:", "'wasm-unsafe-eval'"):
        assert part in policy


def test_the_page_names_the_module_of_each_tab_and_what_it_imports(
    host_of: Callable[..., Host], front_end: Path
) -> None:
    (front_end / "manifest.json").write_text('{"imports": ["@insight-host/kit"]}')
    client = Client(host_of(Plugin("mine", "Mine", frontend=front_end), Plugin("bare", "Bare")))
    tabs = _tabs(client.get("/").text)
    assert list(tabs) == ["mine"]
    assert tabs["mine"]["imports"] == ["@insight-host/kit", "preact"]
    assert client.get(f"/{tabs['mine']['module']}").text == "export default {};"


def test_the_listing_says_how_a_tab_shows_one_step_certain_tags_and_runs(
    host_of: Callable[..., Host],
) -> None:
    state = {"at": "{step}", "view": "one"}
    tags = {"tags": "{pattern}"}
    runs = {"diff": "{runs}"}
    mine = Plugin("mine", "Mine", step_state=state, tag_state=tags, run_state=runs)
    client = Client(host_of(mine, Plugin("bare", "Bare")))
    listing = client.get("/data/plugins_listing").json or {}
    assert (listing["mine"]["step_state"], listing["mine"]["tag_state"]) == (state, tags)
    assert listing["mine"]["run_state"] == runs
    assert not {"step_state", "tag_state", "run_state"} & set(listing["bare"])
    with pytest.raises(TypeError, match="step_state"):
        Plugin("bad", "Bad", step_state={"at": 1})  # type: ignore[dict-item]


def test_a_module_is_kept_for_ever_and_another_one_has_another_address(
    host_of: Callable[..., Host], front_end: Path
) -> None:
    client = Client(host_of(Plugin("mine", "Mine", frontend=front_end)))

    def address() -> str:
        listing = client.get("/data/plugins_listing").json or {}
        return f"/{listing['mine']['loading_mechanism']['module_path']}"

    first = address()
    assert re.fullmatch(r"/data/plugin/mine/static/@[0-9a-f]{24}/index\.js", first)
    assert "immutable" in client.get(first).headers["Cache-Control"]
    (front_end / "part.js").write_text("export {};")
    second = address()
    assert second != first
    assert client.get(second.replace("index.js", "part.js")).headers["Cache-Control"].endswith("immutable")
    assert client.get(first).headers["Cache-Control"] == "no-cache"
    assert client.get("/data/plugin/mine/static/index.js").headers["Cache-Control"] == "no-cache"


def test_the_listing_names_the_contributions_of_a_plugin_that_has_some(
    host_of: Callable[..., Host], front_end: Path
) -> None:
    client = Client(host_of(Plugin("mine", "Mine", frontend=front_end)))

    def listed() -> dict[str, str]:
        return dict((client.get("/data/plugins_listing").json or {})["mine"]["loading_mechanism"])

    assert "contributions_path" not in listed()
    (front_end / "contributions.js").write_text("export default 1;")
    found = listed()
    assert found["contributions_path"] == found["module_path"].replace("index.js", "contributions.js")
    assert client.get(f"/{found['contributions_path']}").text == "export default 1;"


@pytest.mark.parametrize(
    "name", ["@0123456789abcdef/../index.js", "@0123456789abcdef//index.js", "@0123456789abcdef/"]
)
def test_no_path_leads_out_of_a_digest(host_of: Callable[..., Host], front_end: Path, name: str) -> None:
    client = Client(host_of(Plugin("mine", "Mine", frontend=front_end)))
    assert client.get(f"/data/plugin/mine/static/{name}").status_code == 404


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"api": 1, "kit": "1.2.0", "imports": ["preact"]}, None),
        ({"api": 1, "kit": "1.0"}, None),
        ({}, None),
        ({"api": 2}, "was built for the page API 2, and this insight-host has 1: upgrade insight-host"),
        ({"api": 0}, "was built for the page API 0, and this insight-host has 1: build it again, see docs/"),
        ({"kit": "1.3.0"}, "@insight-host/kit 1.3.0, and this insight-host has 1.2.0: upgrade insight-host"),
        ({"kit": "0.9.0"}, "@insight-host/kit 0.9.0, and this insight-host has 1.2.0: build it again"),
        ({"later": ["react"]}, "its front end imports react, which this insight-host does not have"),
        ({"api": "x"}, "manifest.json"),
        ({"imports": 3}, "its imports are not a list of names"),
        ([], "is not an object"),
    ],
)
def test_a_front_end_that_the_page_cannot_run_is_refused_with_a_reason(
    host_of: Callable[..., Host], front_end: Path, manifest: object, reason: str | None
) -> None:
    (front_end / "manifest.json").write_text(json.dumps(manifest))
    client = Client(host_of(Plugin("mine", "Mine", frontend=front_end)))
    row = (client.get("/data/plugins_listing").json or {})["mine"]
    assert ("mine" in _tabs(client.get("/").text)) is (reason is None)
    if reason is None:
        assert "error" not in row
    else:
        assert reason in row["error"]
        assert row["loading_mechanism"] == {"type": "NONE"}


def test_a_plugin_without_a_tab_needs_only_its_contributions(
    host_of: Callable[..., Host], tmp_path: Path
) -> None:
    root = tmp_path / "only contributions"
    root.mkdir()
    client = Client(host_of(Plugin("adds", "Adds", frontend=root, tab=False)))

    def listed() -> dict[str, Any]:
        row: dict[str, Any] = client.get("/data/plugins_listing").get_json()["adds"]
        return row

    assert "contributions.js is missing" in listed()["error"]
    (root / "contributions.js").write_text("export default 1;")
    row = listed()
    assert "error" not in row
    assert (row["tab"], row["enabled"]) == (False, True)
    assert "module_path" not in row["loading_mechanism"]
    assert client.get("/" + row["loading_mechanism"]["contributions_path"]).status_code == 200
    assert "adds" not in _tabs(client.get("/").text)


def test_contributions_without_a_tab_are_there_while_the_plugin_is_active(
    host_of: Callable[..., Host], tmp_path: Path
) -> None:
    (tmp_path / "contributions.js").write_text("export default 1;")
    idle = Plugin("idle", "Idle", frontend=tmp_path, tab=False, is_active=lambda _: False)
    assert Client(host_of(idle)).get("/data/plugins_listing").get_json()["idle"]["enabled"] is False
