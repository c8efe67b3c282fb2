"""Translates ``run-*.wandb``, the log of a W&B run: values, configuration, console, media files."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.record_log import cut_end, next_part, note_flaws, unreadable_record
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_records import WandbRun

_VERSION = 0
_TYPES = MessageTypes(Path(__file__).with_name("wandb.binpb"))


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    part = next_part(source, made, "W&B", beginnings.WANDB, _VERSION)
    run = WandbRun(made.state["run"], Path(source).parent, made)
    for data in part.found.records:
        try:
            run.take(_TYPES.parse("Record", data))
        except ValueError:
            part.found.flaws.append(unreadable_record(part.found, len(data), "W&B"))
    run.write()
    passing = note_flaws(made, run.name, part.found.end, [*part.found.flaws, *run.flaws])
    if part.cut and run.has_ended:
        passing.append((run.name, cut_end(part)))
    return made.finish(is_done=part.is_rest, flaws=passing)
