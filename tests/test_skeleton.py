"""The third-party plugin under examples/: installed with pip, discovered, decoding and answering."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from insight_core.plugin.testing import EventWriter, HostClient, host_of
from tests.browser.header import choose_in_page_menu
from tests.distributions import install

if TYPE_CHECKING:
    from playwright.sync_api import Page

TORCH_RUN = "torch/lr0.02_seed0"


@pytest.fixture(scope="module")
def installed(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, offline_environment: dict[str, str]
) -> Path:
    """A directory into which pip has installed the plugin as a user would, but without the network."""
    source = repository / "examples/insight-plugin-skeleton"
    return install(source, tmp_path_factory.mktemp("site"), offline_environment)


@pytest.fixture
def notes(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module as it was installed."""
    monkeypatch.syspath_prepend(installed)
    importlib.invalidate_caches()
    yield importlib.import_module("insight_notes")
    for name in [name for name in sys.modules if name.split(".")[0] == "insight_notes"]:
        del sys.modules[name]


@pytest.fixture
def environment(installed: Path, offline_environment: dict[str, str]) -> dict[str, str]:
    """Of processes that have the plugin on their path as pip has installed it."""
    places = [str(installed), *(path for path in sys.path if path)]
    return {**offline_environment, "PYTHONPATH": os.pathsep.join(places)}


@pytest.fixture
def host(notes: ModuleType, logdir: Path) -> Iterator[HostClient]:
    with host_of(notes, logdir=logdir) as host:
        yield host


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """One run with two notes: markup that must stay text, and an empty one."""
    with EventWriter(tmp_path / "run") as writer:
        writer.text("notes/setup", 0, "学习率 0.1\n<script>alert(1)</script>", plugin="notes")
        writer.text("notes/setup", 7, "", plugin="notes")
    return tmp_path


def test_is_discovered_beside_the_built_in_plugins(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "insight_core.cli", "plugins", "--json"],
        capture_output=True,
        check=True,
        env=environment,
    )
    found = {row["name"]: row for row in json.loads(done.stdout)["plugins"]}
    assert (found["notes"]["state"], found["notes"]["distribution"]) == ("ok", "insight-plugin-notes")
    assert found["scalar"]["state"] == "ok"


def test_serves_its_front_end_as_installed(host: HostClient, installed: Path) -> None:
    listing = host.get("/data/plugins_listing").json()["notes"]
    assert listing["enabled"] is True
    assert listing["titles"] == {"zh-CN": "文本"}
    module = host.get("/" + listing["loading_mechanism"]["module_path"])
    assert (module.status, module.headers["Content-Type"]) == (200, "text/javascript; charset=utf-8")
    assert module.content == (installed / "insight_notes/static/index.js").read_bytes()


def test_its_own_tests_pass(repository: Path, offline_environment: dict[str, str]) -> None:
    """Those that an author copies with it: they import nothing but the public interface."""
    source = repository / "examples/insight-plugin-skeleton"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, env=offline_environment)
    assert done.returncode == 0, done.stdout + done.stderr
    tests = "".join(path.read_text(encoding="utf-8") for path in (source / "tests").glob("*.py"))
    imported = set(re.findall(r"insight_core[\w.]*", tests))
    assert imported == {"insight_core.plugin", "insight_core.plugin.data", "insight_core.plugin.testing"}


def test_every_place_to_edit_is_marked(repository: Path) -> None:
    source = repository / "examples/insight-plugin-skeleton"
    files = {path for path in source.rglob("*") if path.suffix in (".py", ".js", ".toml")}
    marked = {path.name for path in files if "SKELETON:" in path.read_text(encoding="utf-8")}
    code = {"__init__.py", "decoder.py", "routes.py", "index.js", "test_notes_plugin.py"}
    assert marked == {"pyproject.toml", *code}
    module = (source / "insight_notes/static/index.js").read_text(encoding="utf-8")
    assert "innerHTML" not in re.sub(r"//.*", "", module)


def test_the_walk_through_shows_the_files_as_they_are(repository: Path) -> None:
    """Each code block of docs/writing_a_plugin.md that names a file is a piece of that file."""
    text = (repository / "docs/writing_a_plugin.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", text, flags=re.M | re.S)
    assert len(blocks) >= 6
    for name, code in blocks:
        paths = repository.glob(f"examples/insight-plugin-*/{name}")
        sources = [path.read_text(encoding="utf-8") for path in paths]
        assert any(code in text for text in sources), f"the walk-through shows other code than {name} holds"


@pytest.fixture
def host_url(environment: dict[str, str], logdir: Path) -> Iterator[str]:
    """A host in a process of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "insight_core.cli", "--logdir", str(logdir), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        found = next((url for line in process.stdout if (url := re.search(r"http://\S+", line))), None)
        assert found is not None, "insight-host printed no URL"
        yield found.group()
    finally:
        process.terminate()
        process.communicate(timeout=60)


@pytest.mark.browser
def test_its_tab_shows_the_notes_as_text(host_url: str, page: Page) -> None:
    page.goto(host_url)
    page.get_by_role("tab", name="Notes").click()
    notes = page.locator("article")
    notes.nth(1).wait_for()
    assert notes.nth(0).locator("header").inner_text().startswith("run · notes/setup · step 7 · ")
    assert notes.nth(1).locator("p").inner_text() == "学习率 0.1\n<script>alert(1)</script>"
    choose_in_page_menu(page, "locale-zh-CN")
    page.get_by_text("第 7 步").wait_for()
    page.get_by_role("tab", name="文本").wait_for()


@pytest.mark.browser
def test_its_tab_follows_the_log(host_url: str, page: Page, logdir: Path) -> None:
    page.goto(host_url)
    page.get_by_role("tab", name="Notes").click()
    page.locator("article").nth(1).wait_for()
    with EventWriter(logdir / "run", start_time=2e9) as writer:
        writer.text("notes/setup", 8, "appended while you look", plugin="notes")
    page.get_by_text("appended while you look").wait_for()
    assert page.locator("article").count() == 3
