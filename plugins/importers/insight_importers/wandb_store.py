"""Translates ``run-*.wandb``, the logs of a W&B run: values, configuration, console, media files."""

from __future__ import annotations

import os
from pathlib import Path

from insight_core.plugin import Flaw, Reason, Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.record_log import cut_end, is_replaced, next_part, note_flaws, unreadable_record
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_logs import logs_of_run
from insight_importers.wandb_records import WandbRun

_VERSION = 0
_TYPES = MessageTypes(Path(__file__).with_name("wandb.binpb"))


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of each log of a run.

    The first log stands for the run. The others are stores without runs.
    """
    logs, made = logs_of_run(source), TranslatedRuns(target)
    watched = [*logs, os.path.dirname(os.path.dirname(source))]
    if logs[0] == source:
        return _translate(logs, made, watched)
    made.start_anew()
    return made.finish(watched=watched)


def translate_alone(source: str, target: Path) -> Translation:
    """Reads some MiB more of a log whose directory is shown alone."""
    return _translate([source], TranslatedRuns(target), [source])


def _translate(logs: list[str], made: TranslatedRuns, watched: list[str]) -> Translation:
    known = made.state.get("logs", [])
    places = made.state.get("places", {})
    if known != logs[: len(known)] or any(is_replaced(log, places.get(log, {})) for log in known):
        made.start_anew()
    if made.state.get("logs") != logs:
        made.state["logs"] = logs
        if len(logs) > 1:  # the host fetches watched files before the next call
            return made.finish(is_done=False, watched=watched)
    places = made.state.setdefault("places", {})
    run = WandbRun(made.state.setdefault("run", {}), made)
    parts = {}
    for log in logs:
        part = parts[log] = next_part(log, places.setdefault(log, {}), "W&B", beginnings.WANDB, _VERSION)
        run.begin_log(Path(log).parent)
        for data in part.found.records:
            try:
                run.take(_TYPES.parse("Record", data))
            except ValueError:
                part.found.flaws.append(unreadable_record(part.found, len(data), "W&B"))
    if not run.write():
        axes = made.state["run"]["axes"]
        made.start_anew()
        made.state["run"] = {"axes": axes}
        return made.finish(is_done=False, watched=watched)
    passing = [(run.name, flaw) for flaw in run.notes()]
    for flaw in run.flaws:
        made.note(run.name, flaw)
    for log, part in parts.items():
        flaws = part.found.flaws
        if part.cut and run.has_ended:
            flaws.append(cut_end(part))
        named = flaws if log == logs[0] else [_in_log(log, flaw) for flaw in flaws]
        passing += note_flaws(made, run.name, part.found.end, named)
    is_done = all(part.is_rest for part in parts.values())
    return made.finish(is_done=is_done, watched=watched, flaws=passing)


def _in_log(log: str, flaw: Flaw) -> Flaw:
    """The damage of a log that is not the first of its run, under whose name damage is listed."""
    name, cause = "/".join(Path(log).parts[-2:]), Reason.of(flaw.reason)
    reason = Reason(f"{name}: {cause}", "importers_in_log", log=name, cause=cause)
    return Flaw(flaw.offset, reason, flaw.skipped)
