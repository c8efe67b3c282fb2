"""Files are found below their directory only, with the right type and caching."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from werkzeug.test import Client

from insight_core.plugin import Plugin
from insight_core.web import Host
from insight_core.web.assets import find_asset, has_hash
from insight_core.web.http_server import Server


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/static/assets/shell-3f2a91bc04de.js", "text/javascript; charset=utf-8"),
        ("/static/style.css", "text/css; charset=utf-8"),
        ("/static/icon.svg", "image/svg+xml; charset=utf-8"),
        ("/static/font.woff2", "font/woff2"),
    ],
)
def test_types_do_not_depend_on_the_machine(client: Client, path: str, content_type: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == content_type


def test_a_hashed_name_is_kept_for_ever_and_others_are_asked_again(client: Client) -> None:
    assert "immutable" in client.get("/static/assets/shell-3f2a91bc04de.js").headers["Cache-Control"]
    plain = client.get("/static/style.css")
    assert plain.headers["Cache-Control"] == "no-cache"
    again = client.get("/static/style.css", headers={"If-None-Match": plain.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize("accepted", ["gzip", ""])
def test_a_file_that_is_stored_compressed_arrives_as_it_was(
    client: Client, page_directory: Path, accepted: str
) -> None:
    text = b"export const library = 1;\n" * 100
    stored = gzip.compress(text)
    (page_directory / "library-3f2a91bc04de.js.gz").write_bytes(stored)
    answer = client.get("/static/library-3f2a91bc04de.js", headers={"Accept-Encoding": accepted})
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["Cache-Control"]
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert (gzip.decompress(answer.data) if accepted else answer.data) == text
    assert answer.headers.get("Content-Encoding", "") == accepted
    tag = {"If-None-Match": answer.headers["ETag"]}
    assert client.get("/static/library-3f2a91bc04de.js", headers=tag).status_code == 304


@pytest.mark.parametrize(
    ("name", "hashed"),
    [
        ("shell-3f2a91bc04de.js", True),
        ("shell.3f2a91bc.css", True),
        ("shell-3f2a91bc04de.js.map", True),
        ("house-deadbeef.js", False),
        ("line-skeleton.js", False),
        ("index.js", False),
        ("my-Skeleton.js", False),
        ("my-version2.js", False),
        ("my-dataView.js", False),
    ],
)
def test_words_are_not_taken_for_hashes(name: str, hashed: bool) -> None:
    assert has_hash(name) is hashed


def test_a_changed_file_is_served_with_its_new_content(client: Client, page_directory: Path) -> None:
    first = client.get("/static/style.css")
    (page_directory / "style.css").write_text("body{color:red}")
    second = client.get("/static/style.css", headers={"If-None-Match": first.headers["ETag"]})
    assert second.data == b"body{color:red}"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../secret.txt",
        "/static/%2e%2e/secret.txt",
        "/static/assets/%2e%2e/%2e%2e/secret.txt",
        "/static/..%2fsecret.txt",
        "/static/..%5csecret.txt",
        "/static/%252e%252e/secret.txt",
        "/static//etc/passwd",
        "/static/%2fetc/passwd",
        "/static/secret%00.css",
        "/static/link.txt",
        "/static/linked/secret.txt",
        "/static/loop",
        "/static/assets",
        "/static/assets/",
        "/static/" + "a" * 5000,
        "/data/plugin/mine/static/../../../secret.txt",
        "/data/plugin/mine/static/%2e%2e/secret.txt",
        "http://localhost/static/../secret.txt",
    ],
)
def test_no_path_leads_out(
    path: str,
    page_directory: Path,
    host_of: Callable[..., Host],
    serve: Callable[[Host], Server],
    exchange: Callable[[Server, bytes], bytes],
) -> None:
    (page_directory.parent / "secret.txt").write_text("secret content")
    (page_directory / "link.txt").symlink_to(page_directory.parent / "secret.txt")
    (page_directory / "linked").symlink_to(page_directory.parent)
    (page_directory / "loop").symlink_to("loop")
    server = serve(host_of(Plugin("mine", "Mine", frontend=page_directory)))
    request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answer = exchange(server, request.encode())
    assert answer.startswith(b"HTTP/1.1 404 "), answer[:200]
    assert b"secret content" not in answer


def test_a_link_inside_the_directory_is_followed(page_directory: Path) -> None:
    (page_directory / "same.css").symlink_to("style.css")
    assert find_asset(page_directory, "same.css") == (page_directory / "style.css").resolve()


def test_a_page_that_was_not_built_is_said_so(host_of: Callable[..., Host], page_directory: Path) -> None:
    (page_directory / "index.html").unlink()
    answer = Client(host_of()).get("/")
    assert answer.status_code == 503
    assert "not built" in (answer.json or {})["error"]
