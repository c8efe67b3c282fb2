"""Encodes lineage as MindSpore's lineage messages and TensorBoard's hparams.

Messages: mindinsight_lineage.proto of MindInsight; plugin_data.proto of TensorBoard's hparams plugin, whose
values are google.protobuf.Value.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from insight_record.argument_checks import (
    INT32,
    INT64,
    known,
    mapping_of,
    number_of,
    text_of,
    whole_number_of,
)
from insight_record.configurations import Cell, flat_cells
from insight_record.formats.protobuf import double_field, float_field, int_field, message_field, text_field

Encode: TypeAlias = Callable[[int, str, object], bytes]  # of a field's number, name and value

# of a LineageEvent
TRAIN_LINEAGE, EVALUATION_LINEAGE, DATASET_GRAPH, USER_DEFINED_INFO = 6, 7, 9, 10
_USER_INFO, _MAP_INT32, _MAP_STR, _MAP_DOUBLE = 1, 3, 4, 5  # of a UserDefinedInfo
_METRIC, _VALID_DATASET = 2, 3  # of an EvaluationLineage
_CHILDREN, _PARAMETER, _OPERATIONS, _SAMPLER = 1, 2, 3, 4  # of a DatasetGraph
_OPERATION_PARAMETER, _SIZE, _WEIGHTS = 1, 2, 3  # of an Operation
_STR, _STR_LIST, _BOOL, _INT, _DOUBLE = 1, 2, 3, 4, 5  # maps of an OperationParameter
_KEY, _VALUE = 1, 2  # of an entry of a map
_EXACT = 2**53  # beyond it not every integer is a double
_DEEPEST = 100  # steps of a pipeline; readers of messages have such a limit


def _text(number: int, name: str, value: object) -> bytes:
    return text_field(number, text_of(name, value))


def _int32(number: int, name: str, value: object) -> bytes:
    return int_field(number, whole_number_of(name, value, INT32))


def _int64(number: int, name: str, value: object) -> bytes:
    return int_field(number, whole_number_of(name, value, INT64))


def _float(number: int, name: str, value: object) -> bytes:
    return float_field(number, number_of(value))


def _json_text(number: int, name: str, value: object) -> bytes:
    """Text unchanged, other values as JSON."""
    return text_field(number, value if isinstance(value, str) else json.dumps(_plain(name, value)))


class _Part(NamedTuple):
    number: int
    fields: Mapping[str, tuple[int, Encode]]


_TRAINED: Mapping[str, _Part] = {
    "hyper_parameters": _Part(
        1,
        {
            "optimizer": (1, _text),
            "learning_rate": (2, _float),
            "loss_function": (3, _text),
            "epoch": (4, _int32),
            "parallel_mode": (5, _text),
            "device_num": (6, _int32),
            "batch_size": (8, _int32),
        },
    ),
    "train_dataset": _Part(2, {"train_dataset_path": (1, _text), "train_dataset_size": (2, _int32)}),
    "algorithm": _Part(3, {"network": (1, _text), "loss": (2, _float)}),
    "model": _Part(4, {"path": (3, _json_text), "size": (4, _int64)}),
}
_TESTED: Mapping[str, _Part] = {
    "valid_dataset": _Part(
        _VALID_DATASET, {"valid_dataset_path": (1, _text), "valid_dataset_size": (2, _int32)}
    )
}


def train_lineage(value: object) -> bytes:
    """A ``TrainLineage`` from mappings of its fields. Raises for unknown fields."""
    whole = mapping_of("a train_lineage", value)
    known("a train_lineage", whole, *_TRAINED)
    return _parts(whole, _TRAINED)


def evaluation_lineage(value: object) -> bytes:
    """An ``EvaluationLineage`` of ``{"metric": {name: value}, "valid_dataset": {...}}``."""
    whole = mapping_of("an eval_lineage", value)
    known("an eval_lineage", whole, "metric", *_TESTED)
    metrics = _metrics(whole)
    text = text_field(_METRIC, json.dumps(metrics)) if metrics else b""
    return text + _parts(whole, _TESTED)


def user_defined_info(name: str, value: object) -> bytes:
    """A ``UserDefinedInfo``: text, 32-bit integers and floats by name.

    Booleans become text, longer integers doubles. ``name`` is the name of the mapping.
    """
    items = []
    for key, cell in flat_cells(name, value).items():
        if isinstance(cell, bool):
            cell = str(cell).lower()
        elif isinstance(cell, int) and cell not in INT32:
            if abs(cell) > _EXACT:
                raise ValueError(f"{key!r} is {cell}, beyond the range of MindSpore's lineage: use text")
            cell = float(cell)
        items.append(_user_info(key, cell))
    return b"".join(items)


def dataset_graph(value: object, depth: int = 0) -> bytes:
    """A ``DatasetGraph``: a mapping of parameters by name, ``children``, ``operations`` and ``sampler``.

    The mapping is the last step of the pipeline; ``children`` are its inputs. Steps have a parameter
    ``op_type``, operations ``tensor_op_name``, samplers ``sampler_name``. A parameter is text, a boolean, a
    32-bit integer, a float, None, or a list of texts.
    """
    if depth > _DEEPEST:
        raise ValueError(f"the pipeline has more than {_DEEPEST} steps in a row")
    step = mapping_of("a step of a dataset_graph", value)
    content = b"".join(
        message_field(_CHILDREN, dataset_graph(child, depth + 1)) for child in _list_of("children", step)
    )
    others = {name: one for name, one in step.items() if name not in ("children", "operations", "sampler")}
    content += message_field(_PARAMETER, _parameters(others))
    content += b"".join(message_field(_OPERATIONS, _operation(one)) for one in _list_of("operations", step))
    if step.get("sampler") is not None:
        content += message_field(_SAMPLER, _operation(step["sampler"]))
    return content


def hparam_entries(cells: Iterable[tuple[str, Cell]]) -> bytes:
    """Entries of the map of hyperparameters of a ``SessionStartInfo``.

    Its numbers are doubles: an integer that one may not hold is written as text, which keeps its digits.
    """
    return b"".join(
        message_field(1, text_field(_KEY, name) + message_field(_VALUE, _hparam(cell)))
        for name, cell in cells
    )


def trained_cells(value: object) -> Iterator[tuple[str, Cell]]:
    """The fields of a train_lineage by their own names, except for ``model_path`` and ``model_size``."""
    train_lineage(value)  # raises for invalid values
    for part, fields in mapping_of("a train_lineage", value).items():
        for name, one in mapping_of(part, fields).items():
            if one is not None:
                plain = _plain(name, one)
                cell = plain if isinstance(plain, (str, int, float)) else json.dumps(plain)
                yield f"model_{name}" if part == "model" else name, cell


def metric_numbers(value: object) -> Iterator[tuple[str, float]]:
    """Numbers of the metrics of an eval_lineage; nested metrics have a slash in their name.

    Raises TypeError for other metrics.
    """
    evaluation_lineage(value)
    yield from _flat("", _metrics(mapping_of("an eval_lineage", value)))


def tested_cells(value: object) -> Iterator[tuple[str, Cell]]:
    """Name and value of each dataset field of an eval_lineage. Raises TypeError or ValueError."""
    given = mapping_of("an eval_lineage", value).get("valid_dataset") or {}
    yield from flat_cells("valid_dataset", given).items()


def _flat(above: str, metrics: Mapping[str, object]) -> Iterator[tuple[str, float]]:
    for name, one in metrics.items():
        if isinstance(one, Mapping):
            yield from _flat(f"{above}{name}/", one)
        else:
            try:
                yield above + name, number_of(one)
            except (TypeError, ValueError) as error:
                raise TypeError(f"the metric {above + name!r}: {error}") from None


def _metrics(whole: Mapping[str, object]) -> dict[str, object]:
    return {name: _plain(name, one) for name, one in mapping_of("metric", whole.get("metric") or {}).items()}


def _parts(whole: Mapping[str, object], parts: Mapping[str, _Part]) -> bytes:
    content = b""
    for name, part in parts.items():
        if whole.get(name) is None:
            continue
        fields = mapping_of(name, whole[name])
        known(name, fields, *part.fields)
        encoded = b"".join(
            encode(number, field, fields[field])
            for field, (number, encode) in part.fields.items()
            if fields.get(field) is not None
        )
        content += message_field(part.number, encoded)
    return content


def _user_info(name: str, cell: str | int | float) -> bytes:
    if isinstance(cell, str):
        number, value = _MAP_STR, text_field(_VALUE, cell)
    elif isinstance(cell, int):
        number, value = _MAP_INT32, int_field(_VALUE, cell)
    else:
        number, value = _MAP_DOUBLE, double_field(_VALUE, cell)
    return message_field(_USER_INFO, message_field(number, text_field(_KEY, name) + value))


def _operation(value: object) -> bytes:
    operation = mapping_of("an operation", value)
    others = {name: one for name, one in operation.items() if name not in ("size", "weights")}
    content = message_field(_OPERATION_PARAMETER, _parameters(others))
    content += b"".join(_int32(_SIZE, "a size", size) for size in _list_of("size", operation))
    return content + b"".join(_float(_WEIGHTS, "a weight", one) for one in _list_of("weights", operation))


def _parameters(parameters: Mapping[str, object]) -> bytes:
    return b"".join(
        message_field(number, text_field(_KEY, name) + value)
        for name, one in parameters.items()
        for number, value in [_parameter(name, one)]
    )


def _parameter(name: str, value: object) -> tuple[int, bytes]:
    """The map for a parameter of this type, and the encoded value of the entry."""
    if isinstance(value, (list, tuple)):
        texts = ("" if one is None else text_of(f"an element of {name}", one) for one in value)
        return _STR_LIST, message_field(_VALUE, b"".join(text_field(1, text) for text in texts))
    cell = "None" if value is None else _cell(name, value)
    if isinstance(cell, str):
        return _STR, text_field(_VALUE, cell)
    if isinstance(cell, bool):
        return _BOOL, int_field(_VALUE, cell)
    if isinstance(cell, int):
        return _INT, _int32(_VALUE, name, cell)
    return _DOUBLE, double_field(_VALUE, cell)


def _list_of(name: str, whole: Mapping[str, object]) -> Sequence[object]:
    value = whole.get(name)
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} is a list, not {type(value).__name__}")
    return value


def exact(cell: Cell) -> Cell:
    """The cell, or as text an integer that a double may not hold."""
    is_long = isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) > _EXACT
    return str(cell) if is_long else cell


def _hparam(cell: Cell) -> bytes:
    cell = exact(cell)
    if isinstance(cell, str):
        return text_field(3, cell)
    return int_field(4, cell) if isinstance(cell, bool) else double_field(2, float(cell))


def _cell(name: str, value: object) -> Cell:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        value.encode()
    elif not isinstance(value, (bool, int, float)):
        raise TypeError(f"{name!r} is text or a number, not {type(value).__name__}")
    return value


def _plain(name: str, value: object) -> object:
    """Converts to JSON types: mapping, list, text, number or None; an array of one value becomes a number."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(f"{name}/{key}", one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(name, one) for one in value]
    try:
        return number_of(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name!r}: {error}") from None
