"""Reports which scanner is available, without importing it."""

from __future__ import annotations

import importlib.util
import os


def is_wanted() -> bool:
    """Whether compiled modules may be used; INSIGHT_HOST_PURE=1 disables them."""
    return os.environ.get("INSIGHT_HOST_PURE", "") in ("", "0")


def kernel_name() -> str:
    """The name of the scanner in use, for ``--version``."""
    if not is_wanted():
        return "pure Python (INSIGHT_HOST_PURE is set)"
    try:
        from insight_record.formats import _crc32c
    except ImportError:
        return "pure Python (no compiled kernel)"
    there = importlib.util.find_spec("insight_core.ingest.scanner._kernel") is not None
    return f"compiled, {_crc32c.name}" if there else f"pure Python (no compiled kernel), {_crc32c.name}"
