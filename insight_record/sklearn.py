"""Records the candidates of scikit-learn's ``GridSearchCV``, ``RandomizedSearchCV`` and halving searches."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from insight_record.summary_writer import SummaryWriter

_OF_A_SPLIT = re.compile(r"split(\d+)_(.+)")
_NO_NUMBERS = ("params", "param_")  # beginnings of columns


def record_search(log_dir: str | os.PathLike[str], search: Any) -> list[Path]:  # noqa: ANN401
    """Records each candidate of a fitted search as a run ``candidate_<n>``; returns the directories.

    Parameters are columns of the run; those of a pipeline are ``step/parameter``. Scores and times are
    scalars, those of single splits by the number of the split: ``split_test_score``. Means have the standard
    error over the splits. Raises ValueError for a search that was not fitted.
    """
    results = getattr(search, "cv_results_", None)
    if results is None:
        raise ValueError(f"{type(search).__name__} is not fitted: call fit before it is recorded")
    estimator = type(getattr(search, "estimator", None)).__name__
    found = []
    for number, parameters in enumerate(results["params"]):
        place = Path(log_dir, f"candidate_{number:04}")
        with SummaryWriter(place, all_ranks=True) as writer:
            named = {name.replace("__", "/"): value for name, value in parameters.items()}
            writer.add_configuration({"estimator": estimator, **named})
            for name, column in results.items():
                if name.startswith(_NO_NUMBERS) or np.ma.is_masked(column[number]):
                    continue
                split = _OF_A_SPLIT.fullmatch(name)
                tag, step = (f"split_{split[2]}", int(split[1])) if split else (name, 0)
                writer.add_scalar(tag, column[number], step, error=_error_of(name, results, number))
        found.append(place)
    return found


def _error_of(name: str, results: Any, number: int) -> float | None:  # noqa: ANN401
    """The standard error of a mean over two splits or more; None for other columns."""
    kind, _, measure = name.partition("_")
    if kind != "mean":
        return None
    scores = [column[number] for split, column in results.items() if _is_split_of(split, measure)]
    return None if len(scores) < 2 else float(np.std(scores, ddof=1) / np.sqrt(len(scores)))


def _is_split_of(name: str, measure: str) -> bool:
    found = _OF_A_SPLIT.fullmatch(name)
    return found is not None and found[2] == measure
