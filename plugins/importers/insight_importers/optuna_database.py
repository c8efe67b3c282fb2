"""Reads an RDB storage of Optuna in SQLite."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import Factory, define

from insight_importers.cells import loaded
from insight_importers.odd_values import whole_of
from insight_importers.optuna_trials import OptunaTrial, Study, metric_names, param_of, write_trials
from insight_importers.sqlite_files import Database, TrackerRows
from insight_importers.translated_runs import TranslatedRuns

_SPECIAL = {"NAN": math.nan, "INF_POS": math.inf, "INF_NEG": -math.inf}


@define
class OptunaStudies(TrackerRows):
    """What a database knows now."""

    trials: dict[object, OptunaTrial] = Factory(dict)  # by number in the database


def is_its(database: Database) -> bool:
    """Whether a database has Optuna's tables."""
    return {"studies", "trials", "trial_params", "trial_values", "version_info"} <= database.tables


def read(database: Database, state: Mapping[str, Any]) -> OptunaStudies:
    """All trials as they are now: rows of a trial are changed, too."""
    found = OptunaStudies()
    studies = {number: Study(str(name)) for number, name in database.rows("studies", "study_id, study_name")}
    for number, key, value in database.rows("study_system_attributes", "study_id, key, value_json"):
        if number in studies:
            studies[number].names = metric_names({str(key): _loaded(value)}) or studies[number].names
    columns = "trial_id, number, study_id, state, datetime_start, datetime_complete"
    for trial, number, study, status, started, ended in database.rows("trials", columns, "ORDER BY trial_id"):
        if study in studies:
            key = f"{study}-{trial}-{started}"  # that of another database differs
            found.trials[trial] = OptunaTrial(
                *(key, studies[study], whole_of(number) or 0, str(status)),
                *(str(started or ""), str(ended or "")),
            )
    trials = found.trials
    columns = "trial_id, param_name, param_value, distribution_json"
    for trial, name, value, distribution in database.rows("trial_params", columns, "ORDER BY param_id"):
        if trial in trials:
            trials[trial].params[str(name)] = param_of(value, distribution)
    for trial, key, value in database.rows("trial_user_attributes", "trial_id, key, value_json"):
        if trial in trials:
            trials[trial].attributes[str(key)] = _loaded(value)
    kind = "value_type" if "value_type" in database.columns("trial_values") else "''"
    for trial, value, special in database.rows(
        "trial_values", f"trial_id, value, {kind}", "ORDER BY trial_id, objective"
    ):
        if trial in trials:
            trials[trial].values.append(_number(value, special))
    table = "trial_intermediate_values"
    kind = "intermediate_value_type" if "intermediate_value_type" in database.columns(table) else "''"
    columns = f"trial_id, step, intermediate_value, {kind}"
    rows = database.rows(table, columns, f"ORDER BY {table[:-1]}_id") if table in database.tables else ()
    for trial, step, value, special in rows:
        at = whole_of(step)
        if trial in trials and at is not None:
            trials[trial].reported[at] = _number(value, special)
    return found


def write(found: OptunaStudies, target: TranslatedRuns, source: Path) -> None:
    """Writes what is new of each trial."""
    found.is_last = write_trials(found.trials.values(), target, source)


def _number(value: object, special: object) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    return _SPECIAL.get(str(special), math.nan)


def _loaded(data: Any) -> Any:  # noqa: ANN401
    try:
        return loaded(data)
    except ValueError:
        return str(data)
