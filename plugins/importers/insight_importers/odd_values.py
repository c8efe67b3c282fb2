"""Converts cells of stores to numbers; any other cell is damage of its place alone."""

from __future__ import annotations

import logging
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, tzinfo
from typing import Any

import numpy as np
from numpy.typing import NDArray

from insight_core.plugin import Flaw, Reason, ReasonKind

log = logging.getLogger(__name__)

_LONGEST = 60  # characters of a value that damage quotes
_UNUSUAL = Reason("it is not as the tracker writes it", "importers_unusual")
_STEP = ReasonKind("importers_step", "{name}: the step is {value}, not a whole number")
_TIME = ReasonKind("importers_time", "{name}: the time is {value}, which is not a time")
_NUMBER = ReasonKind("importers_number", "{name} at step {step} is {value}, not a number")


def whole_of(value: object) -> int | None:
    """A number or its text as an int64, without its fraction; None for anything else."""
    try:
        whole = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        number = float_of(value)
        if number is None or not math.isfinite(number):
            return None
        whole = int(number)
    return whole if -(1 << 63) <= whole < 1 << 63 else None


def float_of(value: object) -> float | None:
    """A number or its text as a float64; None for anything else."""
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond float64
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except (TypeError, ValueError):
        return None


def seconds_of(text: object, zone: tzinfo | None = None) -> float | None:
    """Seconds since the epoch of a time in ISO 8601; None for anything else.

    A time without a zone is of ``zone``, or of this machine.
    """
    try:
        when = datetime.fromisoformat(str(text))
        return (when if when.tzinfo else when.replace(tzinfo=zone)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def whole_column(cells: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Each cell as ``whole_of`` has it, 0 for those without, and the places of these."""
    try:
        return np.fromiter(map(operator.index, cells), np.int64, len(cells)), np.empty(0, np.intp)
    except (TypeError, OverflowError):
        found = list(map(whole_of, cells))
        return np.array([one or 0 for one in found], np.int64), _absent(found)


def float_column(cells: Sequence[Any]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Each cell as ``float_of`` has it, NaN for those without, and the places of these."""
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells)), np.empty(0, np.intp)
    except (TypeError, ValueError, OverflowError):
        found = list(map(float_of, cells))
        return np.array([math.nan if one is None else one for one in found], np.float64), _absent(found)


def _absent(found: Sequence[object]) -> NDArray[np.intp]:
    return np.flatnonzero([one is None for one in found])


def odd_step(name: str, value: object) -> Flaw:
    """The damage of a value whose step is none."""
    shown = _quoted(value)
    return Flaw(0, _STEP(name=name, value=shown))


def odd_time(name: str, value: object) -> Flaw:
    """The damage of a value whose time is none; the value itself is shown."""
    shown = _quoted(value)
    return Flaw(0, _TIME(name=name, value=shown))


def odd_number(name: str, step: int, value: object) -> Flaw:
    """The damage of a value that is not a number."""
    shown = _quoted(value)
    return Flaw(0, _NUMBER(name=name, step=step, value=shown))


def _quoted(value: object) -> str:
    if value is None:
        return "null"
    text = str(value)
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    return f'"{text}"' if isinstance(value, str) else text


@contextmanager
def contained(note: Callable[[Reason], None]) -> Iterator[None]:
    """Gives ``note`` the cause of whatever the block raises: other values of the store are not concerned."""
    try:
        yield
    except Exception as error:  # a store may hold anything, and fail anywhere
        log.debug("a value of a store cannot be used", exc_info=error)
        note(cause_of(error))


def cause_of(error: Exception) -> Reason:
    """Why a value cannot be used, in words of the log."""
    if isinstance(error, OSError):
        return Reason(error.strerror or "it cannot be read")
    reason = Reason.of(error)
    return reason if isinstance(error, ValueError) and reason.code else _UNUSUAL
