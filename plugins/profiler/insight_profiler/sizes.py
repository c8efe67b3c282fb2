"""Sizes in words, as the page writes them."""

from __future__ import annotations

_UNITS = ("B", "kB", "MB", "GB", "TB")


def size_text(size: float) -> str:
    """Bytes with their unit: ``512 B``, ``4.2 MB``, ``128 GB``."""
    power = 0
    while abs(size) >= 999.5 and power < len(_UNITS) - 1:
        size, power = size / 1000, power + 1
    return f"{size:.{1 if abs(size) < 99.5 and power else 0}f} {_UNITS[power]}"
