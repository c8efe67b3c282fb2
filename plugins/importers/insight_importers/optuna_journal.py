"""Translates a journal of Optuna: a line of JSON for each operation on studies and trials."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from insight_core.plugin import Flaw, ReasonKind, Translation
from insight_importers.cells import loaded
from insight_importers.odd_values import float_of, whole_of
from insight_importers.optuna_trials import STATES, OptunaTrial, Study, metric_names, param_of, write_trials
from insight_importers.side_files import content_of
from insight_importers.translated_runs import TranslatedRuns

_LARGEST = 256 << 20  # bytes
_OPEN = ("RUNNING", "WAITING")  # states of trials that may change
_JOURNAL_LINE = ReasonKind("importers_journal_line", "line {line} is not an operation of Optuna")


def translate(source: str, target: Path) -> Translation:
    """Replays the whole journal, and writes what is new. Raises OSError, ValueError for one too large."""
    made = TranslatedRuns(target)
    lines = content_of(source, _LARGEST).split(b"\n")[:-1]  # the last one may be half written
    replay = _Replay()
    flaws = []
    for number, line in enumerate(lines, 1):
        try:
            replay.take(loaded(line))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            flaws.append(("", Flaw(0, _JOURNAL_LINE(line=number))))
    trials = (one for one in replay.trials if one is not None)
    is_done = write_trials(trials, made, Path(source))
    return made.finish(is_done=is_done, flaws=flaws)


class _Replay:
    """Studies and trials by their numbers, which count the operations that made them."""

    def __init__(self) -> None:
        self._studies: list[Study | None] = []  # None: deleted
        self.trials: list[OptunaTrial | None] = []
        self._operations: Mapping[int, Callable[[Mapping[str, Any]], None]] = {
            0: self._create_study,
            1: self._delete_study,
            3: self._name_objectives,
            4: self._create_trial,
            5: self._set_param,
            6: self._set_state,
            7: self._report,
            8: self._set_attribute,
        }

    def take(self, line: Mapping[str, Any]) -> None:
        """Applies an operation; those of unknown kinds change nothing that is shown."""
        operation = self._operations.get(line["op_code"])
        if operation is not None:
            operation(line)

    def _create_study(self, line: Mapping[str, Any]) -> None:
        name = str(line["study_name"])
        if all(study is None or study.name != name for study in self._studies):
            self._studies.append(Study(name))

    def _delete_study(self, line: Mapping[str, Any]) -> None:
        gone = self._studies[line["study_id"]]
        self._studies[line["study_id"]] = None
        self.trials = [None if one is not None and one.study is gone else one for one in self.trials]

    def _name_objectives(self, line: Mapping[str, Any]) -> None:
        study = self._studies[line["study_id"]]
        if study is not None:
            study.names = metric_names(line["system_attr"]) or study.names

    def _create_trial(self, line: Mapping[str, Any]) -> None:
        study = self._studies[line["study_id"]]
        if study is None:
            return
        started = str(line.get("datetime_start") or "")
        key = f"{line['study_id']}-{len(self.trials)}-{started}"
        trial = OptunaTrial(key, study, study.trials, STATES[line.get("state", 0)], started)
        study.trials += 1
        trial.ended = str(line.get("datetime_complete") or "")
        distributions = line.get("distributions") or {}
        for name, value in (line.get("params") or {}).items():
            trial.params[name] = param_of(value, distributions.get(name))
        trial.attributes.update(line.get("user_attrs") or {})
        values = line.get("values") or ([line["value"]] if line.get("value") is not None else [])
        trial.values = [float(value) for value in values]
        for step, value in (line.get("intermediate_values") or {}).items():
            trial.reported[int(step)] = float(value)
        self.trials.append(trial)

    def _open(self, line: Mapping[str, Any]) -> OptunaTrial | None:
        trial = self.trials[line["trial_id"]]
        return trial if trial is not None and trial.state in _OPEN else None

    def _set_param(self, line: Mapping[str, Any]) -> None:
        trial = self._open(line)
        if trial is not None:
            value = param_of(line["param_value_internal"], line["distribution"])
            trial.params[str(line["param_name"])] = value

    def _set_state(self, line: Mapping[str, Any]) -> None:
        trial = self._open(line)
        if trial is None:
            return
        trial.state = STATES[line["state"]]
        trial.values = [float(value) for value in line.get("values") or ()]
        trial.started = str(line.get("datetime_start") or trial.started)
        trial.ended = str(line.get("datetime_complete") or trial.ended)

    def _report(self, line: Mapping[str, Any]) -> None:
        trial, step, value = self._open(line), whole_of(line["step"]), float_of(line["intermediate_value"])
        if trial is not None and step is not None and value is not None:
            trial.reported[step] = value

    def _set_attribute(self, line: Mapping[str, Any]) -> None:
        trial = self._open(line)
        if trial is not None:
            trial.attributes.update(line["user_attr"])
