"""Translates ``run-*.wandb``, the log of a W&B run: values, configuration, console, media files."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.record_log import next_part
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_records import WandbRun

_VERSION = 0
_TYPES = MessageTypes(Path(__file__).with_name("wandb.binpb"))


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of the log."""
    made = TranslatedRuns(target)
    part = next_part(source, made, "W&B", beginnings.WANDB, _VERSION)
    run = WandbRun(made.state["run"], Path(source).parent, made)
    part.take_each(_TYPES, "W&B", run.take)
    run.write()
    made.note_all(run.name, [*part.flaws, *run.flaws])
    return made.finish(is_done=part.is_rest, tail=[(run.name, flaw) for flaw in part.tail()])
