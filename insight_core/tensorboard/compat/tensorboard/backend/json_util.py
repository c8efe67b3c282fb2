"""Values as JSON can carry them."""

from __future__ import annotations

import math
from typing import Any


def Cleanse(obj: Any, encoding: str = "utf-8") -> Any:  # noqa: ANN401
    """NaN and infinite numbers and bytes as strings, sets sorted, tuples as lists."""
    if isinstance(obj, float) and not math.isfinite(obj):
        return "NaN" if math.isnan(obj) else "Infinity" if obj > 0 else "-Infinity"
    if isinstance(obj, bytes):
        return obj.decode(encoding)
    if isinstance(obj, dict):
        return {Cleanse(key, encoding): Cleanse(value, encoding) for key, value in obj.items()}
    if isinstance(obj, set | frozenset):
        return [Cleanse(value, encoding) for value in sorted(obj)]
    if isinstance(obj, list | tuple):
        return [Cleanse(value, encoding) for value in obj]
    return obj
