"""What an annotation holds, and which values its fields take."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from attrs import field, fields_dict, frozen

from insight_core.plugin.errors import InvalidArgument
from insight_record.formats.reason import ReasonKind

HIGHEST_MARK = 10
_LINE = 200  # characters of a display name or remark
_NOTE = 20_000  # characters of a note

FieldValue: TypeAlias = str | int | None  # None: nothing is said
_LONG_TEXT = ReasonKind("long_text", "{name} must have at most {most} characters, not {length}")
_CONTROL_CHARACTERS = ReasonKind("control_characters", "{name} must not have control characters")
_HALF_A_PAIR = ReasonKind("half_a_pair", "{name} must be Unicode text: it has half of a surrogate pair")


@frozen
class Annotation:
    """What users wrote about one run; None for an empty field. ``mark`` is the number of an icon, 1 to 10.

    An ``archived`` run is neither listed nor drawn unless the user asks for archived runs.
    """

    display_name: str | None = None
    note: str | None = None
    remark: str | None = None
    mark: int | None = None
    archived: bool | None = None

    def said(self) -> dict[str, str | int]:
        """The fields that have a value."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: value for name, value in values.items() if value is not None}


@frozen
class Authorship:
    """Who set a field, if a middleware named the user, and when."""

    by: str
    at: float  # seconds since the epoch


FIELDS = tuple(fields_dict(Annotation))
_NOBODY: Mapping[str, Annotation] = MappingProxyType({})
_UNSIGNED: Mapping[str, Mapping[str, Authorship]] = MappingProxyType({})


@frozen(eq=False)
class Annotations:
    """Annotations by run at one moment. ``generation`` changes whenever they do.

    ``written`` has the fields by run that known users set.
    """

    generation: int = 0
    runs: Mapping[str, Annotation] = field(default=_NOBODY)
    written: Mapping[str, Mapping[str, Authorship]] = field(default=_UNSIGNED)


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
