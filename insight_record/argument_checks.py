"""Checks arguments of recording: mappings, texts, whole numbers and scalars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import index

from insight_record.arrays import numbers_of

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
            import difflib  # loaded for this error only

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


def number_of(value: object) -> float:
    """The number of a scalar. Raises TypeError for other values, ValueError for more than one."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"a scalar is a number, not {type(value).__name__}")
    if isinstance(value, (int, float)):
        return _float_of(value)
    array = numbers_of(value)
    check_one(array.shape)
    return _float_of(array.reshape(-1)[0])


def check_one(shape: Iterable[int]) -> None:
    """Raises ValueError unless an array of this shape has exactly one element."""
    if any(size != 1 for size in shape):
        raise ValueError(f"a scalar is one number, not an array of shape {list(shape)}")


def named(error: Exception, kind: str, name: object) -> Exception:
    """The TypeError or ValueError of a value, with its kind and name added."""
    return (TypeError if isinstance(error, TypeError) else ValueError)(f"{kind} {name!r}: {error}")


def _float_of(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the range of floats
        return float("inf") if value > 0 else float("-inf")
