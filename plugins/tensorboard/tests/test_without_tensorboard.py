"""A host that finds plugins made for TensorBoard where TensorBoard is not installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tensorboard.installed import install_examples

CAUSE = (
    "example-plugins needs TensorBoard, which is not installed; install it and restart: "
    "pip install 'tensorboard>=2.20'"
)
LISTING = """
import json
from werkzeug.test import Client
from insight_core.plugin.testing import FakeProvider
from insight_core.registry import Registry
from insight_tensorboard.hosted.mount import TensorBoardMount
from insight_core.web import Host, HostSettings
provider = FakeProvider("logs")
tensorboard = TensorBoardMount(provider)
client = Client(Host(Registry.of([]), provider, HostSettings(guests=tensorboard)))
tensorboard.start()
assert tensorboard.wait_until_loaded(30)
listing = client.get("/data/plugins_listing", headers={"Host": "localhost"}).json
paths = (
    "/data/plugin/greeting/where",
    "/data/plugin_entry.html?name=greeting",
    "/tensorboard/",
    "/data/plugin/scalars/tags",
)
statuses = [client.get(path, headers={"Host": "localhost"}).status_code for path in paths]
print(json.dumps([listing, statuses]))
"""


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All packages that this Python has but TensorBoard."""
    directory = tmp_path_factory.mktemp("packages")
    for place in (
        Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")
    ):
        for package in place.iterdir():
            link = directory / package.name
            if package.name.partition("-")[0] != "tensorboard" and not link.is_symlink():
                link.symlink_to(package)
    return directory


def _run(packages: Path, site: Path, program: str) -> str:
    """What ``program`` prints in a Python that has ``packages``, and plugins installed in ``site``."""
    start = (
        f"import site, sys; site.addsitedir({str(packages)!r}); sys.path.append({str(site)!r})\n"
        "import importlib.metadata; assert 'tensorboard' not in importlib.metadata.packages_distributions()\n"
    )
    environment = {**os.environ, "INSIGHT_HOST_DISABLE_PLUGIN": ""}
    done = subprocess.run(
        [sys.executable, "-S", "-c", start + program], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_plugin_gets_a_card_with_the_cause_and_the_command(packages: Path, tmp_path: Path) -> None:
    site = install_examples(tmp_path / "site")
    listing, statuses = json.loads(_run(packages, site, LISTING))
    assert {name: row["tab_name"] for name, row in listing.items()} == {
        "by_tag": "by_tag",
        "greeting_loader": "greeting_loader",
    }
    for row in listing.values():
        assert row["error"] == CAUSE
        assert (row["enabled"], row["loading_mechanism"]) == (False, {"type": "NONE"})
    assert statuses == [404, 404, 404, 404]


def test_each_plugin_gets_a_card_where_tensorboard_cannot_be_imported(packages: Path, tmp_path: Path) -> None:
    site = install_examples(tmp_path / "site")
    (site / "tensorboard").mkdir()
    (site / "tensorboard/__init__.py").write_text("raise ImportError('protobuf {} is too old')")
    listing, statuses = json.loads(_run(packages, site, LISTING))
    cause = "cannot be imported: ImportError: protobuf {} is too old"
    assert [row["error"] for row in listing.values()] == [
        f"example-plugins needs TensorBoard, which {cause}"
    ] * 2
    assert statuses == [404, 404, 404, 404]


def test_the_list_of_plugins_has_the_cause_and_the_command(packages: Path, tmp_path: Path) -> None:
    site = install_examples(tmp_path / "site")
    program = "from insight_core.cli import main; main(['plugins', '--json'])"
    rows = {row["name"]: row for row in json.loads(_run(packages, site, program))["plugins"]}
    assert rows["scalar"]["state"] == "ok"
    for name in ("by_tag", "greeting_loader"):
        assert (rows[name]["state"], rows[name]["reason"]) == ("failed", CAUSE)


def test_nothing_is_imported_without_tensorboard_and_plugins(packages: Path, tmp_path: Path) -> None:
    program = """
import sys
from insight_core.plugin.testing import FakeProvider
from insight_tensorboard.hosted.mount import TensorBoardMount
tensorboard = TensorBoardMount(FakeProvider("logs"))
tensorboard.start()
assert tensorboard.wait_until_loaded(30)
assert tensorboard.listing() == {} and tensorboard.app_for("/tensorboard/") is None
print(*sorted(name for name in sys.modules if name.startswith("insight_tensorboard.hosted.")))
"""
    names = ("discovery", "mount", "settings")
    assert _run(packages, tmp_path, program).split() == [
        f"insight_tensorboard.hosted.{name}" for name in names
    ]
