"""Names and groups of columns."""

from __future__ import annotations

import re

GROUPS = (
    "run",
    "hyperparameter",
    "dataset",
    "model",
    "metric",
    "custom",
    "pipeline",
    "annotation",
    "scalar",
)
ANNOTATIONS = ("display_name", "note", "remark", "mark")
SCALARS = ("last", "min", "max")
STATUS, DURATION = HOSTED = ("run/status", "run/duration")  # columns of the host that the table has, too

_FIXED = {
    "run": ("run", STATUS, "start_time", DURATION, "source", "status", "session_group", "session"),
    "hyperparameter": (
        "optimizer",
        "learning_rate",
        "loss_function",
        "epoch",
        "batch_size",
        "device_num",
        "parallel_mode",
    ),
    "dataset": (
        "train_dataset_path",
        "train_dataset_count",
        "test_dataset_path",
        "test_dataset_count",
        "dataset_mark",
    ),
    "model": ("network", "model_path", "model_size"),
    "metric": ("loss",),  # MindSpore files it under the properties of the model
    "annotation": ANNOTATIONS,
}
_DIGITS = re.compile(r"([0-9]{1,18})")
_GROUP = {name: group for group, names in _FIXED.items() for name in names}
_RANK = {name: rank for rank, name in enumerate(_GROUP)}
_RANK["loss"] = len(_RANK) + 1  # behind the metrics that a log names
_PREFIXES = {
    "hyperparameter/": "hyperparameter",
    "metric/": "metric",
    "custom/": "custom",
    "pipeline/": "pipeline",
    **{f"{word}/": "scalar" for word in SCALARS},
}


def group_of(name: str) -> str:
    """The column group of a name."""
    if name in _GROUP:
        return _GROUP[name]
    head, slash, _ = name.partition("/")
    return _PREFIXES.get(head + slash, "hyperparameter")


def title_of(name: str) -> str:
    """The name without its group; of a scalar it says which value."""
    head, slash, rest = name.partition("/")
    prefix = head + slash
    if prefix not in _PREFIXES or name in _GROUP:
        return name
    return f"{rest} ({head})" if _PREFIXES[prefix] == "scalar" else rest


def rank_of(name: str) -> tuple[int, bool]:
    """Which of columns that end alike a short name means: last values after plain columns, then extremes.

    These are ``order`` and not ``at_first`` of a column of the run table.
    """
    is_scalar = group_of(name) == "scalar"
    return int(is_scalar), is_scalar and not name.startswith(f"{SCALARS[0]}/")


def hyperparameter(name: str) -> str:
    """The column of a hyperparameter with this name."""
    if group_of(name) != "hyperparameter" or name.startswith("hyperparameter/"):
        return f"hyperparameter/{name}"
    return name


def natural(name: str) -> tuple[str | int, ...]:
    """Sorts names as people count: ``layer2`` before ``layer10``, whatever their case."""
    parts = _DIGITS.split(name.lower())  # texts at even places, digits between them
    return tuple(int(part) if at % 2 else part for at, part in enumerate(parts))


def rank(name: str) -> tuple[int, int, tuple[str | int, ...]]:
    """Sorts columns: by group, then the fixed ones, then by name; those of a pipeline as they come."""
    group = group_of(name)
    place = GROUPS.index(group)
    if group == "pipeline":
        return place, 0, ()
    return place, _RANK.get(name, len(_RANK)), natural(name)
