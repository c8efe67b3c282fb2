"""A store format for tests: ``*.chest`` files of lines ``run tag step value``, several runs in a file."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

from attrs import evolve

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


# The others are called in other processes as well, so that what they saw stands in a file next to the logdir.


def seen_by(source: str) -> Path:
    """Where formats of a logdir's stores write down what they saw."""
    return Path(source).parent.parent / "seen"


def translate_and_tell(source: str, target: Path) -> Translation:
    """Writes down its target and the number of its entries, a line for each call."""
    with seen_by(source).open("a") as file:
        file.write(f"{len(list(target.iterdir()))} {target}\n")
    return translate(source, target)


def translate_good(source: str, target: Path) -> Translation:
    """Fails for other stores than ``good.chest`` as their names say."""
    kind = Path(source).stem
    if kind == "value":
        raise ValueError("no luck")
    if kind == "exit":
        raise SystemExit("no way")
    if kind == "key":
        raise KeyError("nowhere")
    if kind == "type":
        return None  # type: ignore[return-value]
    if kind == "file":
        target.read_bytes()
    if kind == "hang":
        time.sleep(1000)
    if kind == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "memory":
        bytearray(4 << 30)
    if kind in ("hang", "die", "memory"):
        raise AssertionError(kind)
    return translate(source, target)


def translate_and_die(source: str, target: Path) -> Translation:
    """Writes down each call and ends its process."""
    with seen_by(source).open("a") as file:
        file.write("called\n")
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def translate_after_a_death(source: str, target: Path) -> Translation:
    """Ends its process once, when it has translated a part."""
    if seen_by(source).exists():
        return translate(source, target)
    seen_by(source).touch()
    translate(source, target)
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def translate_elsewhere(source: str, target: Path) -> Translation:
    """Names runs and directories that lead elsewhere."""
    for number in range(3):
        place = target / str(number) / "events.out.tfevents.1.x"
        writer = EventWriter(place)
        writer.scalar("loss", 0, 1.0)
        writer.close()
    outside = str(Path(source).parents[2] / "outside")
    return Translation({"0": "../../up", "1": "", "2": "/a//./b" + "x" * 999, outside: "o", "../..": "p"})


def translate_and_forget(source: str, target: Path) -> Translation:
    """Names the first run only."""
    return evolve(translate(source, target), runs={"0": "a"})
