"""What the repository declares agrees with what is in it: plugins, versions, dependencies."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from tests.packaging.conftest import plugins_of


def test_the_pictures_of_the_readme_are_there_in_two_themes_and_small(repository: Path) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r'(?:src|srcset)="(docs/pictures/\w+\.png)"', readme))
    assert {one.replace("_light", "_dark") for one in named if "_light" in one} == {
        one for one in named if "_dark" in one
    }
    there = {one.relative_to(repository).as_posix() for one in repository.glob("docs/pictures/*.png")}
    assert named == there  # taken by docs/pictures/take.py
    assert {one for one in there if (repository / one).stat().st_size > 250_000} == set()


def test_every_plugin_is_packaged_and_has_an_entry_point(repository: Path, project: dict[str, Any]) -> None:
    directories = {name.removeprefix("insight_") for name in plugins_of(repository)}
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    listed = {path for path in packages if path.startswith("plugins/")}
    assert listed == {f"plugins/{name}/insight_{name}" for name in directories}
    groups = project["project"]["entry-points"]
    assert groups["insight.middleware"] == {"access": "insight_access", "receive": "insight_receive"}
    points = {**groups["insight.plugins"], **groups["insight.middleware"]}
    # `--disable-plugin tensorboard` means TensorBoard's page, one of the things that this module brings
    names = {"tensorboard": "tensorboard-plugins"}
    assert points == {names.get(name, name): f"insight_{name}" for name in directories}
    every = {path.name for path in repository.glob("plugins/*") if path.is_dir()}
    assert {f"plugins/{name}" for name in every} <= set(project["tool"]["mypy"]["mypy_path"])
    listing = (repository / "docs/reference/plugins.md").read_text(encoding="utf-8")
    missing = [name for name in directories if f"](../../plugins/{name}/README.md)" not in listing]
    assert missing == ["demo"]


def test_manifests_and_the_bound_of_the_recorder_name_the_version(
    repository: Path, project: dict[str, Any], version: str
) -> None:
    assert f"insight-record>={version}" in project["project"]["dependencies"]
    images = (repository / "examples/kubernetes/base/kustomization.yaml").read_text(encoding="utf-8")
    assert f'newTag: "{version}"' in images
    page = json.loads((repository / "package.json").read_text(encoding="utf-8"))
    assert (page["private"], page["version"]) == (True, "0.0.0")  # no other version: `npm sbom` asks for one


def test_every_plugin_states_what_it_is(repository: Path) -> None:
    for package in repository.glob("plugins/*/insight_*"):
        assert (package / "py.typed").is_file(), f"{package} has no py.typed"
        assert (package.parent / "README.md").is_file(), f"{package.parent} has no README.md"
        assert list(package.parent.glob("tests/test_*.py")), f"{package.parent} has no tests"


def test_names_of_test_files_are_unique(repository: Path) -> None:
    """mypy takes every tests/ directory for one package."""
    files = [*repository.glob("tests/*.py"), *repository.glob("plugins/*/tests/*.py")]
    assert [name for name, count in Counter(path.name for path in files).items() if count > 1] == []


def test_version_is_the_newest_of_the_changelog(repository: Path, version: str) -> None:
    text = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", text, flags=re.M)[:1] == [version]


def test_dependencies_are_documented(repository: Path, project: dict[str, Any]) -> None:
    text = (repository / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for extra in project["project"]["optional-dependencies"].values():
        wanted += extra
    rows = dict(re.findall(r"^\| `([\w.@/-]+)` \| `([^`]+)` \|", text, flags=re.M))
    for requirement in wanted:
        name, bounds = re.fullmatch(r"([\w.-]+)(.*)", requirement).groups()  # type: ignore[union-attr]
        assert rows.get(name) == bounds, f"docs/reference/dependencies.md: `{name}` with `{bounds}`"
    packages = json.loads((repository / "package.json").read_text(encoding="utf-8"))
    for name, bounds in {**packages["dependencies"], **packages["devDependencies"]}.items():
        assert rows.get(name) == bounds, f"docs/reference/dependencies.md: `{name}` with `{bounds}`"
    [bundled] = re.findall(r"^These are bundled .*?(?=^## )", text, flags=re.M | re.S)
    assert set(re.findall(r"^\| `([\w.@/-]+)` \|", bundled, flags=re.M)) == set(packages["dependencies"])


def test_lock_file_names_no_registry(repository: Path) -> None:
    assert "resolved" not in (repository / "package-lock.json").read_text(encoding="utf-8")
