"""The project as it is declared, and the hook that builds it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.support.imports import module_at


@pytest.fixture(scope="session")
def project(repository: Path) -> dict[str, Any]:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def version(repository: Path) -> str:
    """The version of both distributions."""
    text = (repository / "insight_record/pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["project"]["version"])


@pytest.fixture(scope="session")
def hook(repository: Path) -> ModuleType:
    return module_at(repository / "hatch_build.py")


def plugins_of(repository: Path) -> set[str]:
    """Packages of the plugins in this distribution."""
    return {path.name for path in repository.glob("plugins/*/insight_*") if path.is_dir()}
