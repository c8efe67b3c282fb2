"""Answers of tools: what we say, and a page of logged rows that fits into a budget of tokens."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import field, frozen

from insight_core.plugin import InsightError, InvalidArgument
from insight_mcp.untrusted import escaped, marked

Row = Sequence[object]
_WHOLE = 1e15  # whole numbers below it are written out
_LONGEST = 300  # characters of a cell
_AT_ONCE = 32  # rows that are made at a time
_SHARE = 0.7  # of the tokens of the rows that one cell may take
_FRAME = 135  # tokens for the mark, and for the lines that count rows and say how to go on
_CURSOR = re.compile(r"([0-9a-f]{1,12})-([0-9a-f]{8})-([0-9a-f]{8})")
LEAST, USUAL, MOST = 300, 2000, 20_000  # Tokens of an answer that a caller may ask for.
# Tokens a character, above what the tokenizers of three models take for answers of the tools
# (docs/how-to/agents.md): words are merged, digits come in threes, other marks stand alone.
_LETTER, _DIGIT, _OTHER, _WIDE = 0.36, 0.66, 0.80, 2.0
_LETTERS = re.compile(r"[A-Za-z ]")
_DIGITS = re.compile(r"[0-9]")
_ASCII = re.compile(r"[\x00-\x7f]")


@frozen(eq=False)
class LoggedRows:
    """Logged rows of an answer; ``read(first, last)`` makes some of them.

    ``keys`` identify rows, so that a page goes on after the right one when the logs have changed; without
    them the rows themselves do. ``longest`` is the most characters of a cell.
    """

    columns: Sequence[str]
    count: int
    read: Callable[[int, int], Sequence[Row]]
    keys: Sequence[object] | None = None
    longest: int = _LONGEST

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Row], *, longest: int = _LONGEST) -> LoggedRows:
        """Rows that are there already, each its own key."""
        return cls(columns, len(rows), lambda first, last: rows[first:last], rows, longest)


@frozen(eq=False)
class ToolAnswer:
    """The answer of a tool. ``notes`` are words and numbers of ours, never text of a log."""

    notes: Sequence[str] = ()
    rows: LoggedRows | None = None


@frozen
class Page:
    """The part of an answer that is asked for: at most ``budget`` tokens, from ``cursor`` on."""

    budget: int
    cursor: str | None
    arguments: Mapping[str, object] = field(factory=dict)  # the others, which a cursor belongs to

    def content(self, answer: ToolAnswer) -> list[dict[str, str]]:
        """The content of a result: a text. Raises InvalidArgument for a cursor of another answer."""
        parts = list(answer.notes)
        if answer.rows is not None:
            left = self.budget - _FRAME - sum(map(tokens_of, parts))
            before, lines, after = self._shown(answer.rows, left)
            parts += [*before, marked(lines), *after]
        return [{"type": "text", "text": "\n".join(parts)}]

    def _shown(self, rows: LoggedRows, left: float) -> tuple[list[str], list[str], list[str]]:
        """Returns the lines before the rows, the rows as lines, and the lines after them."""
        place = self._start(rows)
        first = place
        lines: list[str] = []
        before: list[str] = []
        width = len(rows.columns)
        most = left * _SHARE
        while place < rows.count:
            made = rows.read(place, min(place + _AT_ONCE, rows.count))
            if not made:
                break
            for row in made:
                cells = [_shown(value, rows.longest, most) for value in row[:width]]
                if not lines:
                    width = _fitting(rows.columns, cells, left)
                    lines.append("\t".join(map(escaped, rows.columns[:width])))
                    left -= tokens_of(f"{lines[0]}\n")
                    cells = cells[:width]
                line = "\t".join(cells)
                left -= tokens_of(f"{line}\n")
                if left < 0 and place > first:
                    return self._said(rows, first, place, width, before), lines, self._next(rows, place)
                lines.append(line)
                place += 1
        if not lines:
            lines = ["\t".join(map(escaped, rows.columns))]
        return self._said(rows, first, place, width, before), lines, []

    def _said(self, rows: LoggedRows, first: int, place: int, width: int, before: list[str]) -> list[str]:
        if place - first < rows.count:
            before.append(f"Rows {first + 1} to {place} of {rows.count}.")
        if width < len(rows.columns):
            before.append(
                f"{width} of {len(rows.columns)} columns fit: ask for fewer, or give a larger budget."
            )
        return before

    def _next(self, rows: LoggedRows, place: int) -> list[str]:
        cursor = f"{place:x}-{_digest(_key(rows, place - 1))}-{_digest(self.arguments)}"
        return [f'More: call again with the same arguments and "cursor": "{cursor}".']

    def _start(self, rows: LoggedRows) -> int:
        if self.cursor is None:
            return 0
        found = _CURSOR.fullmatch(self.cursor)
        if found is None or found[3] != _digest(self.arguments):
            raise InvalidArgument("cursor: it belongs to another answer; call again without it")
        place, last = int(found[1], 16), found[2]
        if 0 < place <= rows.count and _digest(_key(rows, place - 1)) == last:
            return place
        for number, key in enumerate(rows.keys or ()):
            if _digest(key) == last:
                return number + 1
        raise InvalidArgument("cursor: the logs have changed since; call again without it")


def failed(error: InsightError) -> list[dict[str, str]]:
    """The content of a result for an error, whose text may name what is in logs."""
    text = escaped(str(error)[:2000])
    return [{"type": "text", "text": "\n".join(["The tool cannot answer:", marked([text])])}]


def _fitting(columns: Sequence[str], cells: Sequence[str], left: float) -> int:
    """Counts the columns that fit with their first row, one at least."""
    for width, (column, cell) in enumerate(zip(columns, cells, strict=True)):
        left -= tokens_of(f"{escaped(column)}\t") + tokens_of(f"{cell}\t")
        if left < 0:
            return max(1, width)
    return len(columns)


def _key(rows: LoggedRows, place: int) -> object:
    if rows.keys is not None:
        return rows.keys[place]
    return [list(row) for row in rows.read(place, place + 1)]


def _digest(value: Any) -> str:  # noqa: ANN401
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("ascii"), digest_size=4).hexdigest()


def _shown(value: object, longest: int, most: float) -> str:
    """A cell of so many characters and tokens: numbers with the seven digits that a float32 has."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    text = str(value)
    kept = escaped(text[:longest])
    if (cost := tokens_of(kept)) > most:
        longest = int(min(longest, len(text)) * most / cost)
        kept = escaped(text[:longest])
    return kept if len(text) <= longest else f"{kept}… ({len(text) - longest} more characters)"


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    is_whole = value.is_integer() and abs(value) < _WHOLE
    return str(int(value)) if is_whole else f"{value:.7g}"


def counted(count: int, word: str, words: str = "") -> str:
    """``1 run``, ``2 runs``."""
    return f"{count} {word if count == 1 else words or f'{word}s'}"


def tokens_of(text: str) -> float:
    """An estimate that is rather too high."""
    letters, digits = len(_LETTERS.findall(text)), len(_DIGITS.findall(text))
    plain = len(text) if text.isascii() else len(_ASCII.findall(text))
    return (
        letters * _LETTER
        + digits * _DIGIT
        + (plain - letters - digits) * _OTHER
        + (len(text) - plain) * _WIDE
    )
