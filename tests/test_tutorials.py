"""The tutorials: every file and command of them, as printed, in the environment of the frameworks."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from insight_host import open as opened
from tests.followed_pages import Reader, blocks_of, reader

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.frameworks,
    pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed"),
]
_PROGRAMS = {"python": "", "insight-host": "-m insight_core.cli"}  # what a virtual environment has


@pytest.fixture(name="reader")
def _reader(tmp_path: Path, repository: Path) -> Iterator[Reader]:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, arguments in _PROGRAMS.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    environment: Mapping[str, str] = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(repository), *filter(None, sys.path)]),
        "KERAS_BACKEND": "torch",
        "OMP_NUM_THREADS": "1",  # threads that wait for each other are slow where other tests run
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    directory = tmp_path / "new"
    directory.mkdir()
    with reader(directory, environment) as own:
        yield own


@pytest.mark.browser
def test_a_sweep_names_its_best_run_the_cause_and_what_went_wrong(
    reader: Reader, page: Page, repository: Path
) -> None:
    reader.follow(blocks_of(repository / "docs/tutorial/first_sweep.md"))
    page.goto(f"{reader.addresses[-1]}#locale=en")
    answers = page.get_by_test_id("answers")
    answers.get_by_text("Best accuracy 0.8").wait_for()
    answers.get_by_text(re.compile(r"^learning_rate explains \d+ %$")).wait_for()
    answers.get_by_text("All have learning_rate = 3").wait_for()
    page.get_by_text("Group", exact=True).click()
    page.get_by_text("All but seed").click()
    page.get_by_text("10 groups").first.wait_for()
    page.keyboard.press("Escape")
    card = page.locator('[data-testid="card"][data-tag="accuracy"]')
    card.locator('[data-action="export"]').click()
    page.get_by_text("Figure for a paper").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    assert "<svg" in download.value.path().read_text(encoding="utf-8")


@pytest.mark.browser
def test_a_slow_step_is_found_and_repaired(reader: Reader, page: Page, repository: Path) -> None:
    *before, again = blocks_of(repository / "docs/tutorial/first_profile.md")
    reader.follow(before)
    page.goto(f"{reader.addresses[-1]}#locale=en")
    page.get_by_role("tab", name="Performance").click()
    first = page.locator("[data-advice]").first
    first.get_by_text("Training that waits for its data").wait_for()
    first.get_by_text("num_workers=0").wait_for()
    reader.follow([again])
    page.locator('.ih-run[data-run="after"]').wait_for(timeout=60_000)


def test_frameworks_record_what_their_page_says(reader: Reader, repository: Path) -> None:
    blocks = blocks_of(repository / "docs/tutorial/frameworks.md")
    reader.follow([block for block in blocks if "mindspore" not in block["content"]])
    with opened(reader.directory / "runs") as logs:
        series = logs.series()
    found = {(run.partition("/")[0], tag) for run, tag in zip(series["run"], series["tag"], strict=True)}
    assert {("keras", "loss"), ("keras", "epoch/val_loss"), ("keras", "sequential/dense/kernel")} <= found
    assert {("lightning_logs", "train/loss")} <= found
    assert {("hugging_face", "train/loss"), ("hugging_face", "train/learning_rate")} <= found
