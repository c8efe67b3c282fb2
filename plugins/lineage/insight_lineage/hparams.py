"""TensorBoard's hparams: what one session was started with, how it ended, and which scalars count.

All of it is in the metadata of series without values. Source: plugin_data.proto and api.proto of
TensorBoard's hparams plugin.
"""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Mapping, Sequence

from attrs import field, frozen

from insight_core.values import wire
from insight_lineage.messages import (
    Content,
    entries,
    integer,
    message,
    messages,
    text,
    text_at,
)
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


def metrics_of(content: bytes) -> Sequence[Metric] | None:
    """The metrics of an experiment; None if it names none. Raises ValueError for bytes that are none."""
    experiment = message(content, _whole(content), _EXPERIMENT)
    if experiment is None:
        raise ValueError("it is no experiment")
    metrics = []
    for info in messages(content, experiment, 5):
        name = message(content, info, 1)
        if name is not None:
            metrics.append(Metric(text(content, name, 1) or "", text(content, name, 2) or ""))
    return tuple(dict.fromkeys(metrics))


def session_of(content: bytes) -> Session:
    """Raises ValueError for bytes that are no start of a session."""
    start = message(content, _whole(content), _START)
    if start is None:
        raise ValueError("it is no start of a session")
    hparams: dict[str, Cell] = {}
    for name, entry in entries(content, start, 1):
        place = message(content, entry, 2)
        value = None if place is None else _value(content, place, 0)
        if value is not None:
            hparams[name] = value
    return Session(hparams, text(content, start, 4) or "")


def status_of(content: bytes) -> str:
    """How a session ended, in a word. Raises ValueError for bytes that are no end of one."""
    end = message(content, _whole(content), _END)
    if end is None:
        raise ValueError("it is no end of a session")
    number = integer(content, end, 1) or 0
    return STATUSES[number] if 0 <= number < len(STATUSES) else STATUSES[0]


def _whole(content: bytes) -> Content:
    return 0, len(content)


def _value(data: bytes, content: Content, depth: int) -> Cell | None:
    """A google.protobuf.Value: a number, text, truth or list; None for null and objects."""
    found: Cell | None = None
    for number, kind, start, end, value in wire.fields(data, *content):
        if number == 2 and kind == wire.EIGHT_BYTES:
            [found] = struct.unpack_from("<d", data, start)
        elif number == 3 and kind == wire.LENGTH_DELIMITED:
            found = text_at(data, (start, end))
        elif number == 4 and kind == wire.VARINT:
            found = bool(value)
        elif number == 6 and kind == wire.LENGTH_DELIMITED and depth < _DEEPEST:
            found = [_value(data, item, depth + 1) for item in messages(data, (start, end), 1)]
    return found
