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

from insight_core.plugin.filters.conditions import (
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

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)


def parsed(text: str) -> Condition:
    """Raises ExpressionError."""
    if len(text) > LONGEST:
        raise ExpressionError(f"it has more than {LONGEST} characters", LONGEST)
    reader = _Reader(_tokens(text))
    condition = reader.either(0)
    if reader.next.kind != "end":
        raise ExpressionError(f"'and' or 'or' is expected, not {reader.next}", reader.next.position)
    return condition


def _tokens(text: str) -> list[_Token]:
    tokens = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            mark = text[position]
            what = "a quote is not closed" if mark in "'\"" else f"{mark!r} is not understood"
            raise ExpressionError(what, position)
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
            raise ExpressionError(f"it is more than {_DEEPEST} levels deep", token.position)
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
            raise ExpressionError(f"a column is expected, not {token}", token.position)
        sign = self.take()
        if sign.keyword in _OPERATORS:
            return Comparison(column, _OPERATORS[sign.keyword], self.value(), token.position)
        negated = sign.keyword == "not"
        if negated:
            sign = self.take()
        if sign.keyword != "in":
            expected = "'in'" if negated else "an operator (= != < > <= >= in)"
            raise ExpressionError(f"{expected} is expected after {column!r}, not {sign}", sign.position)
        return Comparison(column, "not_in" if negated else "in", self.values(), token.position)

    def values(self) -> list[object]:
        opening = self.take()
        if opening.keyword not in _CLOSING:
            raise ExpressionError(f"'(' is expected after 'in', not {opening}", opening.position)
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
        hint = f"; a text is written in quotes: '{token.text}'" if token.kind == "word" else ""
        raise ExpressionError(f"a value is expected, not {token}{hint}", token.position)

    def close(self, keyword: str, expected: str) -> None:
        if not self.took(keyword):
            raise ExpressionError(f"{expected} is expected, not {self.next}", self.next.position)


def _number(text: str) -> int | float:
    """An integer stays one: as a float it may be another."""
    digits = text.lstrip("+-")
    return int(text) if digits.isdecimal() and len(digits) <= _LONGEST_INTEGER else float(text)


def _unquoted(token: _Token) -> str:
    mark = token.text[0]
    return token.text[1:-1].replace(mark * 2, mark)
