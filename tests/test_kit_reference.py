"""The reference page of the kit: written from its sources as they are, with each component's properties."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.imports import module_at

WRITER = "docs/reference/kit/write.py"


@pytest.fixture(scope="module")
def writer(repository: Path) -> ModuleType:
    return module_at(repository / WRITER)


@pytest.mark.parametrize("page", ["components.md", "functions.md"])
def test_the_pages_are_up_to_date(writer: ModuleType, repository: Path, page: str) -> None:
    text = (repository / "docs/reference/kit" / page).read_text(encoding="utf-8")
    assert text == writer.PAGES[page](), f"run python {WRITER}"


def test_every_promised_export_of_the_kit_is_on_a_page(repository: Path) -> None:
    surface = (repository / "docs/reference/surface/javascript.txt").read_text(encoding="utf-8")
    names = re.findall(r"^@insight-host/kit(?:/(?!build)\w+)? ([\w.]+): ", surface, re.M)
    pages = "".join(path.read_text("utf-8") for path in (repository / "docs/reference/kit").glob("*.md"))
    headings = set(re.findall(r"^### (\S+)$", pages, re.M))
    headings |= set(re.findall(r"^interface (\w+Props)\b", pages, re.M))
    assert len(names) > 200
    assert [name for name in names if name not in headings] == []


def test_every_component_is_described_with_its_properties(writer: ModuleType) -> None:
    every = [each for directory in writer.MODULES.values() for each in writer.components(directory)]
    assert [each.name for each in every if not (each.description and each.properties)] == []
