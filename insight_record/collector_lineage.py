"""Collects the lineage of a run: hyperparameters, data, model, environment, metrics.

Field names: MindSpore's mindinsight_lineage.proto.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from insight_record.argument_checks import INT32, INT64, number_of
from insight_record.configurations import Cell, flat_cells
from insight_record.environment import environment_cells
from insight_record.summary_record import SummaryRecord

Fields: TypeAlias = dict[str, dict[str, Any]]

# of a train_lineage: the message that a name belongs to, the field there, and its type
_KNOWN: Mapping[str, tuple[str, str, type]] = {
    "optimizer": ("hyper_parameters", "optimizer", str),
    "learning_rate": ("hyper_parameters", "learning_rate", float),
    "loss_function": ("hyper_parameters", "loss_function", str),
    "epoch": ("hyper_parameters", "epoch", int),
    "parallel_mode": ("hyper_parameters", "parallel_mode", str),
    "device_num": ("hyper_parameters", "device_num", int),
    "batch_size": ("hyper_parameters", "batch_size", int),
    "train_dataset_path": ("train_dataset", "train_dataset_path", str),
    "train_dataset_size": ("train_dataset", "train_dataset_size", int),
    "network": ("algorithm", "network", str),
    "loss": ("algorithm", "loss", float),
    "model_path": ("model", "path", str),
    "model_size": ("model", "size", int),
}
_EXACT = 2**53  # beyond it not every integer is a double


class LineageRecorder:
    """Collects the lineage of one run; ``begin`` and ``finish`` add it to a record.

    In MindSpore's dialect everything is written again at the end, because its readers discard values before
    a train_lineage. In TensorBoard's dialect it is written as hparams, of which the first count; metrics
    are scalars.
    """

    def __init__(self, dialect: str, hyperparameters: Mapping[str, Any], *, environment: bool = True) -> None:
        self._dialect = dialect
        self._environment = environment_cells() if environment else {}
        self.hyperparameters = dict(hyperparameters)
        self.metrics: dict[str, float] = {}

    def begin(self, record: SummaryRecord) -> None:
        """Adds the lineage known before the first step to the next record. Raises the errors of
        ``add_value``.
        """
        self._write(record)

    def finish(self, record: SummaryRecord, loss: Any, epochs: int) -> None:  # noqa: ANN401
        """Adds the final lineage, with the last loss and the number of epochs."""
        if self._dialect != "mindspore":
            return
        if epochs:
            self.hyperparameters["epoch"] = epochs
        try:
            if loss is not None:
                self.hyperparameters["loss"] = number_of(loss)
        finally:  # a failed device cannot give the loss: record the rest
            self._write(record)
            if self.metrics:
                record.add_value("eval_lineage", "eval_lineage", {"metric": self.metrics})

    def _write(self, record: SummaryRecord) -> None:
        trained, custom = split({**self._environment, **self.hyperparameters})
        record.add_value("train_lineage", "train_lineage", trained)
        if custom:
            record.add_value("custom_lineage_data", "custom_lineage_data", custom)


def split(hyperparameters: Mapping[str, Any]) -> tuple[Fields, dict[str, str | int | float]]:
    """Splits values into the fields of a train_lineage, and custom lineage data.

    A known name whose value has another type than its field (such as the name of a learning rate schedule)
    becomes custom data.
    """
    trained: Fields = {}
    custom: dict[str, str | int | float] = {}
    for name, given in flat_cells("hyperparameters", hyperparameters).items():
        value: Any = given
        message, field, kind = _KNOWN.get(name, ("", "", str))
        if kind is float and isinstance(value, int):
            value = float(value)
        if message and type(value) is kind and (kind is not int or value in _limits(name)):
            trained.setdefault(message, {})[field] = value
        else:
            custom[name] = _custom(value)
    return trained, custom


def _limits(name: str) -> range:
    return INT64 if name == "model_size" else INT32


def _custom(value: Cell) -> str | int | float:
    """A value as custom lineage data can store it: text, 32-bit integers and doubles."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value not in INT32:
        return float(value) if abs(value) <= _EXACT else str(value)
    return value
