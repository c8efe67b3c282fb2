"""Writes the reference pages of the public Python API next to this file, from signatures and docstrings.

Run it after a change of the API: ``python docs/reference/api/write.py``. A test compares the pages.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

PLACE = Path(__file__).parent
ROOT = PLACE.parents[2]
PAGES = {  # by page: modules, of which the names in __all__ are public, or else every name without underline
    "plugin": ["insight_core.plugin", "insight_core.plugin.hooks"],
    "data": ["insight_core.plugin.data"],
    "http": ["insight_core.plugin.http"],
    "payloads": ["insight_core.plugin.payloads"],
    "findings": ["insight_core.plugin.findings"],
    "sql": ["insight_core.plugin.sql"],
    "log_tables": ["insight_core.plugin.log_tables"],
    "worker": ["insight_core.plugin.worker"],
    "testing": ["insight_core.plugin.testing"],
    "reading": ["insight_host.logs", "insight_host.tables", "insight_host.records"],
}
_OTHER_HOOK_NAMES = {"hookspec", "hookimpl"}  # hookimpl is described with insight_core.plugin

_LONGEST = 100  # characters of a constant that is shown with its value

Definition = ast.ClassDef | ast.FunctionDef | ast.Assign | ast.AnnAssign


@cache
def _parsed(module: str) -> tuple[ast.Module, list[str]]:
    path = ROOT / module.replace(".", "/")
    text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    return ast.parse(text), text.splitlines()


def _defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return [node.name]
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign) and not ast.unparse(node.value).startswith("TypeVar("):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


def public_names(module: str) -> list[str]:
    """The public names of a module: ``__all__``, else what it defines itself without an underline."""
    tree, _ = _parsed(module)
    names = []
    for node in tree.body:
        if _defined_names(node) == ["__all__"]:
            listed: list[str] = ast.literal_eval(node.value)  # type: ignore[attr-defined]
            return sorted(listed, key=str.lower)
        names += [name for name in _defined_names(node) if not name.startswith("_")]
    return [name for name in dict.fromkeys(names) if name not in _OTHER_HOOK_NAMES]


def definitions(module: str, name: str) -> tuple[str, list[Definition]]:
    """Where a name is defined, following imports, and its definitions: several of an overloaded function."""
    tree, _ = _parsed(module)
    found = [node for node in tree.body if name in _defined_names(node)]
    if found:
        return module, found  # type: ignore[return-value]
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    inner = f"{node.module}.{alias.name}"
                    if (ROOT / inner.replace(".", "/")).with_suffix(".py").is_file():
                        return inner, []  # a module, which has a section of its own
                    return definitions(node.module, alias.name)
    raise LookupError(f"{module} does not define {name}")


def comment_of(module: str, node: ast.stmt) -> str:
    """The comment at the end of the last line of a statement."""
    _, lines = _parsed(module)
    inline = re.search(r"  # (?!type:|noqa)(.*)$", lines[node.end_lineno - 1 if node.end_lineno else 0])
    return inline[1] if inline else ""


def documentation(module: str, nodes: Iterable[Definition]) -> str:
    """Docstring of a class or function, comment of a constant."""
    texts = [
        (ast.get_docstring(node) or "")
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        else comment_of(module, node)
        for node in nodes
    ]
    return next(filter(None, texts), "")


def undocumented() -> list[str]:
    """Public names, and public methods of public classes, without a docstring or comment."""
    missing = []
    for module in (module for modules in PAGES.values() for module in modules):
        for name in public_names(module):
            place, nodes = definitions(module, name)
            if nodes and not documentation(place, nodes):
                missing.append(f"{module}.{name}")
            for node in nodes:
                if isinstance(node, ast.ClassDef):
                    missing += [
                        f"{module}.{name}.{method.name}"
                        for method in _methods(node)
                        if not ast.get_docstring(method) and method.name not in _described_methods(node)
                    ]
    return missing


def _described_methods(node: ast.ClassDef) -> set[str]:
    """The methods of a class that the protocol it implements describes."""
    _, [protocol] = definitions("insight_core.plugin.data", "DataProvider")
    assert isinstance(protocol, ast.ClassDef)
    described = {method.name for method in _methods(protocol)}
    is_another = node is not protocol and described <= {method.name for method in _methods(node)}
    return described if is_another else set()


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    own = [one for one in node.body if isinstance(one, ast.FunctionDef)]
    return [one for one in own if not one.name.startswith("_") or one.name == "__call__"]


def _signature(node: ast.FunctionDef, name: str) -> str:
    text = f"{name}({ast.unparse(node.args)})"
    return text if node.returns is None else f"{text} -> {ast.unparse(node.returns)}"


def _fields(module: str, node: ast.ClassDef) -> Iterator[str]:
    """Fields of an attrs class and members of an enum, a line each."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and not ast.unparse(one.target).startswith("_"):
            line = f"{ast.unparse(one.target)}: {ast.unparse(one.annotation)}"
            default = _default(one.value)
        elif isinstance(one, ast.Assign) and not ast.unparse(one.targets[0]).startswith("_"):
            line, default = ast.unparse(one.targets[0]), ast.unparse(one.value)
        else:
            continue
        comment = comment_of(module, one)
        yield line + (f" = {default}" if default else "") + (f"  # {comment}" if comment else "")


def _default(value: ast.expr | None) -> str:
    """What a field has if it is not given: of ``field(...)`` the default or the factory."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        given = {one.arg: one.value for one in value.keywords}
        if "factory" in given:
            return f"{ast.unparse(given['factory'])}()"
        return ast.unparse(given["default"]) if "default" in given else ""
    return "" if value is None else ast.unparse(value)


def _text(docstring: str) -> str:
    """A docstring as Markdown: sections of numpy's style become lists, examples stay indented."""
    text = inspect.cleandoc(docstring).replace("``", "`")
    parts = re.split(r"^(Parameters|Returns|Raises|Yields|Notes)\n-+\n", text, flags=re.M)
    written = [parts[0].rstrip()]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        items = re.sub(r"^(\S[^\n]*?) : ([^\n]*)$", r"- `\1` (\2):", body.rstrip(), flags=re.M)
        items = re.sub(r"^(?!- )(\S[^\n]*)$", r"- \1", items, flags=re.M)
        written.append(f"**{title}**\n\n" + re.sub(r"^ {4}", "  ", items, flags=re.M))
    return "\n\n".join(filter(None, written))


def _entry(module: str, name: str) -> Iterator[str]:
    place, nodes = definitions(module, name)
    if not nodes:
        return
    node = nodes[-1]
    yield f"### `{name}`"
    code: list[str] = []
    if isinstance(node, ast.FunctionDef):
        code = [_signature(one, name) for one in nodes if isinstance(one, ast.FunctionDef)]
        code = code[:-1] if len(code) > 1 else code  # of an overloaded function the overloads
    elif isinstance(node, ast.ClassDef):
        bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
        code = [f"class {name}{bases}", *(f"    {line}" for line in _fields(place, node))]
    else:
        text = ast.unparse(node)
        code = [text if len(text) <= _LONGEST else f"{text.partition(' = ')[0]} = ..."]
    yield "```python\n" + "\n".join(code) + "\n```"
    yield _text(documentation(place, nodes))
    if isinstance(node, ast.ClassDef):
        for method in _methods(node):
            kind = {ast.unparse(one) for one in method.decorator_list}
            head = method.name if "property" in kind else _signature(method, method.name)
            if documented := ast.get_docstring(method):
                yield f"**`{head}`**"
                yield _text(documented)


def page(name: str) -> str:
    """The text of a page."""
    modules = PAGES[name]
    parts = [
        f"# `{modules[0]}`",
        "Written by `docs/reference/api/write.py` from signatures and docstrings; do not edit it.",
    ]
    for module in modules:
        tree, _ = _parsed(module)
        parts += [f"## `{module}`", _text(ast.get_docstring(tree) or "")]
        for one in public_names(module):
            parts += _entry(module, one)
    return "\n\n".join(filter(None, parts)) + "\n"


def main() -> None:
    for name in PAGES:
        (PLACE / f"{name}.md").write_text(page(name), encoding="utf-8")


if __name__ == "__main__":
    main()
