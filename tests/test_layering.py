"""Who may import whom: the table of docs/architecture.md, checked against every import statement."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# part of the host -> parts it may import, beside itself. A part missing here may import nothing.
MAY_IMPORT: dict[str, set[str]] = {
    "api": {"claims", "json_text"},
    "claims": set(),
    "json_text": set(),
    "proto": set(),
    "values": {"api"},
    "annotations": {"api"},
    "web": {"api", "values", "annotations"},
    "hookspecs": {"api"},
    "registry": {"api", "hookspecs"},
    "records": {"api", "values"},
    "store": {"api", "records"},
    "summary": {"records"},
    "loading": {"api", "records", "store"},
    "providers": {"api", "proto", "records", "store", "loading"},
    "server": {"api", "proto", "values"},
    "host": {"api", "registry", "json_text", "annotations"},
    "stock": {"api", "proto", "server"},
    "testing": {
        "api",
        "records",
        "store",
        "summary",
        "loading",
        "providers",
        "registry",
        "host",
        "annotations",
        "stock",
    },
    "cli": {
        "annotations",
        "api",
        "json_text",
        "registry",
        "records",
        "store",
        "loading",
        "providers",
        "server",
        "host",
        "stock",
        "summary",
    },
}
THIRD_PARTY: dict[str, set[str]] = {
    "api": {"attrs", "numpy", "pluggy"},
    "claims": {"attrs"},
    "proto": {"google", "grpc"},
    "values": {"attrs", "numpy"},
    "annotations": {"attrs"},
    "web": {"attrs", "numpy", "regex", "safetensors", "werkzeug"},
    "hookspecs": set(),
    "registry": {"attrs", "pluggy"},
    "records": {"attrs", "numpy"},
    "store": {"attrs", "numpy"},
    "summary": {"keras", "numpy", "torch"},
    "loading": {"attrs", "numpy", "inotify_simple"},
    "providers": {"attrs", "numpy", "grpc", "google"},
    "server": {"attrs", "google", "grpc", "grpc_health", "grpc_reflection", "numpy"},
    "host": {"attrs", "werkzeug", "insight_frontend"},
    "stock": {"_insight_stand_in", "attrs", "google", "numpy", "tensorboard", "werkzeug"},
    "testing": {"attrs", "numpy", "werkzeug"},
    "cli": {"attrs", "insight_landscape", "numpy", "platformdirs", "werkzeug"},  # landscapes of the demo
    "json_text": {"numpy"},
}
PUBLIC_PARTS = {"api", "summary", "values", "web"}  # of the host, for plugins
PLUGIN_MAY_IMPORT = {
    "attrs",
    "numpy",
    "werkzeug",
    "safetensors",
    "regex",
    "PIL",
    "google",
}


def _imports(path: Path) -> Iterator[str]:
    """Dotted names that a file imports at run time, ``from a import b`` as ``a.b``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; say the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _part(name: str) -> str:
    """``insight_core.web.live_events`` belongs to ``host``."""
    return name.split(".")[1]


def _breaches(
    path: Path, package: Path, parts: dict[str, set[str]], outside: dict[str, set[str]]
) -> list[str]:
    inside = path.relative_to(package)
    here = inside.parts[0].removesuffix(".py")
    found = []
    for name in _imports(path):
        top = name.split(".")[0]
        if top in sys.stdlib_module_names:
            continue
        if top == "insight_core":
            part = _part(name)
            allowed = part == here or part in parts.get(here, set())
        else:
            allowed = top in outside.get(here, set())
        if not allowed:
            found.append(f"{inside} may not import {name}: see docs/architecture.md")
    return found


def test_host_layers(repository: Path) -> None:
    package = repository / "insight_core"
    files = [path for path in package.rglob("*.py") if path != package / "__init__.py"]
    assert [line for path in files for line in _breaches(path, package, MAY_IMPORT, THIRD_PARTY)] == []


def test_every_part_has_a_rule(repository: Path) -> None:
    package = repository / "insight_core"
    parts = {
        path.name.removesuffix(".py")
        for path in package.iterdir()
        if path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__")
    }
    assert parts - {"__init__"} <= MAY_IMPORT.keys()


def test_plugins_import_only_the_public_api(repository: Path) -> None:
    packages = [*repository.glob("plugins/*/insight_*"), *repository.glob("examples/*/insight_*")]
    assert packages
    found = []
    for package in packages:
        for path in package.rglob("*.py"):
            for name in _imports(path):
                top = name.split(".")[0]
                public = top == "insight_core" and "." in name and _part(name) in PUBLIC_PARTS
                if not (public or top in PLUGIN_MAY_IMPORT | {package.name} | sys.stdlib_module_names):
                    found.append(
                        f"{path.relative_to(repository)} may not import {name}: see docs/architecture.md"
                    )
    assert found == []


@pytest.mark.parametrize(
    ("source", "breach"),
    [
        ("from insight_core.web import application", True),
        ("def later():\n    import insight_core.ingest.loader", True),
        ("import torch", True),
        ("from insight_core import registry", True),
        ("from insight_core.plugin import Plugin", False),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from werkzeug import Request", False),
    ],
)
def test_a_breach_is_found(tmp_path: Path, source: str, breach: bool) -> None:
    package = tmp_path / "insight_core"
    (package / "records").mkdir(parents=True)
    path = package / "records/framing.py"
    path.write_text(source, encoding="utf-8")
    assert bool(_breaches(path, package, MAY_IMPORT, THIRD_PARTY)) is breach


def test_a_data_server_loads_plugins_without_the_web_half(repository: Path) -> None:
    packages = sorted(repository.glob("plugins/*/insight_*"))
    names = [path.name for path in packages]
    assert names
    places = [str(repository), *(str(path.parent) for path in packages)]
    program = (
        f"import sys; sys.path[:0] = {places!r}\n"
        "import importlib, insight_core.registry\n"
        f"modules = [(n, lambda n=n: importlib.import_module(n)) for n in {names!r}]\n"
        "found = insight_core.registry.Registry.of(modules)\n"
        "assert not found.failures and found.plugins, found.failures\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] == 'werkzeug'))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "[]"
