"""Translates ``run-*.wandb``, the logs of a W&B run: values, configuration, console, media files."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import Flaw, Reason, ReasonKind, Translation
from insight_core.plugin.payloads import MessageTypes
from insight_importers import beginnings
from insight_importers.record_log import is_replaced, next_part
from insight_importers.translated_runs import TranslatedRuns
from insight_importers.wandb_logs import logs_of_run
from insight_importers.wandb_records import WandbRun

_VERSION = 0
_TYPES = MessageTypes(Path(__file__).with_name("wandb.binpb"))
_IN_LOG = ReasonKind("importers_in_log", "{log}: {cause}")


def translate(source: str, target: Path) -> Translation:
    """Reads some MiB more of each log of a run.

    The first log stands for the run. The others are stores without runs.
    """
    (logs, watched), made = logs_of_run(source), TranslatedRuns(target)
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
        part = parts[log] = next_part(log, places.setdefault(log, {}), "W&B", beginnings.WANDB, (_VERSION,))
        run.begin_log(Path(log).parent)
        part.take_each(_TYPES, "W&B", run.take)
    if not run.write():
        axes = made.state["run"]["axes"]
        made.start_anew()
        made.state["run"] = {"axes": axes}
        return made.finish(is_done=False, watched=watched)
    made.note_all(run.name, run.flaws)
    tail = []
    for log, part in parts.items():
        made.note_all(run.name, [_in_log(log, logs, flaw) for flaw in part.flaws])
        tail += [(run.name, _in_log(log, logs, flaw)) for flaw in part.tail()]
    is_done = all(part.is_rest for part in parts.values())
    notes = [(run.name, flaw) for flaw in run.notes()]
    return made.finish(is_done=is_done, watched=watched, flaws=notes, tail=tail)


def _in_log(log: str, logs: list[str], flaw: Flaw) -> Flaw:
    """The damage of a log. It is listed under the name of the first log of the run, others are named."""
    if log == logs[0]:
        return flaw
    name, cause = "/".join(Path(log).parts[-2:]), Reason.of(flaw.reason)
    reason = _IN_LOG(log=name, cause=cause)
    return Flaw(flaw.offset, reason, flaw.skipped)
