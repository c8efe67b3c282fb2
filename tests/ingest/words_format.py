"""A log format for tests: lines of tag, step and value in files named ``*.words``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from insight_core.plugin import FileName, Flaw, LogFormat, Points, Reason
from insight_core.plugin.data import SeriesKey
from insight_core.providers.local import LocalProvider

LINES = 40  # in one call
Opener = Callable[..., LocalProvider]  # the fixture ``opened``


def read_words(stream: BinaryIO, state: Any) -> tuple[list[Points | Flaw], Any]:  # noqa: ANN401
    """``tag step value`` on each line, as a package of others might read it."""
    number = state["line"] if state else 0
    found: dict[str, tuple[list[int], list[float]]] = {}
    flaws: list[Points | Flaw] = []
    for _ in range(LINES):
        offset = stream.tell()
        line = stream.readline()
        if not line.endswith(b"\n"):
            stream.seek(offset)
            break
        number += 1
        try:
            tag, step, value = line.decode().split()
            steps, values = found.setdefault(tag, ([], []))
            steps.append(int(step))
            values.append(float(value))
        except ValueError:
            flaws.append(
                Flaw(offset, Reason(f"line {number} is malformed", "words_line", line=number), len(line))
            )
    return [*(Points(tag, *columns) for tag, columns in found.items()), *flaws], {"line": number}


WORDS = LogFormat("words", FileName("*.words"), read_words)


def lines(first: int, end: int, tag: str = "loss") -> str:
    return "".join(f"{tag} {step} {step / 2}\n" for step in range(first, end))


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def values(provider: LocalProvider, run: str, tag: str = "loss") -> list[float]:
    key = SeriesKey(run, tag)
    found = provider.scalars("scalar", [key])
    return found[key].values.tolist() if key in found else []


def damage(provider: LocalProvider) -> list[tuple[str, int, str, int]]:
    return [(each.file, each.offset, each.reason, each.skipped) for each in provider.damage()]
