"""Hyperparameters and metrics of TensorBoard's hparams plugin.

Messages: tensorboard/plugins/hparams/{api,plugin_data}.proto.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from insight_record.configurations import Cell
from insight_record.encoders.encoder import EncodedValue
from insight_record.encoders.tensorboard import metadata
from insight_record.formats.protobuf import double_field, int_field, message_field, text_field
from insight_record.lineage import exact, hparam_entries

_TAGS = ("_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info")
_EXPERIMENT, _START, _END = 2, 3, 4  # of the plugin data
_PARAMETERS, _METRICS = 4, 5  # of an experiment
_NAME, _TYPE, _DOMAIN = 1, 4, 5  # of a parameter
_METRIC_NAME, _METRIC_TAG = 1, 2
_STATUS, _SUCCESS, _FAILURE = 1, 1, 2
_TEXT, _BOOLEAN, _NUMBER = 1, 2, 3  # data types
_VALUE_NUMBER, _VALUE_TEXT, _VALUE_BOOLEAN = 2, 3, 4  # of google.protobuf.Value


def session(
    cells: Mapping[str, Cell], metrics: Iterable[str], domains: Mapping[str, Sequence[Cell]]
) -> list[EncodedValue]:
    """Experiment, start and end of a session that succeeded. ``domains`` are the values to choose from.

    Raises TypeError for a domain of another name, or whose values have another type than the parameter.
    """
    for name, domain in domains.items():
        if (
            name not in cells
            or not isinstance(domain, list)
            or not all(isinstance(one, type(cells[name])) for one in domain)
        ):
            raise TypeError(f"the domain of {name!r} is a list of values of the type of this hyperparameter")
    parameters = b"".join(
        message_field(_PARAMETERS, _parameter(name, exact(cell), domains.get(name)))
        for name, cell in cells.items()
    )
    listed = b"".join(
        message_field(_METRICS, message_field(_METRIC_NAME, text_field(_METRIC_TAG, name)))
        for name in metrics
    )
    contents = (
        message_field(_EXPERIMENT, parameters + listed),
        message_field(_START, hparam_entries(cells.items())),
        message_field(_END, int_field(_STATUS, _SUCCESS)),
    )
    return [_value(tag, content) for tag, content in zip(_TAGS, contents, strict=True)]


def ended(*, succeeded: bool) -> list[EncodedValue]:
    """The end of a session, and how it ended."""
    status = int_field(_STATUS, _SUCCESS if succeeded else _FAILURE)
    return [_value(_TAGS[2], message_field(_END, status))]


def _value(tag: str, content: bytes) -> EncodedValue:
    return EncodedValue(tag, "summary", len(content), list, metadata("hparams", content=content))


def _parameter(name: str, cell: Cell, domain: Sequence[Cell] | None) -> bytes:
    kind = _BOOLEAN if isinstance(cell, bool) else _TEXT if isinstance(cell, str) else _NUMBER
    content = text_field(_NAME, name) + int_field(_TYPE, kind)
    if domain is None:
        return content
    return content + message_field(_DOMAIN, b"".join(message_field(1, _choice(one)) for one in domain))


def _choice(given: Cell) -> bytes:
    cell = exact(given)
    if isinstance(cell, bool):
        return int_field(_VALUE_BOOLEAN, cell)
    return (
        text_field(_VALUE_TEXT, cell) if isinstance(cell, str) else double_field(_VALUE_NUMBER, float(cell))
    )
