"""The tutorial of a first plugin: every command and file of the page, in an environment of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.distributions import bare_venv
from tests.followed_pages import ADDRESS, Reader, blocks_of, reader

if TYPE_CHECKING:
    from playwright.sync_api import Page

_LINES = f'curl -sf -H "Authorization: Bearer $TOKEN" {ADDRESS}data/plugin/loss_notes/lines'


@pytest.fixture(scope="module")
def blocks(repository: Path) -> list[re.Match[str]]:
    """Files, commands and outputs of the page, in their order."""
    return blocks_of(repository / "docs/tutorial/first_plugin.md")


@pytest.fixture(name="reader")
def _reader(
    wheel_file: Path, record_wheel: Path, tmp_path: Path, offline_environment: Mapping[str, str]
) -> Iterator[Reader]:
    """With a directory that has the wheels of this checkout, and pip that asks no index."""
    python = bare_venv(tmp_path / "venv", offline_environment, with_pip=True)
    directory = tmp_path / "empty"
    for wheel in (wheel_file, record_wheel):
        (directory / "dist").mkdir(parents=True, exist_ok=True)
        shutil.copy(wheel, directory / "dist")
    environment = {
        **offline_environment,
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_FORCE_REINSTALL": "1",  # the environment of the tests has an editable install
        "PIP_NO_DEPS": "1",
    }
    subprocess.run([python, "-m", "pip", "install", "-q", record_wheel], check=True, env=environment)
    with reader(directory, environment) as own:
        yield own


def test_every_block_of_the_page_is_a_file_a_command_or_an_output(blocks: list[re.Match[str]]) -> None:
    assert {block["language"] for block in blocks} == {"sh", "toml", "python", "js", "json"}
    assert all(bool(block["file"]) is (block["language"] not in ("sh", "json")) for block in blocks)


def test_the_page_works_as_printed(reader: Reader, blocks: list[re.Match[str]]) -> None:
    reader.follow(blocks)
    assert "Ran 1 test" in reader.type("python -m unittest 2>&1")
    rows = json.loads(reader.type("insight-host plugins --json"))["plugins"]
    found = {row["name"]: (row["state"], row["distribution"], row["routes"]) for row in rows}
    assert found["journal"] == ("ok", "insight-journal", ["GET /lines"])
    assert found["loss_notes"] == ("ok", "insight-plugin-loss-notes", ["GET /lines"])
    assert json.loads(reader.type(_LINES)) == {"monday": ["rises after the warm-up"]}


@pytest.mark.browser
def test_the_tab_shows_the_journals_and_follows_them(
    reader: Reader, blocks: list[re.Match[str]], page: Page
) -> None:
    [serving] = [place for place, one in enumerate(blocks) if one["content"].startswith("insight-host --log")]
    [appending] = [one for one in blocks if one["content"].startswith("echo 'also")]
    reader.follow(blocks[: serving + 1])
    page.goto(reader.addresses[-1])
    page.get_by_role("tab", name="Journal").click()
    page.get_by_text("batch size 256: the loss explodes after the warm-up").wait_for()
    page.get_by_text("batch size 64: better").wait_for()
    reader.follow([appending])
    page.get_by_text("also after 1000 steps").wait_for()
