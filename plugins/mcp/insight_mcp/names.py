"""Which runs or tags a tool is asked for: names, and regular expressions between slashes."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from insight_core.plugin import InvalidArgument
from insight_core.plugin.http import matcher_of
from insight_mcp.untrusted import escaped

_COMPARED = 5000  # names that a mistake is compared with
_NEAR = 5


def chosen(names: Sequence[str], asked: Sequence[str], what: str) -> list[str]:
    """Those of the names that are asked for, in their order; all if nothing is.

    A name may be given as answers show it, with escapes. Raises InvalidArgument for a name that is not there,
    with similar ones, and for expressions that are invalid, match nothing, or take too long.
    """
    if not asked:
        return list(names)
    known = set(names)
    found: set[str] = set()
    by_shown: dict[str, str] | None = None
    for text in asked:
        if text in known:
            found.add(text)
            continue
        if len(text) > 1 and text.startswith("/") and text.endswith("/"):
            places = matcher_of(text[1:-1], is_regex=True).rows(names)
            if not len(places):
                raise InvalidArgument(f"no {what} matches {text}")
            found.update(names[place] for place in places.tolist())
            continue
        if by_shown is None:
            by_shown = {escaped(name): name for name in names}
        if text not in by_shown:
            raise InvalidArgument(_unknown(names, text, what))
        found.add(by_shown[text])
    return [name for name in names if name in found]


def _unknown(names: Sequence[str], text: str, what: str) -> str:
    part = [name for name in names if text.casefold() in name.casefold()]
    near = part[:_NEAR] or get_close_matches(text, names[:_COMPARED], _NEAR, 0.4)
    hint = f"; near: {', '.join(near)}" if near else ""
    return f"no {what} is named {text!r}{hint}; /{what}/ with slashes is a regular expression"
