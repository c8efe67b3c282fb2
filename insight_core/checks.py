"""Validators of attrs whose messages say what the author wrote and what is expected."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from attrs import Attribute

Check: TypeAlias = Callable[[Any, "Attribute[Any]", Any], None]


def is_a(kind: type | tuple[type, ...], words: str, *, optional: bool = False) -> Check:
    """A validator whose message says what the author wrote and what is expected."""

    def check(owner: object, attribute: Attribute[Any], value: object) -> None:
        if not (isinstance(value, kind) or (optional and value is None)):
            raise TypeError(f"its {attribute.name} is {_kind_of(value)}, not {words}")

    return check


def has_form(pattern: str, words: str) -> Check:
    """A validator for text; its message has the text that the author wrote, and the form in words."""
    form = re.compile(pattern)

    def check(owner: object, attribute: Attribute[Any], value: object) -> None:
        if not isinstance(value, str):
            raise TypeError(f"its {attribute.name} is {_kind_of(value)}, not a string")
        if not form.fullmatch(value):
            raise ValueError(f"its {attribute.name} is {value!r}, which has not the form: {words}")

    return check


def one_of(values: Collection[str]) -> Check:
    """A validator for one of these words."""

    def check(owner: object, attribute: Attribute[Any], value: object) -> None:
        if value not in values:
            raise ValueError(f"its {attribute.name} is {value!r}, not one of {', '.join(values)}")

    return check


def check_function(owner: object, attribute: Attribute[Any], value: object) -> None:
    """A validator of fields with this converter, and of optional ones. Raises TypeError."""
    if not callable(value) and not (value is None and attribute.default is None):
        raise TypeError(f"its {attribute.name} is {_kind_of(value)}, not a function or 'package.module:name'")


def check_texts(owner: object, attribute: Attribute[Any], value: object) -> None:
    """A validator of texts by name. Raises TypeError."""
    if not isinstance(value, Mapping) or not all(
        isinstance(one, str) for pair in value.items() for one in pair
    ):
        raise TypeError(f"its {attribute.name} are not a mapping of strings")


def _kind_of(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


TEXT = is_a(str, "a string")
IDENTIFIER = has_form(r"[a-z][a-z0-9_]*", "lower-case letters, digits and _, a letter first")
