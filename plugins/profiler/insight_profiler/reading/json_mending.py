"""Replaces values of a trace that are not valid JSON, by texts of the same length: places stay as they are.

``nan``, ``-nan(ind)``, ``1.#INF`` and ``N/A`` become NaN, ``True`` becomes true. Without room for
that, or no value at all, its member is left out.
"""

from __future__ import annotations

import json
import re

_LONGEST = 64  # characters of a bare word
_MOST_ONE_BY_ONE = 20  # values of an event that are mended one at a time
_BARE = re.compile(r'[^\s,:"{}\[\]]*')
_NO_BARE = frozenset(' \t\r\n,:"{}[]')
_LONG = re.compile(r"-?[0-9]{4301,}")  # digits, which Python does not convert to an integer
_LITERALS = {"true": "true", "false": "false", "none": "null", "null": "null"}
_ESCAPE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')
# the usual words, many at once; texts are taken whole, so that nothing within them matches
_WORDS = re.compile(
    r'"[^"\\]*(?:\\.[^"\\]*)*"|(?<=[:\[,\s])'
    r"([+-]?(?:N/A|nan(?:\(\w*\))?|inf(?:inity)?|none|true|false|undefined|\d\.#\w+))(?=\s*[,}\]])",
    re.IGNORECASE | re.DOTALL,
)


def without_usual_faults(text: str) -> str:
    """The text with what is meant for all usual words in it that are not JSON, and for single backslashes."""
    return _WORDS.sub(lambda found: _stand_in(found[1]) if found[1] else _escaped(found[0]), text)


def _escaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: found[0] if found[0][1:] else "/", text) if "\\" in text else text


def without_long_numbers(text: str) -> tuple[str, int]:
    """The text without integers of thousands of digits, and how many there were."""
    return _LONG.subn(lambda found: _stand_in(found[0]), text)


def mended(text: str, begin: int, at: int, *, is_escape: bool) -> str | None:
    """The text without what stopped the decoder ``at`` a place of the event from ``begin`` on.

    None if it is not clear what is meant. ``is_escape``: a backslash stopped it.
    """
    if is_escape:
        at = text.rfind("\\", 0, at + 2)
        return f"{text[:at]}/{text[at + 1 :]}"
    start = at
    while start > begin and at - start < _LONGEST and text[start - 1] not in _NO_BARE:
        start -= 1
    found = _BARE.match(text, at, at + _LONGEST)
    end = found.end() if found else at
    before, after = _nearest(text, start, -1), _nearest(text, end - 1, 1)
    if after >= len(text):
        return None
    left, right = text[before] if before >= 0 else ",", text[after]
    if start == end:
        return _without_nothing(text, begin, (before, left), (after, right))
    word = text[start:end]
    if left not in ":[," or right not in ",}]" or _stand_in(word) == word:
        return None
    if len(word) >= 3:
        return text[:start] + _stand_in(word) + text[end:]
    return _without_member(text, begin, before, start, end)


def loads(text: str) -> object:
    """The value of an event's text. Raises ValueError if it cannot be mended."""
    text = without_usual_faults(without_long_numbers(text)[0])
    for _ in range(_MOST_ONE_BY_ONE):
        try:
            return json.loads(text, strict=False)
        except json.JSONDecodeError as error:
            better = mended(text, 0, error.pos, is_escape=error.msg.startswith("Invalid \\"))
            if better is None:
                raise
            text = better
    raise ValueError("it cannot be mended")


def _stand_in(word: str) -> str:
    """The JSON value of a bare word, at least of three characters, padded to its length."""
    return _LITERALS.get(word.lower(), "NaN").ljust(len(word))


def _nearest(text: str, place: int, by: int) -> int:
    """The nearest place before (-1) or after it (1) that is not blank."""
    place += by
    while 0 <= place < len(text) and text[place].isspace():
        place += by
    return place


def _without_nothing(text: str, begin: int, before: tuple[int, str], after: tuple[int, str]) -> str | None:
    """The text without a member that has no value, or without a comma that separates nothing."""
    (left_at, left), (right_at, right) = before, after
    if left_at < begin or right not in ",}]":
        return None
    if left == ":":
        return _without_member(text, begin, left_at, right_at, right_at)
    following = _nearest(text, right_at, 1)
    if right == "," and (left in "[{," or text[following : following + 1] in ("}", "]")):
        return _blanked(text, right_at, right_at + 1)
    if left == ",":
        return _blanked(text, left_at, left_at + 1)
    return None


def _without_member(text: str, begin: int, colon: int, start: int, end: int) -> str | None:
    """The text without the value from ``start`` to ``end``, its name and one comma."""
    first = start
    if text[colon] == ":":
        close = _nearest(text, colon, -1)
        first = text.rfind('"', begin, close)
        while first > begin and text[first - 1] == "\\":
            first = text.rfind('"', begin, first)
        if text[close] != '"' or first <= begin:
            return None
    after, before = _nearest(text, end - 1, 1), _nearest(text, first, -1)
    if text[after] == ",":
        return _blanked(text, first, after + 1)
    return _blanked(text, before if text[before] == "," and before > begin else first, end)


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]
