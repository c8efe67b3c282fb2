"""Parses and evaluates expressions over tags: ``train/loss - val/loss``, ``exp("my loss")``.

Grammar, loosest binding first: ``+ -``, ``* /``, a sign, ``** ^`` (to the right), then numbers, names, calls
and parentheses. There is nothing else: no attribute, no index, no assignment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from insight_core.plugin import InvalidArgument
from insight_core.plugin.filters import ColumnName, NoColumn, resolved

MAX_LENGTH = 1000  # characters
_MAX_DEPTH = 40  # of parentheses and signs in each other

Floats: TypeAlias = NDArray[np.float64]
Evaluate: TypeAlias = Callable[[Mapping[str, Floats]], Floats]

_ONE: dict[str, Callable[[Floats], Floats]] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "cumsum": np.cumsum,
    "cummin": np.fmin.accumulate,
    "cummax": np.fmax.accumulate,
    "cummean": lambda values: np.cumsum(values) / np.arange(1, len(values) + 1),
    "diff": lambda values: np.diff(values, prepend=np.nan),
}
_SEVERAL: dict[str, np.ufunc] = {"min": np.minimum, "max": np.maximum}
FUNCTIONS = (*_ONE, *_SEVERAL)
VARIABLES = ("step", "relative", "wall")  # Of a point: its step, seconds since the run began, its wall time.

_OPERATORS: dict[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "^": np.power,
}
_TOKEN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"""
    r"""|(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
    r"""|(?P<word>[^\W\d][\w./:-]*)"""
    r"""|(?P<sign>\*\*|[-+*/^(),]))"""
)
EXPRESSION_CODES: Mapping[int, Sequence[str]] = {  # Of errors in an expression, by status.
    400: (
        "expression_arguments",
        "expression_constant",
        "expression_deep",
        "expression_end",
        "expression_expected",
        "expression_long",
        "expression_unexpected",
    )
}


@frozen(eq=False)
class Expression:
    """A parsed expression. ``text`` is the same with every tag in double quotes: it parses without names."""

    text: str
    tags: tuple[str, ...]
    evaluate: Evaluate  # arrays of equal length by tag and variable; warnings of numpy are the caller's


def parsed(text: str, known: Callable[[], Collection[str]]) -> Expression:
    """Parses an expression; ``known()`` names the tags that may stand in it without quotes.

    Of ``a/b-c`` the longest part that is a tag is one, or else the longest that ends one tag alone, as in
    filters of runs (``resolved``). Raises InvalidArgument with a sentence; ``code`` is ``expression_`` and a
    word for the cause, ``details`` have its values, ``position`` (from 1) and ``suggestions``.
    """
    _check_length(text)
    found = _Parser(text, cache(known)).whole()
    _check_length(found.text)  # with quotes it may be longer, and it has to parse again
    return found


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        where = f"an expression has at most {MAX_LENGTH} characters with quotes, not {len(text)}"
        raise _refusal("long", where, most=MAX_LENGTH)


@frozen
class _Token:
    kind: str
    text: str
    position: int  # from 1
    tag: str = ""  # that the text means


class _Parser:
    def __init__(self, text: str, known: Callable[[], Collection[str]]) -> None:
        self._known = known
        self._tokens = list(self._tokenised(text))
        self._at = 0
        self._depth = 0
        self._tags: dict[str, None] = {}

    def whole(self) -> Expression:
        text, evaluate = self._sum()
        token = self._tokens[self._at]
        if token.kind != "end":
            raise self._unexpected(token)
        if not self._tags:
            raise _refusal("constant", "an expression needs a tag, and this one has none")
        return Expression(text, tuple(self._tags), evaluate)

    def _sum(self) -> tuple[str, Evaluate]:
        return self._left(("+", "-"), lambda: self._left(("*", "/"), self._signed))

    def _left(
        self, signs: tuple[str, ...], operand: Callable[[], tuple[str, Evaluate]]
    ) -> tuple[str, Evaluate]:
        text, left = operand()
        while (sign := self._sign(*signs)) is not None:
            more, right = operand()
            text, left = f"{text} {sign} {more}", _combined(_OPERATORS[sign], left, right)
        return text, left

    def _signed(self) -> tuple[str, Evaluate]:
        sign = self._sign("-", "+")
        if sign is None:
            return self._power()
        text, operand = self._nested(self._signed)
        return (f"-{text}", lambda values: -operand(values)) if sign == "-" else (text, operand)

    def _power(self) -> tuple[str, Evaluate]:
        text, base = self._atom()
        if self._sign("**", "^") is None:
            return text, base
        more, exponent = self._nested(self._signed)
        return f"{text}**{more}", _combined(np.power, base, exponent)

    def _atom(self) -> tuple[str, Evaluate]:
        token = self._next()
        if token.kind == "number":
            number = np.float64(token.text)
            return token.text, lambda values: np.full(len(values["step"]), number)
        if token.kind == "quoted":
            return self._tag(_unquoted(token))
        if token.kind == "tag":
            return self._tag(token.tag)
        if token.kind == "variable":
            return token.text, lambda values: values[token.text]
        if token.kind == "function":
            return self._call(token)
        if token.text == "(":
            text, inside = self._nested(self._sum)
            self._expect(")")
            return f"({text})", inside
        raise self._unexpected(token)

    def _tag(self, name: str) -> tuple[str, Evaluate]:
        self._tags[name] = None
        return json.dumps(name, ensure_ascii=False), lambda values: values[name]

    def _call(self, token: _Token) -> tuple[str, Evaluate]:
        name = token.text
        self._expect("(")
        found = [self._nested(self._sum)]
        while self._sign(",") is not None:
            found.append(self._nested(self._sum))
        self._expect(")")
        least, most = (1, 1) if name in _ONE else (2, 20)
        if not least <= len(found) <= most:
            wanted = "1 value" if least == most else "2 or more values"
            where = f"{name}() takes {wanted}, not {len(found)}"
            raise _refusal(
                "arguments", where, position=token.position, name=name, count=len(found), least=least
            )
        text = f"{name}({', '.join(text for text, _ in found)})"
        if name in _ONE:
            function, [(_, operand)] = _ONE[name], found
            return text, lambda values: function(operand(values))
        folded = found[0][1]
        for _, operand in found[1:]:
            folded = _combined(_SEVERAL[name], folded, operand)
        return text, folded

    def _nested(self, parse: Callable[[], tuple[str, Evaluate]]) -> tuple[str, Evaluate]:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            position = self._tokens[self._at].position
            raise _refusal("deep", "too many parts in each other", position=position)
        found = parse()
        self._depth -= 1
        return found

    def _next(self) -> _Token:
        token = self._tokens[self._at]
        self._at += token.kind != "end"
        return token

    def _sign(self, *signs: str) -> str | None:
        token = self._tokens[self._at]
        if token.kind != "sign" or token.text not in signs:
            return None
        self._at += 1
        return token.text

    def _expect(self, sign: str) -> None:
        if self._sign(sign) is None:
            token = self._tokens[self._at]
            found = token.text or "the end"
            where = f"expected {sign!r}, found {found}"
            raise _refusal("expected", where, position=token.position, wanted=sign)

    def _unexpected(self, token: _Token) -> InvalidArgument:
        if token.kind == "end":
            where = "a value is missing at the end"
            return _refusal("end", where, position=token.position)
        where = f"unexpected {token.text!r}"
        return _refusal("unexpected", where, position=token.position, found=token.text)

    def _tokenised(self, text: str) -> Iterator[_Token]:
        at, end = 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                at += len(text[at:]) - len(text[at:].lstrip())
                raise self._unexpected(_Token("sign", text[at], at + 1))
            kind = match.lastgroup or ""
            start = match.start(kind)
            token = _Token(kind, match[kind], start + 1)
            if kind == "word":
                token = self._named(token, text[match.end() :].lstrip().startswith("("))
            yield token
            at = start + len(token.text)
        yield _Token("end", "", end + 1)

    def _named(self, token: _Token, called: bool) -> _Token:
        """What a word begins with: a call of a function, the longest tag, or a variable."""
        word = token.text
        if called and word in FUNCTIONS:
            return _Token("function", word, token.position)
        names = self._known()
        ends = sorted({match.start() for match in re.finditer(r"(?<=\w)(?=[./:-])|$", word)} | {len(word)})
        parts = [word[:end] for end in reversed(ends)]
        for part in parts:
            if part in names:
                return _Token("tag", part, token.position, part)
            if part in VARIABLES:
                return _Token("variable", part, token.position)
        tags = list(map(ColumnName, sorted(names)))
        for part in parts:
            with suppress(NoColumn):
                return _Token("tag", part, token.position, resolved(part, tags).name)
        unknown = NoColumn(word, [*tags, *map(ColumnName, (*VARIABLES, *FUNCTIONS))])
        close = unknown.similar[0] if unknown.similar else ""
        hint = f". Try: {', '.join(unknown.similar)}" if close else ""
        details = {"name": word, "close": close, "suggestions": unknown.similar}
        raise _refusal("name", f"no tag {word}{hint}", position=token.position, **details)


def _combined(ufunc: np.ufunc, left: Evaluate, right: Evaluate) -> Evaluate:
    return lambda values: ufunc(left(values), right(values))


def _unquoted(token: _Token) -> str:
    if token.text[0] == '"':  # as JSON, of which the text of an expression is made
        try:
            return str(json.loads(token.text))
        except ValueError:
            pass
    return re.sub(r"\\(.)", r"\1", token.text[1:-1])


def _refusal(cause: str, text: str, **details: object) -> InvalidArgument:
    return InvalidArgument(f"expression: {text}", code=f"expression_{cause}", **details)
