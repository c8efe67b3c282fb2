"""Translates ``run-*.wandb``, the log of a W&B run: values, configuration, console, media files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, Reason, Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers.block_log import records_of
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_records import WandbRun

_CHUNK = 8 << 20  # bytes of a call
_LONGEST = 512 << 20  # bytes of a record
_BEGINNING = 7  # ":W&B", a number and the version
_MARK = b":W&B\xe1\xbe"

_TYPES = MessageTypes(Path(__file__).with_name("wandb.binpb"))


def is_wandb(beginning: bytes) -> bool:
    """Whether a file begins as W&B's logs do."""
    return beginning.startswith(_MARK)


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    with open(source, "rb") as file:
        info = os.fstat(file.fileno())
        identity = [info.st_dev, info.st_ino]
        if made.state.get("file") != identity or made.state["offset"] > info.st_size:
            made.start_anew()
            made.state = {"file": identity, "offset": 0, "run": {}}
        state = made.state
        beginning = file.read(_BEGINNING)
        if not is_wandb(beginning):
            raise ValueError(Reason("it does not begin as a log of W&B", "importers_no_wandb"))
        if beginning[6] != 0:
            text = f"version {beginning[6]} of W&B's log is not known"
            raise ValueError(Reason(text, "importers_wandb_version", version=beginning[6]))
        found, is_rest = _chunk(file, int(state["offset"]), info.st_size)
    run = WandbRun(state["run"], Path(source).parent, made)
    for data in found.records:
        try:
            record = _TYPES.parse("Record", data)
        except ValueError:
            text = "a record of W&B's log is no protobuf message"
            found.flaws.append(Flaw(found.end - 1, Reason(text, "importers_wandb_record"), len(data)))
            continue
        run.take(record)
    run.write()
    state["offset"] = found.end
    passing = []
    for flaw in [*found.flaws, *run.flaws]:
        if flaw.offset < found.end:
            made.note(run.name, flaw)
        else:
            passing.append((run.name, flaw))
    if is_rest and found.is_cut and run.has_ended:
        cut = Reason("the file ends within a record", "importers_cut")
        passing.append((run.name, Flaw(found.end, cut, info.st_size - found.end)))
    return made.finish(is_done=is_rest, flaws=passing)


def _chunk(file: Any, offset: int, size: int) -> tuple[Any, bool]:  # noqa: ANN401
    """The next records, at least one unless the file ends within it; whether the rest was read."""
    length = _CHUNK
    while True:
        file.seek(offset)
        data = file.read(length)
        is_rest = offset + len(data) >= size or len(data) < length
        found = records_of(data, offset, _BEGINNING)
        if found.records or found.end > max(offset, _BEGINNING) or is_rest or length >= _LONGEST:
            return found, is_rest
        length *= 4
