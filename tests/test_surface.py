"""The public surface: what others may rely on is listed, used, explained and not too wide."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.imports import module_at

PLACE = "docs/reference/surface"
PLUGIN = "insight_core.plugin"
BUDGETS = {  # names that a module may offer
    PLUGIN: 60,
    f"{PLUGIN}.data": 30,
    f"{PLUGIN}.http": 25,
    f"{PLUGIN}.payloads": 20,
    f"{PLUGIN}.findings": 10,
    f"{PLUGIN}.log_tables": 4,
    f"{PLUGIN}.sql": 8,
    f"{PLUGIN}.testing": 12,
    f"{PLUGIN}.worker": 10,
}
MOST_LINES = 3520  # of insight_core/plugin


@pytest.fixture(scope="module")
def writer(repository: Path) -> ModuleType:
    return module_at(repository / PLACE / "write.py")


@pytest.fixture(scope="module")
def users(repository: Path) -> Mapping[str, set[str]]:
    """Plugins, rooms of the core, packages and examples by the public name that they import."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path in _sources(repository):
        parts = path.relative_to(repository).parts
        user = "/".join(parts[:2]) if parts[0] in ("insight_core", "plugins") else parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{PLUGIN}."):
                for alias in node.names:
                    found[alias.name].add(user)
    return found


@pytest.mark.parametrize("name", ["python", "http", "flags"])
def test_a_change_of_the_surface_shows_in_its_listing(
    writer: ModuleType, repository: Path, name: str
) -> None:
    text = (repository / PLACE / f"{name}.txt").read_text(encoding="utf-8")
    now = list(writer.LISTINGS[name]())
    removed, added = set(text.splitlines()) - set(now), set(now) - set(text.splitlines())
    assert text == writer.text_of(now), (
        f"{sorted(removed)} went, {sorted(added)} came; run python {PLACE}/write.py"
    )


def test_the_page_of_flags_is_as_they_are_declared(writer: ModuleType, repository: Path) -> None:
    page = (repository / "docs/reference/flags.md").read_text(encoding="utf-8")
    assert page == writer.page_of_flags(), f"run python {PLACE}/write.py"


@pytest.mark.parametrize("module", BUDGETS)
def test_a_module_offers_no_more_names_than_its_budget(writer: ModuleType, module: str) -> None:
    assert len(writer.names_of(module)) <= BUDGETS[module]


def test_the_public_package_stays_small(repository: Path) -> None:
    files = (repository / "insight_core/plugin").rglob("*.py")
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= MOST_LINES


def test_every_offered_name_has_two_users_or_a_reason(
    writer: ModuleType, repository: Path, users: Mapping[str, set[str]]
) -> None:
    words = (repository / "docs/words.md").read_text(encoding="utf-8")
    reasons = words.partition("## Names with one user")[2]
    assert reasons
    unexplained = [
        f"{module}.{name}: {', '.join(sorted(users[name])) or 'nobody'}"
        for module in BUDGETS
        for name in writer.names_of(module)
        if len(users[name]) < 2 and f"`{name}`" not in reasons
    ]
    assert unexplained == []


def test_a_reason_is_given_only_for_a_name_that_needs_one(
    writer: ModuleType, repository: Path, users: Mapping[str, set[str]]
) -> None:
    words = (repository / "docs/words.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", words.partition("## Names with one user")[2], re.M)
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    offered = {name for module in BUDGETS for name in writer.names_of(module)}
    assert explained <= offered
    assert {name for name in explained if len(users[name]) > 1} == set()


def _sources(repository: Path) -> Iterator[Path]:
    """Product code outside of the public package, and examples."""
    for room in (
        "insight_authoring",
        "insight_core",
        "insight_host",
        "insight_layers",
        "insight_log_tables",
        "plugins",
        "examples",
    ):
        for path in (repository / room).rglob("*.py"):
            parts = path.relative_to(repository).parts
            is_test = "tests" in parts or path.name == "conftest.py"
            if not is_test and parts[:2] != ("insight_core", "plugin") and "node_modules" not in parts:
                yield path
