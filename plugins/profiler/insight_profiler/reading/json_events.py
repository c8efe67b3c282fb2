"""Streams the events of a Chrome trace, a few MB at a time.

A trace is an array of events, or an object that has one as ``traceEvents``
(https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). Writers leave out the end,
control characters in texts, put bare ``N/A`` or ``nan`` for numbers and single backslashes in paths: what is
meant is clear, so it is read, and counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from json.scanner import make_scanner
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from insight_profiler.reading.json_mending import mended, without_long_numbers, without_usual_faults

if TYPE_CHECKING:
    from insight_profiler.reading._known_events import KnownEvents

_WINDOW = 192 << 10  # bytes read at once: what is made of them stays in the processor's cache
_KNOWN_WINDOW = 1 << 20  # where most events are rows, of which little is made
_MOST = (
    64 << 20
)  # bytes of one event, or of one value outside the events; parsing needs several times as many
_NEAR = 16  # characters from the end at which a value may just be cut
_AT_ONCE = 8  # mended one by one before all of a window are
_MOST_TRIES = 200  # times that one event is mended: each takes as long as the event

_SPACE = re.compile(r"[\s,]*")
_ENDS_NO_VALUE = frozenset(".#")  # behind the digits of 1.#INF
_BLANK = re.compile(r"\s*")
_EVENT = re.compile(r'\}[\s,]*\{\s*"(?:ph|name|cat|pid|tid|ts|args|id)"\s*:')
# where the events end: before the bracket that ends the text, or that further members follow
_END_OF_TEXT = re.compile(r"\}[\s,]*(?=\]\s*\Z)")
_END_OF_MEMBER = re.compile(r'\}[\s,]*(?=\]\s*(?:,\s*"[^"]*"\s*:|\}\s*\Z))')
_HIGH = re.compile("[\x80-\xff]+")


def readable(text: str) -> str:
    """A text of an event as it is meant: windows are read byte by byte, UTF-8 or not."""
    if text.isascii():
        return text
    return _HIGH.sub(lambda found: found[0].encode("latin-1").decode("utf-8", "replace"), text)


@frozen
class _Problem:
    """What stopped the decoder, and where. No exception: one that is held holds all that was decoded."""

    text: str
    at: int

    @classmethod
    def of(cls, raised: Exception, at: int) -> _Problem:
        if isinstance(raised, json.JSONDecodeError):
            return cls(raised.msg, raised.pos)
        return cls("Expecting value", raised.value if isinstance(raised, StopIteration) else at)


@define
class Window:
    """Some events, and where in the (unpacked) trace each begins and ends.

    ``known``: rows of the events that look like earlier ones, which are not among ``events``. ``order``: the
    place of each of ``events`` among all. ``wanted``: places of events, what ``KnownEvents`` knows such
    events by, and their group.
    """

    events: list[Any] = field(factory=list)
    starts: list[int] = field(factory=list)
    ends: list[int] = field(factory=list)
    known: NDArray[np.void] | None = None
    order: list[int] = field(factory=list)
    wanted: list[tuple[int, bytes, int]] = field(factory=list)


class EmptyTrace(ValueError):
    """There is nothing in the stream."""


class NoTrace(ValueError):
    """The stream does not begin like a trace."""


class Events:
    """Reads a trace from a stream. Floats come as they are written, as texts. Events that ``known`` knows
    come as its rows.

    After ``windows`` is through: ``head`` has the values outside the events (before that, what stands
    before them), ``is_cut`` says that the end is missing, ``mended`` how many values were none, ``skipped``
    how many stretches of bytes could not be read.
    """

    def __init__(self, stream: BinaryIO, known: KnownEvents | None = None) -> None:
        self._stream = stream
        self._known = known
        self._window = _WINDOW if known is None else _KNOWN_WINDOW
        decoder = json.JSONDecoder(parse_float=str, strict=False)
        self._decode: Callable[[str, int], tuple[Any, int]] = decoder.raw_decode
        # the same, but for what it raises where nothing begins: StopIteration
        self._scan: Callable[[str, int], tuple[Any, int]] = make_scanner(cast(Any, decoder))
        self._text = ""
        self._base = 0  # where in the trace the text begins
        self._at = 0  # in the text
        self._is_over = False
        self._tried_at = -1  # where in the trace the event or value begins that is being mended
        self._tries = 0
        self.head: dict[str, Any] = {}
        self.is_cut = False
        self.mended = 0
        self.skipped = 0

    def windows(self) -> Iterator[Window]:
        """Raises EmptyTrace or NoTrace if the stream is not a trace."""
        opening = self._next(_BLANK)
        if opening == "\xef":  # a byte order mark, byte by byte
            self._at += 3
            opening = self._next(_BLANK)
        if opening == "[":
            self._at += 1
            yield from self._array(may_end=True)
        elif opening == "{":
            self._at += 1
            yield from self._members()
        elif opening:
            raise NoTrace("it begins with neither { nor [")
        else:
            raise EmptyTrace("it is empty")

    def _members(self) -> Iterator[Window]:
        while True:
            mark = self._next(_SPACE)
            if mark == "}":
                return
            name = self._value() if mark == '"' else None
            if not isinstance(name, str) or self._next(_BLANK) != ":":
                self.is_cut = True
                return
            self._at += 1
            if name == "traceEvents" and self._next(_BLANK) == "[":
                self._at += 1
                yield from self._array(may_end=False)
                if self.is_cut:
                    return
            else:
                self._next(_BLANK)
                self.head[name] = self._value()
                if self.is_cut:
                    del self.head[name]
                    return

    def _array(self, *, may_end: bool) -> Iterator[Window]:
        """Events up to the bracket that closes them. ``may_end``: it may be left out."""
        while True:
            window = Window()
            is_last = self._fill(window, may_end)
            if self._known is not None:
                window.known = self._known.window()
            if window.events or (window.known is not None and len(window.known)) or is_last:
                yield window
            if is_last:
                return

    def _fill(self, window: Window, may_end: bool) -> bool:
        """Events up to the end of the buffer; True at the end of the array."""
        scan, space, known = self._scan, _SPACE.match, self._known
        add, add_start, add_end = window.events.append, window.starts.append, window.ends.append
        between = ","  # what stood between the last two events: writers do not change it
        while True:
            text, at, base = self._text, self._at, self._base
            skips = text.startswith
            try:
                while True:
                    if known is not None:
                        at = known.take(text, at, base, len(window.events))
                    if skips(between, at) and text[at + len(between)] == "{":
                        at += len(between)
                    else:
                        found = space(text, at)
                        end = found.end() if found else at
                        at, between = end, text[at:end] or between
                    event, end = scan(text, at)
                    if known is not None:
                        window.order.append(known.order(len(window.events)))
                        if known.wanted is not None:
                            window.wanted.append((len(window.events), known.wanted, known.wanted_group))
                    add(event)
                    add_start(base + at)
                    add_end(base + end)
                    at = end
            except (json.JSONDecodeError, StopIteration, IndexError) as raised:
                self._at = at
                problem = _Problem.of(raised, at)
                if text[at : at + 1] == "]":
                    self._at += 1
                    return True
                if self._may_be_cut(problem):
                    is_empty = not window.events and (known is None or known.is_empty)
                    if not is_empty and len(text) - at < self._window // 2:
                        self._more()
                        return False
                    if self._more() or self._mend(problem) or self._skip_to_end(may_end):
                        continue
                    if at < len(text) or not may_end:
                        self.is_cut = True
                    return True
                if not self._mend(problem) and not self._skip(may_end):
                    self.is_cut = True
                    return True
            except ValueError:
                self._at = at
                self._mend_long_numbers()
            except RecursionError:
                self._at = at
                if not self._skip(may_end):
                    self.is_cut = True
                    return True

    def _value(self) -> Any:  # noqa: ANN401 - any JSON
        """A value of the object, of any length. Sets ``is_cut`` if it is missing."""
        while True:
            try:
                value, end = self._decode(self._text, self._at)
                if end == len(self._text) and self._more():  # a number may go on
                    continue
                if self._text[end : end + 1] in _ENDS_NO_VALUE and self._mend(_Problem("", end)):
                    continue
                self._at = end
                return value
            except json.JSONDecodeError as raised:
                problem = _Problem.of(raised, self._at)
                if (self._may_be_cut(problem) and self._more()) or self._mend(problem):
                    continue
            except ValueError:
                self._mend_long_numbers()
                continue
            except RecursionError:
                pass
            self.is_cut = True
            return None

    def _next(self, blank: re.Pattern[str]) -> str:
        """Goes to the next character that is not blank; which that is, or nothing at the end."""
        while True:
            found = blank.match(self._text, self._at)
            assert found is not None
            self._at = found.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Goes on reading, twice as much of what does not end; False when there is nothing more."""
        if self._is_over or len(self._text) - self._at > _MOST:
            return False
        wanted = max(self._window, len(self._text) - self._at)
        data = self._stream.read(wanted)
        if not data:
            self._is_over = True
            return False
        self._text = self._text[self._at :] + data.decode("latin-1")
        self._base += self._at
        self._at = 0
        return True

    def _may_be_cut(self, problem: _Problem) -> bool:
        return problem.text.startswith("Unterminated string") or len(self._text) - problem.at < _NEAR

    def _mend(self, problem: _Problem) -> bool:
        """Puts something that can be read in the place of what cannot, of the same length."""
        place = self._base + self._at
        self._tries = self._tries + 1 if place == self._tried_at else 1
        self._tried_at = place
        if self._tries > _MOST_TRIES:
            return False
        text = mended(self._text, self._at, problem.at, is_escape=problem.text.startswith("Invalid \\"))
        if text is None:
            return False
        self._text = text
        if self.mended % _AT_ONCE == _AT_ONCE - 1:  # there are likely more of them
            self._text = self._text[: self._at] + without_usual_faults(self._text[self._at :])
        self.mended += 1
        return True

    def _mend_long_numbers(self) -> None:
        """Replaces numbers that have more digits than Python converts."""
        text, count = without_long_numbers(self._text)
        if not count:
            raise ValueError("a number in it cannot be read")
        self._text = text
        self.mended += count

    def _skip(self, may_end: bool) -> bool:
        """Seeks a possible start of the next event, or the end of the array; False without either."""
        while True:
            found = _EVENT.search(self._text, self._at + 1)
            if found:
                self._at = self._text.index("{", found.start())
                self.skipped += 1
                return True
            if not self._more():
                return self._skip_to_end(may_end)

    def _skip_to_end(self, may_end: bool) -> bool:
        """Seeks the bracket that closes the events."""
        found = (_END_OF_TEXT if may_end else _END_OF_MEMBER).search(self._text, self._at)
        if found is None:
            return False
        self._at = found.end()
        self.skipped += 1
        return True
