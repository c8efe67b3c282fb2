"""Finds what a view reads, answers and raises, from its source.

A view declares its parameters where it reads them, by the functions of ``plugin.http``. That they
need not be declared a second time, the calls of these functions are followed: from the view through the
functions of its package, with the objects that they belong to, so that bounds that are constants, fields or
arguments have their values. Nothing is called but functions such as ``min``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast, get_args

from werkzeug import Request
from werkzeug.exceptions import HTTPException

from insight_core.plugin import InsightError, ReasonKind
from insight_core.plugin.data import compute
from insight_core.web.openapi.evaluation import (
    ARGUMENTS,
    HEADERS,
    QUERY,
    REQUEST,
    UNKNOWN,
    FunctionWalk,
    Mark,
)
from insight_core.web.openapi.facts import ANSWERS, BODY_OF, READERS, TEXT, TEXTS, ViewFacts
from insight_core.web.openapi.source import Function, Instance, arguments_of, function_of

_DEEPEST = 12  # calls within calls
_OURS = (
    "insight_core.http.",
    "insight_core.histogram_routes",
    "insight_core.own_page",
    "insight_core.web.",
)
_COMPUTED = (min, max, len, tuple, list, get_args)  # functions whose result is a value

_PARTS = ("items", "keys", "values")  # of a mapping


def facts_of(view: Callable[..., Any]) -> ViewFacts:
    """What the source of a view says; nothing if the source is missing."""
    facts = ViewFacts()
    found = function_of(view)
    if found is not None:
        request = found.parameters[len(found.bound) :][:1]
        _Calls(found, facts, dict.fromkeys(request, REQUEST), found.module.partition(".")[0]).go()
    return facts


class _Calls(FunctionWalk):
    """One function of a view, and those that it calls."""

    def __init__(self, function: Function, facts: ViewFacts, given: Mapping[str, Any], package: str) -> None:
        super().__init__(function, facts, given)
        self._package = package
        self._seen: set[Any] = set()
        self._depth = 0

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """What is imported late, because a start needs none of it."""
        if node.module is not None and not node.level and self._is_followed(node.module):
            try:
                module = import_module(node.module)
            except ImportError:  # an extra that is not installed: the view answers that it is missing
                module = None
            for each in node.names:
                self._local[each.asname or each.name] = getattr(module, each.name, UNKNOWN)

    def _of_Call(self, node: ast.Call) -> object:
        call = node.func
        owner = self.value(call.value) if isinstance(call, ast.Attribute) else UNKNOWN
        if owner is ARGUMENTS or owner is HEADERS:
            return self._of_multidict(owner, cast(ast.Attribute, call).attr, node)
        target = self.value(call)
        values = [UNKNOWN if isinstance(each, ast.Starred) else self.value(each) for each in node.args]
        named = {each.arg: self.value(each.value) for each in node.keywords if each.arg is not None}
        for each in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if isinstance(each, ast.Starred):
                self.value(each.value)
        if isinstance(target, Mark):
            return UNKNOWN
        if isinstance(owner, dict) and isinstance(call, ast.Attribute) and call.attr in _PARTS:
            return tuple(getattr(owner, call.attr)())
        if target in _COMPUTED and not named and not any(isinstance(each, Mark) for each in values):
            return self._result(target, values)
        return self._note(target, values, named)

    def _result(self, target: Callable[..., Any], values: Sequence[Any]) -> object:
        try:
            return target(*values)
        except (TypeError, ValueError):
            return UNKNOWN

    def _of_multidict(self, owner: object, method: str, node: ast.Call) -> object:
        name = self.value(node.args[0]) if node.args else UNKNOWN
        for each in node.args[1:]:
            self.value(each)
        if isinstance(name, str) and method in ("get", "getlist"):
            schema, where = (
                (TEXTS if method == "getlist" else TEXT),
                "query" if owner is ARGUMENTS else "header",
            )
            self._facts.read(name, schema, where=where)
        return UNKNOWN

    def _note(self, target: Any, values: list[Any], named: dict[str, Any]) -> object:  # noqa: ANN401
        """What a call says; returns what it gives, as far as that is known."""
        try:
            reader, answer = READERS.get(target), ANSWERS.get(target)
        except TypeError:  # not hashable
            return UNKNOWN
        is_ours = reader is not None or answer is not None or target is compute
        given = arguments_of(target, values, named) if is_ours else {}
        known = {name: value for name, value in given.items() if not isinstance(value, Mark)}
        if reader is not None:
            schema, is_required = reader
            if REQUEST in given.values() and isinstance(known.get("name"), str):
                self._facts.read(known["name"], schema(known), required=is_required and self.sure)
        elif answer is not None:
            self._facts.media_types.add(answer(known))
        elif target is BODY_OF:
            self._facts.has_body = True
        elif target is compute:
            self._into(known.get("here"), [UNKNOWN, given.get("request", UNKNOWN)], {})
        elif isinstance(target, ReasonKind):
            return target  # for the reason that it makes
        elif isinstance(target, type):
            return self._made(target, values, named)
        else:
            return self._into(target, values, named)
        return UNKNOWN

    def _made(self, of: type, values: Sequence[Any], named: Mapping[str, Any]) -> object:
        if issubclass(of, InsightError):
            code = values[0].code if values and isinstance(values[0], ReasonKind) else named.get("code")
            self._facts.raises(of, code if isinstance(code, str) else None)
        elif issubclass(of, HTTPException):
            self._facts.errors.setdefault(of.code or 500, set())
        return Instance(of) if self._is_followed(of.__module__) else UNKNOWN

    def _into(self, target: object, values: list[Any], named: dict[str, Any]) -> object:
        """Follows a call into functions of the package of the view, and of ours for routes."""
        found = function_of(target) if self._depth < _DEEPEST else None
        if found is None or not self._is_followed(found.module):
            return UNKNOWN
        free = found.parameters[len(found.bound) :]
        given = {**dict(zip(free, values, strict=False)), **named}
        # as plain values: of objects, one is as good as another of its class
        key = (
            found.code,
            self.sure,
            *map(_plain, found.bound),
            *((name, _plain(v)) for name, v in given.items()),
        )
        if key not in self._seen:
            self._seen.add(key)
            inner = _Calls(found, self._facts, given, self._package)
            inner.sure, inner._seen, inner._depth = self.sure, self._seen, self._depth + 1
            inner.go()
        return self._returned(found, values)

    def _returned(self, function: Function, values: Sequence[object]) -> object:
        """By the annotation of the function: an object of ours, or a request made of the query of one."""
        if isinstance(function.definition, ast.Lambda) or not isinstance(
            function.definition.returns, ast.Name
        ):
            return UNKNOWN
        of = function.names.get(function.definition.returns.id)
        if of is Request:
            return REQUEST if QUERY in values else UNKNOWN
        return Instance(of) if isinstance(of, type) and self._is_followed(of.__module__) else UNKNOWN

    def _is_followed(self, module: str) -> bool:
        if self._package != "insight_core" and module.partition(".")[0] == self._package:
            return True
        return module.startswith(_OURS)


def _plain(value: object) -> object:
    if isinstance(value, Mark | str | int | float):
        return value
    return type(value) if not isinstance(value, Instance) else value.of
