"""Texts of lines as a terminal would show them: without escape sequences and overwritten states."""

from __future__ import annotations

import re

# of colours and the cursor; of titles and links, to the end of the line if they have none; all others
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-Z\\^-~])")


def plain(data: bytes) -> bytes:
    """The bytes without escape sequences of terminals."""
    return _ESCAPES.sub(b"", data) if b"\x1b" in data else data


def text_of(data: bytes) -> tuple[str, int]:
    """The text of a line that a terminal would show last, and how many states of it were overwritten."""
    data = data.rstrip(b"\r\n")
    states = 0
    if b"\r" in data:
        parts = [part for part in data.split(b"\r") if part.strip(b" \t\x1b[AKm")]
        states, data = max(0, len(parts) - 1), parts[-1] if parts else b""
    if b"\b" in data:
        parts = [part for part in data.split(b"\b") if part.strip()]
        states, data = states + max(0, len(parts) - 1), parts[-1] if parts else b""
    return data.decode("utf-8", "replace"), states
