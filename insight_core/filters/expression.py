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
from collections.abc import Sequence

from attrs import define, frozen

from insight_core.filters.conditions import All, Any, Comparison, Condition, ExpressionError, Not
from insight_core.filters.naming import CONSTANTS, PLAIN_WORD, RESERVED
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
_OF_OTHERS = re.compile(r"&&?|\|\|?|!|.")  # signs that other languages have
_MEANT = {"&": ["and"], "&&": ["and"], "|": ["or"], "||": ["or"], "!": ["!=", "not"]}
_EXPRESSION_LONG = ReasonKind("expression_long", "The expression has more than {most} characters")
_EXPRESSION_DEEP = ReasonKind("expression_deep", "The expression is more than {most} levels deep")
_EXPRESSION_TEXT = ReasonKind("expression_text", "A text is written in quotes, unlike {found}")
_EXPRESSION_SIGN = ReasonKind("expression_sign", "{sign} is not understood")
_EXPRESSION_QUOTE = ReasonKind("expression_quote", "A quote is not closed")
_EXPECTED = ReasonKind("expression_expected", "Expected {expected}, not {found}")
_EXPECTED_AFTER = ReasonKind("expression_expected_after", "Expected {expected} after {after}, not {found}")
_UNFINISHED = ReasonKind("expression_unfinished", "Unfinished: expected {expected}")
_UNFINISHED_AFTER = ReasonKind("expression_unfinished_after", "Unfinished: expected {expected} after {after}")


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


def parsed(text: str) -> Condition:
    """Raises ExpressionError."""
    if len(text) > LONGEST:
        reason = _EXPRESSION_LONG(most=LONGEST)
        raise ExpressionError(reason, LONGEST)
    reader = _Reader(_tokens(text))
    condition = reader.either(0)
    if (rest := reader.next).kind != "end":
        begins = rest.kind in ("word", "quoted") and rest.keyword in ("", "not")
        raise _expected("'and' or 'or'", rest, [f"{word} {rest.text}" for word in ("and", "or") if begins])
    return condition


def _tokens(text: str) -> list[_Token]:
    tokens = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            position += len(text[position:]) - len(text[position:].lstrip())
            mark = _OF_OTHERS.match(text, position)
            sign = mark[0] if mark else text[position]
            if sign in "'\"":
                rest = text[position:end]
                raise ExpressionError(_EXPRESSION_QUOTE(), position, [rest + sign], length=len(rest))
            reason = _EXPRESSION_SIGN(sign=repr(sign))
            raise ExpressionError(reason, position, _MEANT.get(sign, ()), length=len(sign))
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
            return Comparison(
                column, _OPERATORS[sign.keyword], self.value(sign), token.position, len(token.text)
            )
        negated = sign.keyword == "not"
        if negated:
            sign = self.take()
        if sign.keyword != "in":
            operator = Reason("one of = != < > <= >= in", "expression_operator")
            raise _expected("'in'" if negated else operator, sign, after=repr(column))
        return Comparison(
            column, "not_in" if negated else "in", self.values(), token.position, len(token.text)
        )

    def values(self) -> list[object]:
        opening = self.take()
        if opening.keyword not in _CLOSING:
            raise _expected("'('", opening, after="'in'")
        closing = _CLOSING[opening.keyword]
        if self.took(closing):
            return []
        values = [self.value(opening)]
        while self.took(","):
            values.append(self.value(opening))
        self.close(closing, f"',' or {closing!r}")
        return values

    def value(self, before: _Token) -> object:
        token = self.take()
        if token.kind == "quoted":
            return _unquoted(token)
        if token.kind in ("number", "infinite"):
            return _number(token.text)
        if token.keyword in CONSTANTS:
            return CONSTANTS[token.keyword]
        if token.kind != "word":
            raise _expected(Reason("a value", "expression_value"), token, after=repr(before.text))
        reason = _EXPRESSION_TEXT(found=token.text)
        raise ExpressionError(reason, token.position, [f"'{token.text}'"], length=len(token.text))

    def close(self, keyword: str, expected: str) -> None:
        if not self.took(keyword):
            raise _expected(expected, self.next, [keyword] if self.next.kind == "end" else [])


def _expected(
    what: str, token: _Token, suggestions: Sequence[str] = (), *, after: str = ""
) -> ExpressionError:
    """``what`` is what could stand there, signs of the grammar in quotes."""
    found = repr(token.text)
    if token.kind == "end":
        reason = _UNFINISHED_AFTER(expected=what, after=after) if after else _UNFINISHED(expected=what)
    elif after:
        reason = _EXPECTED_AFTER(expected=what, found=found, after=after)
    else:
        reason = _EXPECTED(expected=what, found=found)
    return ExpressionError(reason, token.position, suggestions, length=len(token.text))


def _number(text: str) -> int | float:
    """An integer stays one: as a float it may be another."""
    digits = text.lstrip("+-")
    return int(text) if digits.isdecimal() and len(digits) <= _LONGEST_INTEGER else float(text)


def _unquoted(token: _Token) -> str:
    mark = token.text[0]
    return token.text[1:-1].replace(mark * 2, mark)
