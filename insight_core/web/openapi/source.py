"""The source of functions as syntax trees, and which names in it mean what."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeAlias

from attrs import frozen

from insight_core.references import Reference

Definition: TypeAlias = ast.FunctionDef | ast.Lambda


@frozen(eq=False)
class Function:
    """A Python function: its definition, the arguments that are bound already, and its names."""

    definition: Definition
    code: CodeType
    bound: tuple[Any, ...]
    named: Mapping[str, Any]
    defaults: Mapping[str, Any]
    names: Mapping[str, Any]  # of its module, and of the functions around it
    module: str

    @property
    def parameters(self) -> list[str]:
        """Names of its parameters, in order."""
        arguments = self.definition.args
        return [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def function_of(target: object) -> Function | None:
    """The function behind a reference, a method and ``partial``. None for anything that is not in Python."""
    bound: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    while not isinstance(target, FunctionType):
        if isinstance(target, Reference):
            try:
                target = target.resolve()
            except ImportError:  # an extra that is not installed
                return None
        elif isinstance(target, partial):
            bound, named, target = (*target.args, *bound), {**target.keywords, **named}, target.func
        elif isinstance(target, MethodType):
            bound, target = (target.__self__, *bound), target.__func__
        else:
            return None
    definition = _definition(target.__code__)
    if definition is None:
        return None
    cells = dict(zip(target.__code__.co_freevars, target.__closure__ or (), strict=True))
    names = {**vars(builtins), **target.__globals__, **{name: _content(cell) for name, cell in cells.items()}}
    return Function(definition, target.__code__, bound, named, _defaults(target), names, target.__module__)


def summary_of(target: object) -> str:
    """The first line of the docstring of a function; empty without one."""
    found = function_of(target)
    if found is None or isinstance(found.definition, ast.Lambda):
        return ""
    return (ast.get_docstring(found.definition) or "").partition("\n\n")[0].replace("\n", " ")


def _defaults(function: FunctionType) -> dict[str, Any]:
    code, given = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    last = positional[len(positional) - len(given) :]
    return {**dict(zip(last, given, strict=True)), **(function.__kwdefaults__ or {})}


def _content(cell: Any) -> Any:  # noqa: ANN401  whatever the function closes over
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _definition(code: CodeType) -> Definition | None:
    return _definitions(code.co_filename).get((code.co_firstlineno, code.co_name))


@cache
def _definitions(file: str) -> dict[tuple[int, str], Definition]:
    """By first line, which is that of a decorator, and name. Nothing where there is no source."""
    try:
        with open(file, encoding="utf-8") as source:
            tree = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    return dict(_each(tree))


def _each(tree: ast.AST) -> Iterator[tuple[tuple[int, str], Definition]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            yield (first, node.name), node
        elif isinstance(node, ast.Lambda):
            yield (node.lineno, "<lambda>"), node


@frozen(eq=False)
class Instance:
    """Some object of a class, of which nothing else is known."""

    of: type


def attribute_of(owner: object, name: str, missing: object) -> Any:  # noqa: ANN401
    """An attribute that is there without running code of a property; else ``missing``."""
    if isinstance(owner, Instance):
        found = inspect.getattr_static(owner.of, name, missing)
        if isinstance(found, FunctionType):
            return partial(found, owner)
        return getattr(owner.of, name) if isinstance(found, classmethod | staticmethod) else missing
    static = inspect.getattr_static(owner, name, missing)
    if isinstance(static, property) or static is missing:
        return missing
    return getattr(owner, name, missing)


def arguments_of(call: Callable[..., Any], values: list[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by the names of the parameters that they are for."""
    try:
        given = inspect.signature(call).bind_partial(*values, **named)
    except (TypeError, ValueError):
        return {}
    return dict(given.arguments)
