"""Texts of advice: sentences with numbers, rounded as users read them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from insight_core.plugin import Messages, Reason, ReasonKind

_LOCALES = Path(__file__).parents[1] / "locales"


@cache
def _messages() -> Mapping[str, Messages]:
    """By locale. The group ``advice`` is sent by the host: the page does not load it."""
    return {one.locale: one for one in Messages.of(_LOCALES)}


def _english() -> Mapping[str, str]:
    return _messages()["en"].texts


def texts() -> tuple[Messages, ...]:
    """The texts of advice and of errors in other languages."""
    return tuple(one for one in _messages().values() if one.locale != "en")  # reasons have their English text


def said(code: str, /, **details: object) -> Reason:
    """The text ``reason.profiler_<code>`` of ``locales/en.json`` with its details."""
    name = f"profiler_{code}"
    return Reason(_english()[f"reason.{name}"].format(**details), name, **details)


def has_text(code: str) -> bool:
    """Whether there is a text of advice with this code."""
    return f"reason.profiler_{code}" in _english()


def explained(title: ReasonKind) -> Reason | None:
    """Why what a rule finds matters: the text ``reason.profiler_<name>_why`` next to its title."""
    name = title.code.removeprefix("profiler_").removesuffix("_title") + "_why"
    return said(name) if has_text(name) else None


def percent(share: float) -> float:
    """Of a share: with one decimal below 10, whole above."""
    return round(100 * share, 1) if abs(share) < 0.1 else round(100 * share)


def milliseconds(nanoseconds: float) -> float:
    """Three significant digits."""
    return _plain(nanoseconds / 1e6)


def microseconds(nanoseconds: float) -> float:
    """Three significant digits."""
    return _plain(nanoseconds / 1e3)


def per_step(number: float) -> float:
    """How often something happens in a step: with one decimal below 10, whole above."""
    return _plain(round(number, 1)) if number < 10 else round(number)


def _plain(number: float) -> float:
    """Three significant digits, whole numbers without a point."""
    rounded = float(f"{number:.3g}")
    return int(rounded) if rounded.is_integer() else rounded
