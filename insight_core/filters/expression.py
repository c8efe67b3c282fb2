"""Parser of filter expressions: ``lr < 0.01 and "metric/Accuracy" > 0.9``.

::

    either     = both {"or" both}
    both       = negated {"and" negated}
    negated    = "not" negated | "(" either ")" | comparison
    comparison = column (("=" | "==" | "!=" | "<>" | "<" | ">" | "<=" | ">=") value
                         | ["not"] "in" "(" [value {"," value}] ")")
    column     = word | quoted
    value      = number | quoted | "true" | "false" | "null" | "nan" | "inf" | "-inf"

Words of the grammar are read in small letters and capitals; a column that is called like one is quoted.
Nothing is ever evaluated as a program.
"""

from __future__ import annotations

import re

from attrs import define, frozen

from insight_core.filters.conditions import (
    CONSTANTS,
    PLAIN_WORD,
    RESERVED,
    All,
    Any,
    Comparison,
    Condition,
    ExpressionError,
    Not,
)
from insight_record.formats.reason import Reason, ReasonKind

LONGEST = 10_000  # characters
_LONGEST_INTEGER = 30  # digits: no column has longer ones
_DEEPEST = 50  # levels of parentheses and "not"
_TOKEN = re.compile(
    rf"""\s*(?:
        (?P<quoted>"(?:[^"]|"")*"|'(?:[^']|'')*')
      | (?P<number>[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![\w.]))
      | (?P<infinite>[-+]inf\b)
      | (?P<word>{PLAIN_WORD.pattern})
      | (?P<sign><=|>=|==|!=|<>|[<>=(),\[\]])
    )""",
    re.VERBOSE,
)
_OPERATORS = {
    "=": "eq",
    "==": "eq",
    "!=": "ne",
    "<>": "ne",
    "<": "lt",
    ">": "gt",
    "<=": "le",
    ">=": "ge",
}
_CLOSING = {"(": ")", "[": "]"}
_EXPRESSION_LONG = ReasonKind("expression_long", "it has more than {most} characters")
_EXPRESSION_DEEP = ReasonKind("expression_deep", "it is more than {most} levels deep")
_EXPRESSION_TEXT = ReasonKind(
    "expression_text", "a value is expected, not {found}; a text is written in quotes: {text}"
)


@frozen
class _Token:
    kind: str  # quoted, number, infinite, word, sign, or end
    text: str
    position: int

    @property
    def keyword(self) -> str:
        """The word of the grammar that it is, or the sign; else empty."""
        if self.kind == "word":
            lower = self.text.lower()
            return lower if lower in RESERVED else ""
        return self.text if self.kind == "sign" else ""

    @property
    def found(self) -> str:
        """As errors say what is there."""
        return Reason("the end", "expression_end") if self.kind == "end" else repr(self.text)


def parsed(text: str) -> Condition:
    """Raises ExpressionError."""
    if len(text) > LONGEST:
        reason = _EXPRESSION_LONG(most=LONGEST)
        raise ExpressionError(reason, LONGEST)
    reader = _Reader(_tokens(text))
    condition = reader.either(0)
    if reader.next.kind != "end":
        raise _expected("'and' or 'or'", reader.next)
    return condition


def _tokens(text: str) -> list[_Token]:
    tokens = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            mark = text[position]
            if mark in "'\"":
                raise ExpressionError(Reason("a quote is not closed", "expression_quote"), position)
            reason = Reason(f"{mark!r} is not understood", "expression_sign", sign=repr(mark))
            raise ExpressionError(reason, position)
        kind = match.lastgroup or ""
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


@define
class _Reader:
    tokens: list[_Token]
    place: int = 0

    @property
    def next(self) -> _Token:
        return self.tokens[self.place]

    def take(self) -> _Token:
        token = self.next
        self.place += token.kind != "end"
        return token

    def took(self, keyword: str) -> bool:
        if self.next.keyword != keyword:
            return False
        self.place += 1
        return True

    def either(self, depth: int) -> Condition:
        parts = [self.both(depth)]
        while self.took("or"):
            parts.append(self.both(depth))
        return parts[0] if len(parts) == 1 else Any(parts)

    def both(self, depth: int) -> Condition:
        parts = [self.negated(depth)]
        while self.took("and"):
            parts.append(self.negated(depth))
        return parts[0] if len(parts) == 1 else All(parts)

    def negated(self, depth: int) -> Condition:
        token = self.next
        if depth > _DEEPEST:
            reason = _EXPRESSION_DEEP(most=_DEEPEST)
            raise ExpressionError(reason, token.position)
        if self.took("not"):
            return Not(self.negated(depth + 1))
        if self.took("("):
            inner = self.either(depth + 1)
            self.close(")", "'and', 'or' or ')'")
            return inner
        return self.comparison()

    def comparison(self) -> Comparison:
        token = self.take()
        if token.kind == "quoted":
            column = _unquoted(token)
        elif token.kind == "word" and not token.keyword:
            column = token.text
        else:
            raise _expected(Reason("a column", "expression_column"), token)
        sign = self.take()
        if sign.keyword in _OPERATORS:
            return Comparison(column, _OPERATORS[sign.keyword], self.value(), token.position)
        negated = sign.keyword == "not"
        if negated:
            sign = self.take()
        if sign.keyword != "in":
            operator = Reason("an operator (= != < > <= >= in)", "expression_operator")
            raise _expected("'in'" if negated else operator, sign, after=repr(column))
        return Comparison(column, "not_in" if negated else "in", self.values(), token.position)

    def values(self) -> list[object]:
        opening = self.take()
        if opening.keyword not in _CLOSING:
            raise _expected("'('", opening, after="'in'")
        closing = _CLOSING[opening.keyword]
        if self.took(closing):
            return []
        values = [self.value()]
        while self.took(","):
            values.append(self.value())
        self.close(closing, f"',' or {closing!r}")
        return values

    def value(self) -> object:
        token = self.take()
        if token.kind == "quoted":
            return _unquoted(token)
        if token.kind in ("number", "infinite"):
            return _number(token.text)
        if token.keyword in CONSTANTS:
            return CONSTANTS[token.keyword]
        if token.kind != "word":
            raise _expected(Reason("a value", "expression_value"), token)
        text = f"'{token.text}'"
        raise ExpressionError(_EXPRESSION_TEXT(found=token.found, text=text), token.position)

    def close(self, keyword: str, expected: str) -> None:
        if not self.took(keyword):
            raise _expected(expected, self.next)


def _expected(what: str, token: _Token, *, after: str = "") -> ExpressionError:
    """``what`` is what could stand there, signs of the grammar in quotes."""
    details: dict[str, object] = {"expected": what, "found": token.found}
    if after:
        text = f"{what} is expected after {after}, not {token.found}"
        reason = Reason(text, "expression_expected_after", **details, after=after)
    else:
        reason = Reason(f"{what} is expected, not {token.found}", "expression_expected", **details)
    return ExpressionError(reason, token.position)


def _number(text: str) -> int | float:
    """An integer stays one: as a float it may be another."""
    digits = text.lstrip("+-")
    return int(text) if digits.isdecimal() and len(digits) <= _LONGEST_INTEGER else float(text)


def _unquoted(token: _Token) -> str:
    mark = token.text[0]
    return token.text[1:-1].replace(mark * 2, mark)
