"""What pip gets: an sdist with built assets, and a wheel that works without the checkout."""

from __future__ import annotations

import json
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.packaging.conftest import plugins_of

PAGE = "insight_frontend/static/index.html"


@pytest.fixture
def wheel(wheel_file: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(wheel_file) as opened:
        yield opened


def _with_page(repository: Path) -> set[str]:
    """The plugins that have a tab."""
    found = {f"insight_{path.parent.name}" for path in repository.glob("plugins/*/frontend")}
    assert found == plugins_of(repository) - {
        "insight_access",
        "insight_demo",
        "insight_importers",
        "insight_lake",
        "insight_mcp",
        "insight_metric_logs",
        "insight_receive",
        "insight_remote",
        "insight_tensorboard",
    }
    return found


def test_sdist_carries_built_assets(sdist: Path, repository: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert f"frontend/{PAGE}" in names
    assert "frontend/insight_frontend/static/.digest" in names
    for package in _with_page(repository):
        assert f"plugins/{package.removeprefix('insight_')}/{package}/static/index.js" in names
    assert {"LICENSE", "README.md", "hatch_build.py", "package-lock.json", "frontend/build.mjs"} <= names
    assert "insight_core/ingest/scanner/_kernel.pyx" in names
    assert not [name for name in names if "node_modules" in name or ".venv" in name]
    assert not [name for name in names if name.startswith("insight_core/") and name.endswith((".so", ".c"))]


def test_the_wheel_has_the_licence_of_every_library_of_its_pages(
    wheel: zipfile.ZipFile, repository: Path
) -> None:
    notices = wheel.read("insight_frontend/static/licenses.txt").decode()
    asked = json.loads((repository / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert [name for name in asked if not re.search(rf"^{re.escape(name)} \d", notices, re.MULTILINE)] == []
    assert notices.count("Copyright") >= len(asked)
    assert "MIT License" in notices
    assert "SIL OPEN FONT LICENSE" in notices


def test_wheel_holds_packages_and_assets_only(wheel: zipfile.ZipFile, repository: Path) -> None:
    names = wheel.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {
        *("insight_authoring", "insight_core", "insight_frontend", "insight_host"),
        *("insight_layers", "insight_log_tables"),
        *plugins_of(repository),
    }
    assert PAGE in names
    packed = re.compile(r"insight_frontend/packages/insight-host-(\w+)-\d+\.\d+\.\d+\.tgz")
    assert [found[1] for found in map(packed.fullmatch, sorted(names)) if found] == ["api", "kit"]
    assert {f"{package}/static/index.js" for package in _with_page(repository)} <= set(names)
    assert "insight_authoring/gallery/static/index.js" in names, "plugin dev shows it"
    unwanted = re.compile(r"node_modules|(^|/)tests/|(^|/)test_|\.test\.|\.tsx?$|__pycache__")
    assert [name for name in names if unwanted.search(name) and not name.endswith(".template")] == []


def test_wheel_holds_the_compiled_modules_and_is_for_one_platform(
    wheel: zipfile.ZipFile, hook: ModuleType
) -> None:
    assert not str(wheel.filename).endswith("-any.whl")
    made = {f"insight_core/ingest/scanner/_kernel{hook.SUFFIX}", f"insight_graph/_interned{hook.SUFFIX}"}
    assert made <= set(wheel.namelist())


def test_wheel_declares_its_plugins_and_licence(wheel: zipfile.ZipFile, project: dict[str, Any]) -> None:
    [points] = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    parser = ConfigParser()
    parser.read_string(wheel.read(points).decode())
    assert dict(parser["insight.plugins"]) == project["project"]["entry-points"]["insight.plugins"]
    assert dict(parser["console_scripts"]) == project["project"]["scripts"]
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_wheel_works_without_the_checkout(
    wheel: zipfile.ZipFile,
    record_wheel: Path,
    tmp_path: Path,
    bare_python: Path,
    offline_environment: dict[str, str],
) -> None:
    wheel.extractall(tmp_path)
    zipfile.ZipFile(record_wheel).extractall(tmp_path)
    program = (
        "import insight_core, sys; from pathlib import Path\n"
        f"assert Path(insight_core.__file__).is_relative_to({str(tmp_path)!r}), insight_core.__file__\n"
        "from insight_core.registry import Registry; from insight_frontend import STATIC\n"
        "from insight_core.formats.compiled import kernel_name; print(kernel_name())\n"
        "found = Registry.discover(); assert not found.failures, found.failures\n"
        "assert (STATIC / 'index.html').is_file(); print(sorted(found.plugins))"
    )
    environment = {**offline_environment, "PYTHONPATH": str(tmp_path)}
    answer = subprocess.run(
        [bare_python, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path
    )
    assert answer.returncode == 0, answer.stderr
    assert "scalar" in answer.stdout
    assert "compiled, with checksums in numpy" in answer.stdout  # insight-record was built without a compiler
