"""Parses TensorBoard's hparams: hyperparameters and status of a session, and the metrics of an experiment.

All of it is in the metadata of series without values. Source: plugin_data.proto and api.proto of
TensorBoard's hparams plugin.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from functools import lru_cache

from attrs import field, frozen

from insight_core.plugin import Reason
from insight_lineage.messages import Message
from insight_lineage.mindspore import Cell

EXPERIMENT_TAG = "_hparams_/experiment"
START_TAG = "_hparams_/session_start_info"
END_TAG = "_hparams_/session_end_info"
TAGS = (EXPERIMENT_TAG, START_TAG, END_TAG)

STATUSES = ("unknown", "success", "failure", "running")
_EXPERIMENT, _START, _END = 2, 3, 4  # fields of HParamsPluginData
_DEEPEST = 20  # levels of lists


@frozen
class Metric:
    """A scalar that counts: ``tag`` of the run ``group`` below the session's."""

    group: str
    tag: str

    @property
    def column(self) -> str:
        """The column name: ``metric/<group>/<tag>``, without the group if it is empty."""
        return f"metric/{self.group}/{self.tag}" if self.group else f"metric/{self.tag}"

    def run(self, session: str) -> str:
        """The run that has the scalar, as TensorBoard finds it."""
        if not self.group:
            return session
        return posixpath.normpath(posixpath.join(session, self.group))


@frozen
class Session:
    """How a run was started. ``hparams`` are by name."""

    hparams: Mapping[str, Cell] = field(hash=False)
    group: str = ""


@lru_cache(maxsize=64)  # all runs of a sweep have the same experiment
def metrics_of(content: bytes) -> Sequence[Metric]:
    """The metrics that an experiment names. Raises ValueError for bytes that are none."""
    experiment = Message.at(content).message(_EXPERIMENT)
    if experiment is None:
        raise ValueError(Reason("it is not an experiment", "lineage_no_experiment"))
    metrics = []
    for info in experiment.messages(5):
        name = info.message(1)
        if name is not None:
            metrics.append(Metric(name.text(1) or "", name.text(2) or ""))
    return tuple(dict.fromkeys(metrics))


def session_of(content: bytes) -> Session:
    """Raises ValueError for bytes that are not a session start."""
    start = Message.at(content).message(_START)
    if start is None:
        raise ValueError(Reason("it is not a session start", "lineage_no_start"))
    hparams: dict[str, Cell] = {}
    for name, entry in start.entries(1):
        value = entry.message(2)
        cell = None if value is None else _cell(value, 0)
        if cell is not None:
            hparams[name] = cell
    return Session(hparams, start.text(4) or "")


def status_of(content: bytes) -> str:
    """The status of a session. Raises ValueError for bytes that are not a session end."""
    end = Message.at(content).message(_END)
    if end is None:
        raise ValueError(Reason("it is not a session end", "lineage_no_end"))
    number = end.integer(1) or 0
    return STATUSES[number] if 0 <= number < len(STATUSES) else STATUSES[0]


def _cell(value: Message, depth: int) -> Cell | None:
    """A google.protobuf.Value: a number, text, truth or list; None for null and objects."""
    number, text, truth, listed = value.floating(2), value.text(3), value.integer(4), value.message(6)
    if number is not None:
        return number
    if text is not None:
        return text
    if truth is not None:
        return bool(truth)
    if listed is None or depth == _DEEPEST:
        return None
    return [_cell(item, depth + 1) for item in listed.messages(1)]
