"""Ceilings of a device: the peaks of its data sheet, and those that a user gives instead."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from insight_core.plugin import InvalidArgument, ReasonKind
from insight_profiler.analysis.device_peaks import UNKNOWN_PEAK, PeakRate
from insight_profiler.analysis.kernel_schemes import InputType
from insight_profiler.analysis.operator_peaks import profile_peak
from insight_profiler.model import Profile

MEMORY = "memory"
_TERA = 1e12
_MOST = 1e9  # TFLOP/s, TB/s
NAMES = (MEMORY, *(kind.name.lower() for kind in InputType))
_BAD_CEILINGS = ReasonKind(
    "profiler_bad_ceilings",
    "ceilings must be names and numbers above 0 such as memory:3.35,half:989 (TB/s and TFLOP/s; names: "
    "{names}), not {value!r}",
)


@frozen
class OwnCeilings:
    """Ceilings that a user gave: bytes/s of the memory, FLOP/s by the type that is multiplied."""

    memory: float | None = None
    by_type: Mapping[InputType, float] = field(factory=dict)


def own_ceilings(text: str | None) -> OwnCeilings:
    """Of ``memory:3.35,half:989``, in TB/s and TFLOP/s. Raises InvalidArgument."""
    memory: float | None = None
    by_type: dict[InputType, float] = {}
    for part in filter(None, (text or "").split(",")):
        name, _, number = part.partition(":")
        try:
            rate = float(number)
        except ValueError:
            rate = math.nan
        if name not in NAMES or not 0 < rate <= _MOST:
            raise InvalidArgument(_BAD_CEILINGS(value=part, names=", ".join(NAMES)))
        if name == MEMORY:
            memory = rate * _TERA
        else:
            by_type[InputType[name.upper()]] = rate * _TERA
    return OwnCeilings(memory, by_type)


def ceilings_of(profile: Profile, own: OwnCeilings) -> PeakRate:
    """The ceilings of the device of a profile; NaN where neither data sheet nor user tells."""
    return (profile_peak(profile) or UNKNOWN_PEAK).with_own(own.memory, own.by_type)


def described(peak: PeakRate, own: OwnCeilings) -> list[dict[str, Any]]:
    """Each ceiling that may be known, by name: its ``rate`` (None: not known), whether it ``is_own``."""
    rates = {MEMORY: peak.memory} | {
        kind.name.lower(): peak.by_type.get(kind, peak.plain if kind is InputType.FLOAT32 else math.nan)
        for kind in InputType
    }
    given = {kind.name.lower() for kind in own.by_type} | ({MEMORY} if own.memory is not None else set())
    return [
        {"name": name, "rate": rate if math.isfinite(rate) else None, "is_own": name in given}
        for name, rate in rates.items()
    ]
