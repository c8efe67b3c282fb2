"""The reference pages of the Python API: written from the code as it is, and complete."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from tests.support.imports import module_at

PLACE = "docs/reference/api"


@pytest.fixture(scope="module")
def writer(repository: Path) -> ModuleType:
    return module_at(repository / PLACE / "write.py")


def test_pages_are_up_to_date(writer: ModuleType, repository: Path) -> None:
    for name in writer.PAGES:
        text = (repository / PLACE / f"{name}.md").read_text(encoding="utf-8")
        assert text == writer.page(name), f"run python {PLACE}/write.py"


def test_every_public_name_is_described(writer: ModuleType) -> None:
    assert writer.undocumented() == []


def test_every_module_that_offers_names_is_on_a_page(writer: ModuleType, repository: Path) -> None:
    """Those with ``__all__``; the others of the package are without promise."""
    listed = {module for modules in writer.PAGES.values() for module in modules}
    for path in (repository / "insight_core/plugin").rglob("*.py"):
        if "\n__all__ = [" in path.read_text(encoding="utf-8"):
            module = ".".join(path.relative_to(repository).with_suffix("").parts).removesuffix(".__init__")
            assert module in listed


def test_a_name_without_a_description_is_found(
    writer: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "package.py").write_text(
        "A = 1\nB = 2  # The second.\ndef c(x: int, *, y: str = 'z') -> None:\n    '''Does c.'''\n"
        "class D:\n    field: int = 3  # Of D.\n    def e(self) -> None: ...\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(writer, "ROOT", tmp_path)
    monkeypatch.setattr(writer, "PAGES", {"page": ["package"]})
    monkeypatch.setattr(writer, "_described_methods", lambda node: set())
    writer._parsed.cache_clear()
    try:
        assert writer.undocumented() == ["package.A", "package.D", "package.D.e"]
        page = writer.page("page")
    finally:
        writer._parsed.cache_clear()
    assert "c(x: int, *, y: str='z') -> None" in page
    assert "field: int = 3  # Of D." in page
