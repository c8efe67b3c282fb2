"""Reads what a model answered, from lines of JSON: texts and pictures by step, and the run's settings."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from insight_core.plugin import Flaw, HyperParameters, Images, Texts


def read(
    stream: BinaryIO,
    state: Any,  # noqa: ANN401
) -> tuple[list[Texts | Images | HyperParameters | Flaw], Any]:
    """Reads lines of ``step`` with ``answer`` or ``picture`` (a path), and lines of ``settings``."""
    items: list[Texts | Images | HyperParameters | Flaw] = []
    offset = stream.tell()
    for line in stream.readlines(4 << 20):
        if not line.endswith(b"\n"):  # not finished yet
            break
        try:
            said = json.loads(line)
            if "settings" in said:
                items.append(HyperParameters(said["settings"]))
            if "answer" in said:
                items.append(Texts("answer", [said["step"]], [said["answer"]]))
            if "picture" in said:
                items.append(Images("picture", [said["step"]], [said["picture"]]))
        except (ValueError, TypeError, KeyError):
            items.append(Flaw(offset, "a line is not an object with a step", len(line)))
        offset += len(line)
    stream.seek(offset)
    return items, None
