"""Which of many names match a text or a regular expression.

Names are searched many at a time, as the lines of a text: one call for thousands of names. A regular
expression is tried so if it can be put so that nothing in it matches the end of a line; else one name after
the other.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from insight_core.errors import InvalidArgument
from insight_record.formats.reason import ReasonKind

if TYPE_CHECKING:
    import regex

MAX_PATTERN = 200  # characters
SECONDS = 10.0  # that a search may take in all
_AT_ONCE = 1 << 12  # names
_HELD = 0.05  # seconds for which a try may keep other threads waiting

Rows: TypeAlias = NDArray[np.intp]  # Indices of texts, ascending.
T = TypeVar("T")

_MOST_TIMES = 1000  # that a pattern may repeat a part, all counts multiplied

# What a pattern may be made of: about what RE2 takes, and looking around. Recursion, references to groups and
# fuzzy matches are what time and memory without bounds are for.
_PLAIN = r"[^\\\[\](){}\x00-\x1f]"
_COUNT = r"\{[0-9]*,?[0-9]*\}"
_IN_CLASS = r"[^\\\[\]&|~\-\x00-\x1f]|\\[^\w\s]|-(?!-)"
_ALLOWED = re.compile(
    rf"(?:{_PLAIN}|\\[dDwWsSbBAZ]|\\[^\w\s]|\((?!\?)|\(\?(?:[:=!]|<[=!]|[ims]+[:)])|\)|{_COUNT}"
    rf"|\[\^?(?:{_IN_CLASS}|\\[dDwWsS])+\])*"
)
# ... and of that what cannot match the end of a line, once it is put as _of_line does
_CLASS = rf"\[\^?(?:{_IN_CLASS}|\\[dw])+\]"
_LINEWISE = re.compile(
    rf"(?:{_PLAIN}|\\[dDwWsSbAZ]|\\[^\w\s]|\((?!\?)|\(\?(?:[:=!]|<[=!])|\)|{_COUNT}|{_CLASS})*"
)
_ESCAPE_OR_CLASS = re.compile(rf"\\.|{_CLASS}")
_WITHIN_LINE = {r"\D": r"[^\d\n]", r"\W": r"[^\w\n]", r"\s": r"[^\S\n]", r"\A": "^", r"\Z": "$"}
_COUNTS = re.compile(rf"\\.|\[\^?(?:{_IN_CLASS}|\\.)+\]|\{{([0-9]*),?([0-9]*)\}}")
_LONG_PATTERN = ReasonKind("long_pattern", "q must have at most {most} characters")
_REPEATED_PATTERN = ReasonKind("repeated_pattern", "q must repeat nothing more than {most} times")
_BAD_PATTERN = ReasonKind("bad_pattern", "q is not a regular expression: {cause}")


class Matcher(ABC):
    """Tells matches, for SECONDS at most. Raises InvalidArgument when these are over, or when ``is_gone``
    says that nobody waits any more."""

    def __init__(self, is_gone: Callable[[], bool] = lambda: False) -> None:
        self._is_gone = is_gone
        self._end = time.monotonic() + SECONDS

    def rows(self, names: Sequence[str]) -> Rows:
        """Places of the names that match."""
        found = [
            self._of_some(names[first : first + _AT_ONCE]) + first for first in range(0, len(names), _AT_ONCE)
        ]
        return np.concatenate(found) if found else np.empty(0, np.intp)

    def _of_some(self, names: Sequence[str]) -> Rows:
        if self._is_gone():
            raise InvalidArgument("nobody waits for the answer", code="cancelled")
        text = "\n".join(names)
        hits = self._hits(text) if text.count("\n") < len(names) else None
        if hits is None:
            return np.array([row for row, name in enumerate(names) if self._matches(name)], np.intp)
        ends = np.cumsum(np.fromiter(map(len, names), np.intp, len(names)) + 1) - 1
        return np.unique(np.searchsorted(ends, np.array(hits, np.intp)))

    def _left(self) -> float:
        """Seconds."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise _too_slow()
        return left

    @abstractmethod
    def _hits(self, text: str) -> list[int] | None:
        """Where matches begin in a text, one at least in each line that matches; None: look at each line."""

    @abstractmethod
    def _matches(self, name: str) -> bool: ...


def matcher_of(text: str, *, is_regex: bool, is_gone: Callable[[], bool] = lambda: False) -> Matcher:
    """Raises InvalidArgument for an invalid regular expression, if one was requested."""
    return RegexMatcher(text, is_gone) if is_regex else TextMatcher(text, is_gone)


class TextMatcher(Matcher):
    """A part of the name, in small or large letters."""

    def __init__(self, wanted: str, is_gone: Callable[[], bool] = lambda: False) -> None:
        super().__init__(is_gone)
        self._wanted = wanted.lower()

    def _of_some(self, names: Sequence[str]) -> Rows:
        self._left()
        return super()._of_some([name.lower() for name in names])

    def _hits(self, text: str) -> list[int] | None:
        if "\n" in self._wanted:
            return None
        hits = []
        start = 0
        while (hit := text.find(self._wanted, start)) >= 0:
            hits.append(hit)
            start = text.find("\n", hit) + 1
            if not start:
                break
        return hits

    def _matches(self, name: str) -> bool:
        return self._wanted in name


class RegexMatcher(Matcher):
    """A regular expression. Raises InvalidArgument for a text that is none."""

    def __init__(self, wanted: str, is_gone: Callable[[], bool] = lambda: False) -> None:
        super().__init__(is_gone)
        if len(wanted) > MAX_PATTERN:
            raise InvalidArgument(_LONG_PATTERN(most=MAX_PATTERN))
        _check(wanted)
        self._of_name = _compiled(wanted)
        self._of_lines: regex.Pattern[str] | None = None
        if _LINEWISE.fullmatch(wanted):
            self._of_lines = _compiled(_of_line(wanted))

    def _hits(self, text: str) -> list[int] | None:
        pattern = self._of_lines
        if pattern is None:
            return None
        return self._tried(lambda **limits: [match.start() for match in pattern.finditer(text, **limits)])

    def _matches(self, name: str) -> bool:
        return self._tried(lambda **limits: self._of_name.search(name, **limits) is not None)

    def _tried(self, search: Callable[..., T]) -> T:
        """Most tries are shorter than letting other threads in takes; the others let them in."""
        try:
            return search(timeout=min(_HELD, self._left()), concurrent=False)
        except TimeoutError:
            pass
        try:
            return search(timeout=self._left(), concurrent=True)
        except TimeoutError:
            raise _too_slow() from None


def _too_slow() -> InvalidArgument:
    return InvalidArgument("q takes too long to match", code="slow_pattern")


def _check(wanted: str) -> None:
    if not _ALLOWED.fullmatch(wanted):
        raise InvalidArgument(
            "q uses unsupported syntax: references to groups, recursion, properties and braces that are not"
            " escaped",
            code="unsupported_pattern",
        )
    times = 1
    for count in _COUNTS.finditer(wanted):
        times *= max([1, *(int(number[:9]) for number in count.groups() if number)])
    if times > _MOST_TIMES:
        raise InvalidArgument(_REPEATED_PATTERN(most=_MOST_TIMES))


def _compiled(wanted: str) -> regex.Pattern[str]:
    import regex  # slow to load, and most search without

    try:
        return regex.compile(wanted, regex.IGNORECASE | regex.MULTILINE)
    except (regex.error, OverflowError, RecursionError) as error:
        raise InvalidArgument(_BAD_PATTERN(cause=str(error))) from None


def _of_line(wanted: str) -> str:
    """A pattern that matches where the line matches, up to the end of the line."""

    def without_line_end(part: re.Match[str]) -> str:
        text = part[0]
        return f"[^\\n{text[2:]}" if text.startswith("[^") else _WITHIN_LINE.get(text, text)

    return rf"(?:{_ESCAPE_OR_CLASS.sub(without_line_end, wanted)})[^\n]*"
