"""The project as it is declared, and the hook that builds it."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def project(repository: Path) -> dict[str, Any]:
    return tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def hook(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plugins_of(repository: Path) -> set[str]:
    """Packages of the plugins in this distribution."""
    return {path.name for path in repository.glob("plugins/*/insight_*") if path.is_dir()}
