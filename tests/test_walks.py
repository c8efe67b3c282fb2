"""The walks of docs/architecture.md: each function is there, and no walk is longer than it says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

Walk = Sequence[tuple[str, str]]  # paths and names

_TITLE = re.compile(r"^(.+), at most (\d+)\b")
_LEAST = 5  # walks
_FUNCTION = r"\b(?:function\*?|class) {0}\b"
_METHOD = r"^\s+(?:private )?(?:async )?{0}\([^;]*$"
_OF_CYTHON = re.compile(r"^\s*(?:cdef class|c?p?def(?: [\w*]+)?) \*?(\w+)(?=[(:])", re.M)


def _walks(page: str) -> Iterator[tuple[str, int, Walk]]:
    """Title, limit and steps of each walk."""
    block = page.partition("### Walks")[2].partition("```\n")[2].partition("```")[0]
    for text in block.strip().split("\n\n"):
        first, *rows = text.splitlines()
        title = _TITLE.match(first)
        assert title is not None, first
        yield title[1], int(title[2]), [(row.split()[0], name) for row in rows for name in row.split()[1:]]


def _names(path: Path) -> set[str]:
    """Qualified names of the functions and classes of a Python file."""
    names: set[str] = set()

    def visit(node: ast.AST, before: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                names.add(before + child.name)
                visit(child, f"{before}{child.name}.")

    visit(ast.parse(path.read_text(encoding="utf-8")), "")
    return names


def _is_defined(path: Path, name: str) -> bool:
    if not path.is_file():
        return False
    if path.suffix == ".py":
        return name in _names(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".pyx":
        return set(name.split(".")) <= set(_OF_CYTHON.findall(text))
    holder, _, name = name.rpartition(".")
    held = not holder or re.search(rf"\bclass {re.escape(holder)}\b", text) is not None
    return held and any(re.search(form.format(re.escape(name)), text, re.M) for form in (_FUNCTION, _METHOD))


def test_each_function_of_a_walk_is_there_and_no_walk_is_too_long(repository: Path) -> None:
    found = list(_walks((repository / "docs/architecture.md").read_text(encoding="utf-8")))
    assert len(found) >= _LEAST
    missing = [
        f"{title}: {path} has no {name}"
        for title, _, steps in found
        for path, name in steps
        if not _is_defined(repository / path, name)
    ]
    assert missing == []
    assert [title for title, most, steps in found if not 0 < len(steps) <= most] == []


@pytest.mark.parametrize(
    ("name", "is_there"), [("One.two", True), ("One", True), ("two", False), ("One.two.three", True)]
)
def test_a_name_is_found_where_it_is_defined(tmp_path: Path, name: str, *, is_there: bool) -> None:
    path = tmp_path / "file.py"
    path.write_text("class One:\n    def two(self):\n        def three(): ...\n", encoding="utf-8")
    assert _is_defined(path, name) == is_there


@pytest.mark.parametrize(
    ("name", "is_there"),
    [("A.send", True), ("send", True), ("told", True), ("sent", False), ("call", False), ("B.send", False)],
)
def test_a_name_of_typescript_is_found_where_it_is_defined(
    tmp_path: Path, name: str, *, is_there: bool
) -> None:
    path = tmp_path / "file.ts"
    lines = ["export function told(): void {}", "class A {", "  private async send(): void {", "    call();"]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert _is_defined(path, name) == is_there


@pytest.mark.parametrize(
    ("name", "is_there"), [("Scanner.scan", True), ("fill", True), ("Scanner.read", False)]
)
def test_a_name_of_cython_is_found_where_it_is_defined(tmp_path: Path, name: str, *, is_there: bool) -> None:
    path = tmp_path / "file.pyx"
    path.write_text(
        "cdef class Scanner:\n    def scan(self):\n        pass\ncdef int fill(int one):\n    read(one)\n"
    )
    assert _is_defined(path, name) == is_there
