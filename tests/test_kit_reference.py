"""The reference page of the kit: written from its sources as they are, with each component's properties."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

WRITER = "docs/reference/kit/write.py"


@pytest.fixture(scope="module")
def writer(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("kit_write", repository / WRITER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_components_is_up_to_date(writer: ModuleType, repository: Path) -> None:
    text = (repository / "docs/reference/kit/components.md").read_text(encoding="utf-8")
    assert text == writer.page(), f"run python {WRITER}"


def test_every_component_is_described_with_its_properties(writer: ModuleType) -> None:
    every = [each for directory in writer.MODULES.values() for each in writer.components(directory)]
    assert [each.name for each in every if not (each.description and each.properties)] == []
