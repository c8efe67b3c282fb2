"""Makes a long trace of a real one: ``python -m benchmarks.repeated_trace trace.json.gz 5000 long.json``.

The events follow each other as often as it takes, each time later, with identifiers and numbers of steps of
their own, so that arrows, launches and steps stay what they are. The text is the one that torch wrote.
"""

from __future__ import annotations

import argparse
import gzip
import re
from pathlib import Path

_PAUSE = 1000.0  # us between two repetitions
_NUMBERS = re.compile(
    r'"ts": (?P<ts>[\d.]+)|"(?:id|correlation|External id|Sequence number|Ev Idx)": (?P<id>\d+)'
    r"|ProfilerStep#(?P<step>\d+)"
)
_EVENTS = '"traceEvents": ['


def repeat(source: Path, megabytes: float, path: Path) -> int:
    """Writes the trace until it has ``megabytes``; returns how often its events follow each other."""
    packed = source.read_bytes()
    text = (gzip.decompress(packed) if packed.startswith(b"\x1f\x8b") else packed).decode()
    start = text.index(_EVENTS) + len(_EVENTS)
    end = text.rindex("]")
    head, events, tail = text[:start], text[start:end].strip(), text[end:]
    pieces, times, identifiers, steps, kinds = _parts(events)
    length = max(times) - min(times) + _PAUSE
    span = max(identifiers, default=0) + 1
    step_span = max(steps, default=0) - min(steps, default=0) + 1
    count = 0
    with path.open("w", encoding="utf-8") as file:
        written = file.write(head)
        while not count or written < megabytes * 1e6:
            found = {
                "ts": iter([f'"ts": {time + count * length:.3f}' for time in times]),
                "id": iter([str(one + count * span) for one in identifiers]),
                "step": iter([f"ProfilerStep#{one + count * step_span}" for one in steps]),
            }
            numbers = [next(found[kind]) for kind in kinds]
            body = "".join([part for pair in zip(pieces, [*numbers, ""], strict=True) for part in pair])
            written += file.write(body if not count else f",\n{body}")
            count += 1
        file.write(f"\n{tail}")
    return count


def _parts(events: str) -> tuple[list[str], list[float], list[int], list[int], list[str]]:
    """The text between what changes, and what changes: times, identifiers, steps, and which is next."""
    pieces, times, identifiers, steps, kinds = (
        list[str](),
        list[float](),
        list[int](),
        list[int](),
        list[str](),
    )
    at = 0
    for found in _NUMBERS.finditer(events):
        kind = str(found.lastgroup)
        value = found[kind]
        begin = found.start(kind) if kind == "id" else found.start()
        pieces.append(events[at:begin])
        at = found.end()
        kinds.append(kind)
        if kind == "ts":
            times.append(float(value))
        else:
            (identifiers if kind == "id" else steps).append(int(value))
    return [*pieces, events[at:]], times, identifiers, steps, kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("path", type=Path)
    chosen = parser.parse_args()
    print(f"{repeat(chosen.source, chosen.megabytes, chosen.path)} times")


if __name__ == "__main__":
    main()
