"""Trials of Optuna as runs: parameters, values of objectives, and the values that were reported meanwhile."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import Factory, define

from insight_core.plugin import Flaw, ReasonKind
from insight_importers.cells import Cell, cell_of, cells_of
from insight_importers.odd_values import seconds_of
from insight_importers.translated_runs import TranslatedRuns

STATES = ("RUNNING", "COMPLETE", "PRUNED", "FAIL", "WAITING")  # by number, as journals have them
_STATUSES = {"RUNNING": "running", "COMPLETE": "success", "PRUNED": "success", "FAIL": "failure"}
_MOST = 5_000  # trials of a store
_AT_FIRST = 500  # trials of the first call that writes; a later one writes thrice as many as are known
_MORE_TRIALS = ReasonKind("importers_more_trials", "{more:,} trials after the first {most:,} are not shown")
_METRIC_NAMES = "study:metric_names"


@define
class Study:
    """``names`` are those of its objectives, if it gives them any."""

    name: str
    names: tuple[str, ...] = ()
    trials: int = 0


@define
class OptunaTrial:
    """What a store knows of a trial now. Times are as it has them; ``reported`` are values by step."""

    key: str
    study: Study
    number: int
    state: str = "RUNNING"
    started: str = ""
    ended: str = ""
    params: dict[str, object] = Factory(dict)
    attributes: dict[str, object] = Factory(dict)
    values: list[float] = Factory(list)
    reported: dict[int, float] = Factory(dict)


def metric_names(attributes: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of objectives among the system attributes of a study."""
    names = attributes.get(_METRIC_NAMES)
    return tuple(map(str, names)) if isinstance(names, list) else ()


def param_of(value: object, distribution: object) -> object:
    """The value of a parameter from how it is stored: choices are stored by number, integers as floats."""
    try:
        known = json.loads(str(distribution))
        if known["name"] == "CategoricalDistribution":
            return known["attributes"]["choices"][int(value)]  # type: ignore[call-overload]
        if known["name"].startswith("Int"):
            return int(value)  # type: ignore[call-overload]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        pass
    return value


def write_trials(trials: Iterable[OptunaTrial], made: TranslatedRuns, source: Path) -> bool:
    """Writes what is new of the trials; returns whether that is all for now.

    Names of runs begin with that of the store: others next to it may have studies of the same names.

    ``made.state["trials"]`` has by key what was written: the number of reported values, and all else as text.
    """
    shown = [trial for trial in trials if trial.state != "WAITING"]
    more = len(shown) - _MOST
    shown = shown[:_MOST]
    made.keep({trial.key for trial in shown})
    known: dict[str, list[Any]] = made.state.setdefault("trials", {})
    made.state["trials"] = known = {trial.key: known[trial.key] for trial in shown if trial.key in known}
    written, most = 0, max(_AT_FIRST, 3 * len(known))
    for trial in shown:
        now = [len(trial.reported), _text_of(trial)]
        if known.get(trial.key) == now:
            continue
        if written == most:
            return False
        _write(trial, made, source.stem, known.get(trial.key, [0])[0])
        known[trial.key] = now
        written += 1
    if more > 0:
        made.note("", Flaw(0, _MORE_TRIALS(more=more, most=_MOST)))
    return True


def _text_of(trial: OptunaTrial) -> str:
    told = [trial.state, trial.ended, trial.params, trial.attributes, trial.values, trial.study.name]
    return json.dumps(told, default=str)


def _write(trial: OptunaTrial, made: TranslatedRuns, store: str, before: int) -> None:
    if before > len(trial.reported):  # another trial under the same key
        made.remove(trial.key)
        before = 0
    run = made.run(trial.key, f"{store}/{trial.study.name}/trial {trial.number}")
    rows = list(trial.reported.items())[before:]
    if rows:
        steps, values = zip(*rows, strict=True)
        run.scalars("intermediate_value", steps, [math.nan] * len(steps), values)
    facts = run.facts
    named = [*trial.params.items(), *((f"user_attrs/{name}", one) for name, one in trial.attributes.items())]
    facts.config, flaws = cells_of(named)
    made.note_all(run.name, flaws)
    facts.status = _STATUSES.get(trial.state, "")
    facts.started, facts.ended = seconds_of(trial.started) or 0.0, seconds_of(trial.ended) or 0.0
    facts.last_step = max(trial.reported, default=0)
    facts.results = dict(zip(_objectives(trial), trial.values, strict=False))
    origin: dict[str, Cell] = {"tracker": "Optuna", "project": trial.study.name, "tags": trial.state.lower()}
    facts.origin = {name: cell for name, one in origin.items() if (cell := cell_of(one)) is not None}


def _objectives(trial: OptunaTrial) -> list[str]:
    """Names of tags: those of the study, else ``value``, or ``values_0`` as in Optuna's data frame."""
    names = trial.study.names
    if len(names) >= len(trial.values):
        return list(names)
    return ["value"] if len(trial.values) == 1 else [f"values_{place}" for place in range(len(trial.values))]
