"""A store format for tests: ``*.chest`` files of lines ``run tag step value``, several runs in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from insight_core.plugin import FileName, Flaw, Reason, StoreFormat, Translation
from insight_core.plugin.testing import EventWriter

_LINES = 40  # in one call


def translate(source: str, target: Path) -> Translation:
    """Appends lines to event files, 40 in a call; which were read is kept in ``state``."""
    state = target / "state"
    known: dict[str, Any] = {"lines": 0, "runs": [], "flaws": []}
    if state.exists():
        known = json.loads(state.read_text())
    lines = Path(source).read_text().splitlines()[known["lines"] :]
    for line in lines[:_LINES]:
        known["lines"] += 1
        parts = line.split()
        if len(parts) != 4:
            known["flaws"].append(known["lines"])
            continue
        run, tag, step, value = parts
        if run not in known["runs"]:
            known["runs"].append(run)
        path = target / str(known["runs"].index(run)) / "events.out.tfevents.1.chest"
        writer = EventWriter(path, append=path.exists())
        writer.scalar(tag, int(step), float(value))
        writer.close()
    state.write_text(json.dumps(known))
    return Translation(
        {str(number): run for number, run in enumerate(known["runs"])},
        is_done=len(lines) <= _LINES,
        flaws=[("", Flaw(0, Reason(f"line {number} is odd", "chest_line"))) for number in known["flaws"]],
    )


CHEST = StoreFormat("chests", FileName("*.chest"), translate)
