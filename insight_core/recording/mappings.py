"""Checks values that must be plain mappings."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from operator import index

INT32, INT64 = range(-(2**31), 2**31), range(-(2**63), 2**63)


def mapping_of(name: str, value: object) -> Mapping[str, object]:
    """``value``, if it is a mapping with text keys. Raises TypeError with ``name`` otherwise."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is a mapping, not {type(value).__name__}")
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"the keys of {name} are text, not {key!r}")
    return value


def known(name: str, value: Mapping[str, object], *keys: str) -> None:
    """Raises ValueError for an unknown key."""
    for key in value:
        if key not in keys:
            near = difflib.get_close_matches(key, keys, 1)
            hint = f"; did you mean {near[0]!r}?" if near else f": it has {', '.join(keys)}"
            raise ValueError(f"{name} has no {key!r}{hint}")


def text_of(name: str, value: object) -> str:
    """``value``, if it is text that UTF-8 can encode. Raises TypeError or UnicodeEncodeError otherwise."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is text, not {type(value).__name__}")
    value.encode()
    return value


def whole_number_of(name: str, value: object, limits: range) -> int:
    """``value`` as an int. Raises TypeError for a non-integer (bool too), ValueError beyond ``limits``."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is a whole number, not {value!r}")
    number = index(value)
    if number not in limits:
        raise ValueError(f"{name} is {limits.start} to {limits.stop - 1}, not {number}")
    return number
