"""docs/reference/limits.md: every limit is that of the code, and those of the server are all there."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import attrs
import pytest

PAGE = "docs/reference/limits.md"
SERVER = ("connections", "connection", "request_reader", "request_head", "http_server")
OTHERS = {"DEFAULT_PORT", "PORTS_TRIED"}  # constants that limit nothing
UNITS = {"": 1, "s": 1, "B": 1, "KiB": 1 << 10, "KiB/s": 1 << 10, "MiB": 1 << 20}
_ROW = re.compile(r"\| (?P<what>[^|]*) \| (?P<limit>[^|]*) \| `(?P<constant>[\w.]+)` \|[^|]*\|")
_LIMIT = re.compile(r"(?P<number>[0-9./]+)(?: (?P<unit>\S+))?")


@pytest.fixture(scope="module")
def rows(repository: Path) -> list[tuple[str, str, str]]:
    """What, limit, and the constant with its module."""
    found, module = [], ""
    for line in (repository / PAGE).read_text(encoding="utf-8").splitlines():
        if row := _ROW.fullmatch(line):
            constant = row["constant"]
            if "." in constant:
                module = constant.rpartition(".")[0]
            else:
                constant = f"{module}.{constant}"
            found.append((row["what"], row["limit"], constant))
    return found


def _value(constant: str) -> float:
    """A constant of a module, or the default of a field of a class in one."""
    module, _, name = constant.rpartition(".")
    parent, _, class_name = module.rpartition(".")
    if class_name[0].isupper():
        value = getattr(attrs.fields(getattr(importlib.import_module(parent), class_name)), name).default
    else:
        value = getattr(importlib.import_module(module), name)
    assert isinstance(value, int | float), constant
    return value


def test_every_limit_is_that_of_the_code(rows: list[tuple[str, str, str]]) -> None:
    assert len(rows) > 40
    for what, limit, constant in rows:
        said = _LIMIT.fullmatch(limit)
        assert said is not None, (what, limit)
        number = Fraction(said["number"]) * UNITS[said["unit"] or ""]
        expected = 1 / number if "/" in said["number"] else number
        assert float(expected) == _value(constant), (what, limit, constant)


def _constants(module: ModuleType) -> Iterator[str]:
    """Numbers that the module itself defines."""
    for name in re.findall(r"^(_?[A-Z][A-Z_]*) = ", inspect.getsource(module), re.MULTILINE):
        if isinstance(getattr(module, name), int | float) and name not in OTHERS:
            yield f"{module.__name__}.{name}"


def test_every_limit_of_the_server_is_on_the_page(rows: list[tuple[str, str, str]]) -> None:
    listed = {constant for _, _, constant in rows}
    modules = [importlib.import_module(f"insight_core.web.{name}") for name in SERVER]
    assert [name for module in modules for name in _constants(module) if name not in listed] == []
