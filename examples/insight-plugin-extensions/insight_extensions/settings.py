"""A decoder: files of lines like ``optimizer = adam``."""

from __future__ import annotations

from insight_core.plugin.data import Payload


def settings_of(payload: Payload) -> dict[str, str]:
    """Values by name. Raises ValueError for a line without ``=``, or bytes that are not UTF-8."""
    pairs = [line.partition("=") for line in payload.data.decode().splitlines() if line.strip()]
    if not all(sign for _, sign, _ in pairs):
        raise ValueError("a line has no =")
    return {name.strip(): value.strip() for name, _, value in pairs}


def encoded(settings: dict[str, str]) -> object:
    """What ``/value`` answers: a list, because the order of the file says more than that of names."""
    return [{"name": name, "value": value} for name, value in settings.items()]
