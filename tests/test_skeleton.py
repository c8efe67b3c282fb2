"""The third-party plugin under examples/: installed with pip, discovered, decoding and answering."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug.test import Client

from insight_core.ingest.logdir import Logdir
from insight_core.isolation import Limits
from insight_core.plugin import Payload, SummaryPlugin
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider
from insight_core.registry import Registry
from insight_core.web import Host, HostSettings
from tests.distributions import install

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = SummaryPlugin("text")
TORCH_RUN = "torch/lr0.02_seed0"


@pytest.fixture(scope="module")
def installed(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, offline_environment: dict[str, str]
) -> Path:
    """A directory into which pip has installed the plugin as a user would, but without the network."""
    source = repository / "examples/insight-plugin-skeleton"
    return install(source, tmp_path_factory.mktemp("site"), offline_environment)


@pytest.fixture
def registry(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    monkeypatch.syspath_prepend(installed)
    importlib.invalidate_caches()
    yield Registry.discover(limits=Limits(start=60))
    for name in [name for name in sys.modules if name.split(".")[0] == "insight_notes"]:
        del sys.modules[name]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """One run with two notes: markup that must stay text, and an empty one."""
    with EventWriter(tmp_path / "run") as writer:
        writer.text("notes/setup", 0, "学习率 0.1\n<script>alert(1)</script>")
        writer.text("notes/setup", 7, "")
    return tmp_path


def _client(registry: Registry, logdir: Path) -> tuple[Client, LocalProvider]:
    provider = LocalProvider([Logdir(str(logdir))], registry.plugins.values(), reload_interval=0)
    provider.load()
    return Client(Host(registry, provider, HostSettings())), provider


def _json(client: Client, path: str, **query: str) -> Any:  # noqa: ANN401
    answer = client.get(path, query_string=query)
    assert answer.status_code == 200, answer.get_data(as_text=True)
    return answer.get_json()


def test_is_discovered_beside_the_built_in_plugins(registry: Registry, installed: Path) -> None:
    plugin = registry.plugins["notes"]
    assert registry.origins["notes"].distribution == "insight-plugin-notes"
    assert plugin.frontend is not None
    assert (plugin.frontend / "index.js").is_file()
    assert installed in plugin.frontend.parents, "the installed copy, not the source"
    assert "notes" not in registry.failures


def test_serves_what_pytorch_wrote(registry: Registry, sample_logs: Path) -> None:
    client, provider = _client(registry, sample_logs)
    tags = _json(client, "/data/plugin/notes/tags")
    assert list(tags[TORCH_RUN]) == ["notes/text_summary"]
    answer = _json(client, "/data/plugin/notes/texts", run=TORCH_RUN, tag="notes/text_summary")
    assert answer["total"] == 1
    assert answer["points"][0]["texts"] == ["**lr** = 0.02, seed 0"]
    assert answer["points"][0]["step"] == 0
    provider.close()


def test_serves_its_front_end(registry: Registry, logdir: Path) -> None:
    client, provider = _client(registry, logdir)
    listing = _json(client, "/data/plugins_listing")["notes"]
    assert listing["enabled"] is True
    assert listing["titles"] == {"zh-CN": "文本"}
    module = client.get("/" + listing["loading_mechanism"]["module_path"])
    assert module.status_code == 200
    assert module.mimetype == "text/javascript"
    provider.close()


def test_texts_survive_as_written(registry: Registry, logdir: Path) -> None:
    client, provider = _client(registry, logdir)
    answer = _json(client, "/data/plugin/notes/texts", run="run", tag="notes/setup")
    assert [(point["step"], point["texts"]) for point in answer["points"]] == [
        (0, ["学习率 0.1\n<script>alert(1)</script>"]),
        (7, [""]),
    ]
    provider.close()


@pytest.mark.parametrize(
    ("query", "status"),
    [({"run": "run"}, 400), ({"run": "run", "tag": "none"}, 404), ({"run": "no", "tag": "notes/setup"}, 404)],
)
def test_wrong_questions(registry: Registry, logdir: Path, query: dict[str, str], status: int) -> None:
    client, provider = _client(registry, logdir)
    answer = client.get("/data/plugin/notes/texts", query_string=query)
    assert answer.status_code == status
    assert answer.get_json()["error"]
    provider.close()


def test_decoder_reads_every_string_and_names_damage(registry: Registry) -> None:
    decoder = registry.plugins["notes"].decoder
    assert decoder is not None
    assert decoder.decode is not None
    tensor = b"\x08\x07\x12\x00" + b"\x42\x01a" + b"\x42\x00" + b"\x42\x02\xff!"
    assert decoder.decode(Payload(tensor, TEXT)) == ["a", "", "\ufffd!"]
    assert decoder.decode(Payload(b"", TEXT)) == []
    for broken in (tensor[:-1], b"\x42", b"\xff" * 12, b"\x43"):
        with pytest.raises(ValueError, match="not a tensor"):
            decoder.decode(Payload(broken, TEXT))


def test_every_place_to_edit_is_marked(repository: Path) -> None:
    source = repository / "examples/insight-plugin-skeleton"
    files = {path for path in source.rglob("*") if path.suffix in (".py", ".js", ".toml")}
    marked = {path.name for path in files if "SKELETON:" in path.read_text(encoding="utf-8")}
    assert marked == {"pyproject.toml", "__init__.py", "decoder.py", "routes.py", "index.js"}
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
def host_url(installed: Path, logdir: Path, offline_environment: dict[str, str]) -> Iterator[str]:
    """A host in a process of its own, with the plugin on its path as pip has installed it."""
    places = [str(installed), *(path for path in sys.path if path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "insight_core.cli", "--logdir", str(logdir), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**offline_environment, "PYTHONPATH": os.pathsep.join(places)},
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
    page.get_by_text("中", exact=True).click()
    page.get_by_text("第 7 步").wait_for()
    page.get_by_role("tab", name="文本").wait_for()


@pytest.mark.browser
def test_its_tab_follows_the_log(host_url: str, page: Page, logdir: Path) -> None:
    page.goto(host_url)
    page.get_by_role("tab", name="Notes").click()
    page.locator("article").nth(1).wait_for()
    with EventWriter(logdir / "run", start_time=2e9) as writer:
        writer.text("notes/setup", 8, "appended while you look")
    page.get_by_text("appended while you look").wait_for()
    assert page.locator("article").count() == 3
