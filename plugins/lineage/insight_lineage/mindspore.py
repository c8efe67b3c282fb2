"""Parses MindSpore's lineage files: training, evaluation, data pipeline and user-defined values.

Records are framed as in event files. Source: mindinsight_lineage.proto and lineage_parser.py of MindInsight.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from sys import intern
from typing import NamedTuple, TypeAlias

from attrs import define, field, frozen

from insight_core.plugin import Flaw, Reason, ReasonKind
from insight_core.plugin.payloads import contents
from insight_lineage.messages import Message
from insight_lineage.pipeline import MAX_STAGES, Pipeline, cells_of, pipeline_of
from insight_record.formats.framing import RecordProblem

Cell: TypeAlias = str | bool | int | float | list[object]
Cells: TypeAlias = dict[str, Cell]

_TRAIN, _EVALUATION, _DATASET_GRAPH, _USER_DEFINED = 6, 7, 9, 10  # fields of an event
_TIMESTAMP = re.compile(r"summary\.(\d+)")
_NESTED = 2  # field of what the user added: maps of the same
_ADDED: Mapping[int, tuple[Callable[[Message, int], Cell | None], Cell]] = {  # maps of values, what is absent
    3: (Message.integer, 0),
    4: (Message.text, ""),
    5: (Message.floating, 0.0),
}
_DEEPEST = 20  # levels of what the user added, and of metrics
_DEEPER = "…"  # stands for what lies below
_PIPELINE_CUT = ReasonKind(
    "lineage_pipeline_cut", "the data pipeline has more than {most} steps; the last of them are shown"
)
_METRICS_JSON = ReasonKind("lineage_metrics_json", "the metrics are not valid JSON: {cause}")
_TOO_DEEP = ReasonKind("lineage_too_deep", "what the user added is more than {most} levels deep")


class _Field(NamedTuple):
    """A field of an event that is a column: the message within the event, and the field within that."""

    column: str
    message: int
    number: int
    read: Callable[[Message, int], str | int | float | None]


_TRAINED = (
    _Field("optimizer", 1, 1, Message.text),
    _Field("learning_rate", 1, 2, Message.floating),
    _Field("loss_function", 1, 3, Message.text),
    _Field("epoch", 1, 4, Message.integer),
    _Field("batch_size", 1, 8, Message.integer),
    _Field("device_num", 1, 6, Message.integer),
    _Field("parallel_mode", 1, 5, Message.text),
    _Field("train_dataset_path", 2, 1, Message.text),
    _Field("train_dataset_count", 2, 2, Message.integer),
    _Field("network", 3, 1, Message.text),
    _Field("loss", 3, 2, Message.floating),
    _Field("model_path", 4, 3, Message.text),
    _Field("model_size", 4, 4, Message.integer),
)
_METRIC = 2  # field of an evaluation
_TESTED = (
    _Field("test_dataset_path", 3, 1, Message.text),
    _Field("test_dataset_count", 3, 2, Message.integer),
)


@frozen
class LineageFile:
    """What one file says: of each kind the last event, of what the user added all.

    None where there was no such event. ``unreadable`` are the records that could not be read.
    """

    trained: Mapping[str, Cell] | None = field(default=None, hash=False)
    tested: Mapping[str, Cell] | None = field(default=None, hash=False)  # the data set of the evaluation
    metrics: Mapping[str, Cell] | None = field(default=None, hash=False)
    pipeline: Pipeline | None = None
    custom: Mapping[str, Cell] = field(factory=dict, hash=False)
    unreadable: tuple[RecordProblem, ...] = ()
    is_cut: bool = False  # the pipeline has more steps than are shown

    @property
    def flaws(self) -> tuple[Flaw, ...]:
        """The unreadable records as damage of the file."""
        return tuple(Flaw(one.offset, one.text, one.skipped) for one in self.unreadable)

    @property
    def problems(self) -> tuple[Reason, ...]:
        """What could not be read, in words."""
        told = [Reason.of(one.text) for one in self.unreadable]
        if self.is_cut:
            told.append(_PIPELINE_CUT(most=MAX_STAGES))
        return tuple(told)


@define
class RunLineage:
    """What the files of one run say together."""

    cells: Cells = field(factory=dict)
    pipeline: Pipeline | None = None


def file_order(name: str) -> tuple[int, tuple[int, ...]]:
    """Sorts files as MindInsight does: by the time in the name, then names downwards."""
    match = _TIMESTAMP.search(name)
    return int(match[1]) if match else 0, tuple(-ord(mark) for mark in name)


def joined(files: Iterable[LineageFile]) -> RunLineage:
    """Files in their order. Training or a new data pipeline makes a new beginning; an evaluation takes the
    place of an earlier one."""
    whole = LineageFile()
    for file in files:
        if file.trained is not None or file.pipeline is not None:
            whole = LineageFile()
        whole = LineageFile(
            trained=file.trained or whole.trained,
            tested=file.tested or whole.tested,
            metrics=whole.metrics if file.metrics is None else file.metrics,
            pipeline=whole.pipeline if file.pipeline is None else file.pipeline,
            custom={**whole.custom, **file.custom},
        )
    cells: Cells = {}
    for part in (whole.trained, whole.tested, whole.metrics, whole.custom):
        cells.update(part or {})
    if whole.pipeline is not None:
        cells.update((f"pipeline/{name}", value) for name, value in cells_of(whole.pipeline))
    return RunLineage(cells, whole.pipeline)


def lineage_of(data: bytes) -> LineageFile:
    """What a file holds, as far as it can be read; a file that is still written may end anywhere."""
    problems: list[RecordProblem] = []
    trained = tested = metrics = pipeline = None
    is_whole = True
    custom: Cells = {}
    for start, end in contents(data, problems):
        try:
            event = Message.at(data, start, end)
            if (found := event.message(_TRAIN)) is not None:
                trained = _cells(found, _TRAINED)
            elif (found := event.message(_EVALUATION)) is not None:
                tested = _cells(found, _TESTED) or tested
                metrics = _metrics(found, metrics)
            elif (found := event.message(_DATASET_GRAPH)) is not None:
                pipeline, is_whole = pipeline_of(found)
            elif (found := event.message(_USER_DEFINED)) is not None:
                custom.update((intern(f"custom/{name}"), value) for name, value in _user_defined(found, 0))
        except ValueError as error:
            problems.append(RecordProblem.of_content(start, end, Reason.of(error)))
    return LineageFile(trained, tested, metrics, pipeline, custom, tuple(problems), not is_whole)


def _cells(message: Message, wanted: Iterable[_Field]) -> Cells:
    cells: Cells = {}
    parts: dict[int, Message | None] = {}
    for column, within, number, read in wanted:
        if within not in parts:
            parts[within] = message.message(within)
        part = parts[within]
        value = None if part is None else read(part, number)
        if value is not None:
            cells[column] = value
    return cells


def _metrics(evaluation: Message, before: Cells | None) -> Cells | None:
    metric = evaluation.text(_METRIC)
    if not metric:
        return before
    try:
        values = json.loads(metric)
    except (ValueError, RecursionError) as error:
        raise ValueError(_METRICS_JSON(cause=str(error))) from error
    if not isinstance(values, dict):
        text = f"the metrics are not a JSON object: {metric:.100}"
        raise ValueError(Reason(text, "lineage_metrics_object", text=metric[:100]))
    return {intern(f"metric/{name}"): value for name, value in flattened(values)}


def flattened(values: Mapping[str, object], depth: int = 0) -> Iterator[tuple[str, Cell]]:
    """Names and values of nested objects; an object within becomes names with a slash."""
    for name, value in values.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            yield from ((f"{name}/{inner}", cell) for inner, cell in flattened(value, depth + 1))
        elif isinstance(value, dict | list):
            yield name, [_shallow(one, depth + 1) for one in value] if isinstance(value, list) else _DEEPER
        elif isinstance(value, (str, bool, float)):
            yield name, value
        elif isinstance(value, int):
            yield name, value if abs(value) < 1 << 63 else str(value)


def _shallow(value: object, depth: int) -> object:
    """The same with nothing that only a program written for it could walk."""
    if not isinstance(value, dict | list):
        return value
    if depth >= _DEEPEST:
        return _DEEPER
    if isinstance(value, list):
        return [_shallow(one, depth + 1) for one in value]
    return {name: _shallow(one, depth + 1) for name, one in value.items()}


def _user_defined(info: Message, depth: int) -> Iterator[tuple[str, Cell]]:
    """Of a UserDefinedInfo: each item of its list has one value, in the map of its type."""
    if depth > _DEEPEST:
        raise ValueError(_TOO_DEEP(most=_DEEPEST))
    for number, start, end in info.within(1):
        if number in _ADDED:
            read, absent = _ADDED[number]
            entry = Message.at(info.data, start, end)
            value = read(entry, 2)
            yield entry.text(1) or "", absent if value is None else value
        elif number == _NESTED:
            entry = Message.at(info.data, start, end)
            inside = entry.message(2)
            if inside is not None:
                key = entry.text(1) or ""
                yield from ((f"{key}/{name}", value) for name, value in _user_defined(inside, depth + 1))
