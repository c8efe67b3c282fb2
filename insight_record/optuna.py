"""A callback of Optuna: ``study.optimize(objective, callbacks=[OptunaCallback("runs/study")])``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from insight_record.summary_writer import SummaryWriter


class OptunaCallback:
    """Records every trial of a study as a run ``trial_<number>`` below ``log_dir``.

    Parameters, user attributes and the state of the trial are columns of the run, and so is
    ``direction/<result>``: ``minimize`` or ``maximize``. Intermediate values are the scalar
    ``intermediate_value`` by step. The result is ``value``, of several objectives ``values/0``, ``values/1``,
    ..., or as ``study.set_metric_names`` names them. Imports nothing of Optuna.
    """

    def __init__(self, log_dir: str | os.PathLike[str]) -> None:
        self._log_dir = Path(log_dir)

    def __call__(self, study: Any, trial: Any) -> None:  # noqa: ANN401
        """Called by Optuna in the process and thread of the trial, when it has ended."""
        began = trial.datetime_start.timestamp() if trial.datetime_start else None
        ended = trial.datetime_complete.timestamp() if trial.datetime_complete else None
        values = list(trial.values or ())
        names = getattr(study, "metric_names", None) or (
            ["value"] if len(values) == 1 else [f"values/{number}" for number in range(len(values))]
        )
        with SummaryWriter(self._log_dir / f"trial_{trial.number:04}", all_ranks=True) as writer:
            columns = {**trial.params, "state": trial.state.name, "study": study.study_name}
            columns["direction"] = _directions(study, names)
            if trial.user_attrs:
                columns["user_attrs"] = trial.user_attrs
            writer.add_configuration(columns)
            for step, value in sorted(trial.intermediate_values.items()):
                writer.add_scalar("intermediate_value", value, step, began)
            last = max(trial.intermediate_values, default=0)
            for name, value in zip(names, values, strict=False):
                writer.add_scalar(name, value, last, ended)


def _directions(study: Any, names: Sequence[str]) -> dict[str, str]:  # noqa: ANN401
    """``minimize`` or ``maximize`` by the name of the result."""
    found = [str(one.name).lower() for one in getattr(study, "directions", ())]
    directions = dict(zip(names, found, strict=False))
    return {**directions, "intermediate_value": found[0]} if len(found) == 1 else directions
