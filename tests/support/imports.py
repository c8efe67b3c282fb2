"""What Python and Cython files import, and circles of modules that import each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

_CYTHON_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+([\w.]+)[ \t]+c?import[ \t]+(\((?:[^)]*)\)|[^\n]*)|^[ \t]*c?import[ \t]+([\w.]+)", re.M
)


def imports(path: Path, *, typed: bool = False) -> Iterator[str]:
    """Dotted names that a file imports at run time, ``from a import b`` as ``a.b``.

    ``typed``: those too that only type checkers import.
    """
    if path.suffix != ".py":
        for module, names, plain in _CYTHON_IMPORT.findall(path.read_text(encoding="utf-8")):
            if plain:
                yield plain
            for name in re.findall(r"(\w+)(?:[ \t]+as[ \t]+\w+)?[ \t]*(?:,|$|\)|#)", names):
                yield f"{module}.{name}"
        return
    for node in _import_statements(path, typed=typed):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            assert node.level == 0, f"{path}: relative import; say the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _import_statements(path: Path, *, typed: bool = False) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements of a Python file; those that only type checkers execute if ``typed``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) and (typed or node not in typing_only):
            yield node


def module_at(path: Path) -> ModuleType:
    """A script that is in no package, as a module."""
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def module_of(path: Path, root: Path) -> str:
    """The dotted name of a file below ``root``."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def circle(files: Mapping[str, Path], *, typed: bool = False) -> list[str]:
    """Modules that import each other in a circle, late imports counted; empty without a circle.

    ``typed``: imports count too that only type checkers execute.
    ``from package import module`` counts for both: a module imports names, not modules, of its own package.
    """
    graph = {}
    for module, path in files.items():
        statements = _import_statements(path, typed=typed)
        found = {str(node.module) for node in statements if isinstance(node, ast.ImportFrom)}
        for name in imports(path, typed=typed):
            while name not in files and "." in name:
                name = name.rpartition(".")[0]
            found.add(name)
        graph[module] = (found & files.keys()) - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []
