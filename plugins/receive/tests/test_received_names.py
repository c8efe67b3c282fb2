"""Names of received files: no path leads out of the directory, and no link is followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from tests.receivers import FILE, Send, code_of, fields_of, receiving, sender, written


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "received"


@pytest.fixture
def send(place: Path) -> Send:
    return sender(receiving(place))


HOSTILE = [
    "/receive/files/../tfevents",
    "/receive/files/a/../../tfevents",
    "/receive/files/%2e%2e/tfevents",
    "/receive/files/a%2f..%2f..%2ftfevents",
    "/receive/files//etc/tfevents",
    "/receive/files/%2fetc%2ftfevents",
    "/receive/files/a/./tfevents",
    "/receive/files/a//tfevents",
    "/receive/files/.hidden/tfevents",
    "/receive/files/a/.tfevents",
    "/receive/files/a\\..\\b/tfevents",
    "/receive/files/a/tfevents%00.html",
    "/receive/files/a/tfevents%0d%0aX: y",
    "/receive/files/a%20/tfevents",
    "/receive/files/e%CC%81/tfevents",  # not in normal form
    "/receive/files/a%E2%80%AEb/tfevents",  # changes the direction of what is read
    f"/receive/files/{'x' * 201}/tfevents",
    f"/receive/files/{'%C3%A9' * 101}/tfevents",
    f"/receive/files/{'a/' * 16}tfevents",
    "/receive/files/tfevents",  # in no run
    "/receive/files/a/index.html",
    "/receive/files/a/config.json",
    "/receive/files/a/",
    "/receive/files/",
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_hostile_name_makes_nothing(send: Send, place: Path, path: str) -> None:
    assert code_of(send(b"abc", path=path)) == (400, "receive_name")
    assert {each.name for each in place.parent.rglob("*")} == {"sender.token", "received"}


def test_a_name_that_is_no_text_makes_nothing(place: Path) -> None:
    environ = EnvironBuilder(FILE, method="PATCH", headers=[*fields_of(b"").items()]).get_environ()
    environ["PATH_INFO"] = "/receive/files/\xff/tfevents"
    parts, status, _ = run_wsgi_app(receiving(place), environ)
    assert status.startswith("400")
    assert b"receive_name" in b"".join(parts)
    assert written(place) == {}


@pytest.mark.parametrize(
    "name", ["ä/é 中.tfevents.1", "a/b/c/events.summary.1.ms_lineage", "a/structured_logs/x.jsonl"]
)
def test_names_of_any_language_are_kept(send: Send, place: Path, name: str) -> None:
    assert send(b"abc", path=f"/receive/files/{name}").status_code == 200
    assert written(place) == {name: b"abc"}


def test_no_link_is_followed_and_no_other_file_touched(send: Send, place: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "tfevents.1").write_bytes(b"mine")
    (place / "a").mkdir()
    (place / "link").symlink_to(outside)
    (place / "a/tfevents.link").symlink_to(outside / "tfevents.1")
    (place / "a/tfevents.new").symlink_to(outside / "made")
    os.link(outside / "tfevents.1", place / "a/tfevents.hard")
    os.mkfifo(place / "a/tfevents.pipe")
    (place / "a/tfevents.directory").mkdir()
    (place / "a/file").write_bytes(b"")
    for path in (
        "link/tfevents.1",
        "link/tfevents.2",
        "a/tfevents.link",
        "a/tfevents.new",
        "a/tfevents.hard",
        "a/tfevents.pipe",
        "a/tfevents.directory",
        "a/file/tfevents",
    ):
        for offset, before in ((0, b""), (4, b"mine")):
            code = code_of(send(b"x", offset, before, path=f"/receive/files/{path}"))
            assert code in ((409, "receive_differs"), (409, "receive_offset")), path
    assert written(outside) == {"tfevents.1": b"mine"}
