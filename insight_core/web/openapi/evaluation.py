"""Goes through a function as a request would, as far as values are known without one."""

from __future__ import annotations

import ast
import operator
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from insight_core.web.openapi.facts import TEXT, ViewFacts
from insight_core.web.openapi.source import Function, attribute_of


class Mark:
    """A value that stands for something at the time of a request."""


UNKNOWN, REQUEST, ARGUMENTS, HEADERS, QUERY = (Mark() for _ in range(5))
_OF_REQUEST = {"args": ARGUMENTS, "headers": HEADERS, "query_string": QUERY}
_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: operator.lshift,
    ast.USub: operator.neg,
}
_MOST_LOOPS = 50  # over values that are known


class FunctionWalk(ast.NodeVisitor):
    """One function. ``sure``: whether a request comes to this place in any case."""

    def __init__(self, function: Function, facts: ViewFacts, given: Mapping[str, Any]) -> None:
        self._function, self._facts = function, facts
        parameters = function.parameters
        self._local: dict[str, Any] = {**dict.fromkeys(parameters, UNKNOWN), **function.defaults}
        self._local.update(zip(parameters, function.bound, strict=False))
        self._local.update({**function.named, **given})
        self.sure = True

    def begin(self) -> None:
        """Goes through a view: the first argument that is not bound is the request."""
        free = self._function.parameters[len(self._function.bound) :]
        self._local |= dict.fromkeys(free[:1], REQUEST)
        self.go()

    def go(self) -> None:
        """Evaluates the statements of the function."""
        body = self._function.definition.body
        self._all(body if isinstance(body, list) else [body])

    # --- statements ---

    def _all(self, body: Sequence[ast.AST]) -> None:
        before = self.sure
        for statement in body:
            self.visit(statement)
            if isinstance(statement, ast.If) and any(isinstance(n, ast.Return) for n in ast.walk(statement)):
                self.sure = False  # what follows is for the other requests
        self.sure = before

    def _perhaps(self, *parts: ast.AST | Sequence[ast.AST]) -> None:
        before, self.sure = self.sure, False
        for part in parts:
            self._all(part if isinstance(part, Sequence) else [part])
        self.sure = before

    def visit_If(self, node: ast.If) -> None:
        test = self.value(node.test)
        if isinstance(test, bool) and isinstance(node.test, ast.Compare | ast.BoolOp):
            self._all(node.body if test else node.orelse)
            return
        match node.body:
            case [ast.Raise(exc=ast.Call(keywords=keywords))] if not isinstance(node.test, ast.BoolOp):
                said = {each.arg: self.value(each.value) for each in keywords}
                if said.get("code") == "missing_parameter" and isinstance(said.get("name"), str):
                    self._facts.read(said["name"], required=self.sure)
        self._perhaps(node.body, node.orelse)

    def visit_For(self, node: ast.For) -> None:
        self._for_each(node.target, node.iter, lambda: self._all(node.body))

    def visit_While(self, node: ast.While) -> None:
        self.value(node.test)
        self._perhaps(node.body)

    def visit_Try(self, node: ast.Try) -> None:
        self._all(node.body)
        self._perhaps(*(handler.body for handler in node.handlers), node.orelse)
        self._all(node.finalbody)

    def visit_With(self, node: ast.With) -> None:
        for item in node.items:
            self.value(item.context_expr)
        self._all(node.body)

    def visit_Match(self, node: ast.Match) -> None:
        self.value(node.subject)
        self._perhaps(*(case.body for case in node.cases))

    def visit_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._bind(target, value)
            if isinstance(target, ast.Attribute) and target.attr == "status_code" and isinstance(value, int):
                self._facts.statuses.add(value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self.value(node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """A function within: it is called at some time, with the request if that is what it takes."""
        outer = dict(self._local)
        for each in node.args.args:
            is_request = isinstance(each.annotation, ast.Name) and each.annotation.id == "Request"
            self._local[each.arg] = REQUEST if is_request else UNKNOWN
        self._all(node.body)
        self._local = {**outer, node.name: UNKNOWN}

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._local[node.name] = UNKNOWN

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.expr):
            self.value(node)
        else:
            super().generic_visit(node)

    def _bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self._local[target.id] = value
        elif isinstance(target, ast.Tuple):
            is_known = isinstance(value, tuple) and len(value) == len(target.elts)
            for place, each in enumerate(target.elts):
                self._bind(each, cast("tuple[Any, ...]", value)[place] if is_known else UNKNOWN)

    def _for_each(self, target: ast.expr, among: ast.expr, do: Callable[[], None]) -> None:
        found = self.value(among)
        is_known = isinstance(found, tuple | list) and 0 < len(found) <= _MOST_LOOPS
        before, self.sure = self.sure, self.sure and is_known
        for value in found if is_known else [UNKNOWN]:
            self._bind(target, value)
            do()
        self.sure = before

    # --- expressions ---

    def value(self, node: ast.AST) -> Any:  # noqa: ANN401
        """What an expression is worth, UNKNOWN if that depends on the request or on the data."""
        method = getattr(self, f"_of_{type(node).__name__}", None)
        if method is not None:
            return method(node)
        for child in ast.iter_child_nodes(node):
            self.value(child) if isinstance(child, ast.expr) else self.visit(child)
        return UNKNOWN

    def _of_Constant(self, node: ast.Constant) -> object:
        return node.value

    def _of_Name(self, node: ast.Name) -> Any:  # noqa: ANN401
        return self._local.get(node.id, self._function.names.get(node.id, UNKNOWN))

    def _of_Attribute(self, node: ast.Attribute) -> Any:  # noqa: ANN401
        owner = self.value(node.value)
        if owner is REQUEST:
            return _OF_REQUEST.get(node.attr, UNKNOWN)
        return UNKNOWN if isinstance(owner, Mark) else attribute_of(owner, node.attr, UNKNOWN)

    def _of_Tuple(self, node: ast.Tuple | ast.List) -> object:
        values = [self.value(each.value if isinstance(each, ast.Starred) else each) for each in node.elts]
        is_known = not any(isinstance(each, Mark) for each in values)
        return (
            tuple(values) if is_known and not any(isinstance(e, ast.Starred) for e in node.elts) else UNKNOWN
        )

    _of_List = _of_Tuple

    def _of_Dict(self, node: ast.Dict) -> object:
        values = [self.value(each) for each in node.values]
        keys = [UNKNOWN if each is None else self.value(each) for each in node.keys]
        is_known = all(isinstance(each, str) for each in keys)
        return dict(zip(keys, values, strict=True)) if is_known else UNKNOWN

    def _of_JoinedStr(self, node: ast.JoinedStr) -> object:
        parts = [self.value(each) for each in node.values]
        return UNKNOWN if any(isinstance(each, Mark) for each in parts) else "".join(map(str, parts))

    def _of_FormattedValue(self, node: ast.FormattedValue) -> object:
        return self.value(node.value)

    def _of_BinOp(self, node: ast.BinOp) -> object:
        return self._computed(_OPERATORS.get(type(node.op)), self.value(node.left), self.value(node.right))

    def _of_UnaryOp(self, node: ast.UnaryOp) -> object:
        return self._computed(_OPERATORS.get(type(node.op)), self.value(node.operand))

    def _computed(self, compute: Callable[..., Any] | None, *values: object) -> object:
        if compute is None or not all(isinstance(each, int | float | str | tuple) for each in values):
            return UNKNOWN
        return compute(*values)

    def _of_IfExp(self, node: ast.IfExp) -> object:
        self.value(node.test)
        self._perhaps(node.body, node.orelse)
        return UNKNOWN

    def _of_BoolOp(self, node: ast.BoolOp) -> object:
        values = [self.value(node.values[0])]
        before, self.sure = self.sure, False
        values += [self.value(each) for each in node.values[1:]]
        self.sure = before
        if not all(isinstance(each, ast.Compare) for each in node.values) or UNKNOWN in values:
            return UNKNOWN
        return any(values) if isinstance(node.op, ast.Or) else all(values)

    def _of_NamedExpr(self, node: ast.NamedExpr) -> object:
        value = self.value(node.value)
        self._bind(node.target, value)
        return value

    def _of_Compare(self, node: ast.Compare) -> object:
        left, *right = [self.value(each) for each in (node.left, *node.comparators)]
        if ARGUMENTS in right and isinstance(left, str):
            self._facts.read(left)
        match node:  # of arguments: fields may change until the request comes
            case ast.Compare(left=ast.Name(), ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                return UNKNOWN if isinstance(left, Mark) else left is None
        return UNKNOWN

    def _of_Subscript(self, node: ast.Subscript) -> object:
        owner, name = self.value(node.value), self.value(node.slice)
        if owner is ARGUMENTS and isinstance(name, str):
            self._facts.read(name, TEXT, required=self.sure)
        return UNKNOWN

    def _of_ListComp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> object:
        def inner(generators: Sequence[ast.comprehension]) -> None:
            if not generators:
                for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                    self.value(part)
                return
            first, *others = generators

            def each() -> None:
                self._perhaps(*first.ifs)
                self.sure = self.sure and not first.ifs
                inner(others)

            self._for_each(first.target, first.iter, each)

        before = dict(self._local)
        inner(node.generators)
        self._local = before
        return UNKNOWN

    _of_SetComp = _of_GeneratorExp = _of_DictComp = _of_ListComp

    @abstractmethod
    def _of_Call(self, node: ast.Call) -> object: ...
