"""Which values the fields of an annotation take."""

from __future__ import annotations

from typing import TypeAlias

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_core.plugin.annotations import FIELDS

HIGHEST_MARK = 10
_LINE = 200  # characters of a display name or remark
_NOTE = 20_000  # characters of a note

FieldValue: TypeAlias = str | int | None  # None: nothing is said
_LONG_TEXT = ReasonKind("long_text", "{name} must have at most {most} characters, not {length}")
_CONTROL_CHARACTERS = ReasonKind("control_characters", "{name} must not have control characters")
_HALF_A_PAIR = ReasonKind("half_a_pair", "{name} must be Unicode text: it has half of a surrogate pair")


def checked(name: str, value: object) -> FieldValue:
    """The value as a field keeps it. Raises InvalidArgument with the name of the field."""
    if name not in FIELDS:
        raise InvalidArgument(f"unknown field {name!r} of an annotation; the fields are {', '.join(FIELDS)}")
    if value is None:
        return None
    if name == "mark":
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= HIGHEST_MARK:
            raise InvalidArgument(f"mark must be a whole number from 0 to {HIGHEST_MARK}, not {value!r:.100}")
        return value or None
    if name == "archived":
        if not isinstance(value, bool):
            raise InvalidArgument(f"archived must be true or false, not {value!r:.100}")
        return value or None
    note = name == "note"
    return checked_text(name, value, _NOTE if note else _LINE, "\n\t" if note else "") or None


def checked_text(name: str, value: object, longest: int, allowed: str = "") -> str:
    """The text without space around it. Raises InvalidArgument if it is too long or not plain Unicode text.

    ``longest`` is in characters; ``allowed`` are the control characters that it may have.
    """
    if not isinstance(value, str):
        raise InvalidArgument(f"{name} must be a text or null, not {value!r:.100}")
    text = value.replace("\r\n", "\n").strip()
    if len(text) > longest:
        raise InvalidArgument(_LONG_TEXT(name=name, most=longest, length=len(text)))
    if any((mark < " " or mark == "\x7f") and mark not in allowed for mark in text):
        raise InvalidArgument(_CONTROL_CHARACTERS(name=name))
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        raise InvalidArgument(_HALF_A_PAIR(name=name))
    return text
