"""A log format: files of lines like ``loss 7 0.25``, a tag, a step and a value."""

from __future__ import annotations

from typing import Any, BinaryIO

from insight_core.plugin import Flaw, Points, ReasonKind

_NO_POINT = ReasonKind("extensions_line", "line {line} is not a tag, a step and a value")


def read(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
    """Reads lines of tag, step and value, up to 4 MiB in a call."""
    number = 0 if state is None else state["line"]  # lines read so far
    points: dict[str, tuple[list[int], list[float]]] = {}
    flaws, offset = [], stream.tell()
    for line in stream.readlines(4 << 20):
        if not line.endswith(b"\n"):  # not finished yet
            break
        number += 1
        try:
            tag, step, value = line.split()
            point = int(step), float(value)
        except ValueError:
            flaws.append(Flaw(offset, _NO_POINT(line=number), len(line)))
        else:
            steps, values = points.setdefault(tag.decode(), ([], []))
            steps.append(point[0])
            values.append(point[1])
        offset += len(line)
    stream.seek(offset)
    return [*(Points(tag, *columns) for tag, columns in points.items()), *flaws], {"line": number}


def looks_right(beginning: bytes) -> bool:
    """Whether a file begins with a line of three words: other files of this name are left alone."""
    return len(beginning.split(b"\n")[0].split()) == 3
