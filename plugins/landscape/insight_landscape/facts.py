"""Facts about the training of a landscape, from lineage files: network, optimiser, learning rate, result.

Format: ``LineageEvent`` of MindSpore's lineage.proto, in records as event files have them.
"""

from __future__ import annotations

import json
import re
import struct

from attrs import evolve, field, frozen

from insight_core.plugin.payloads import FOUR_BYTES, LENGTH_DELIMITED, contents, fields

_TIMESTAMP = re.compile(r"summary\.(\d+)")
_TRAIN, _EVALUATION, _PIPELINE = 6, 7, 9  # of a LineageEvent
_HYPER_PARAMETERS, _ALGORITHM = 1, 3  # of a TrainLineage
_OPTIMIZER, _LEARNING_RATE = 1, 2  # of its HyperParameters
_NETWORK, _LOSS = 1, 2  # of its Algorithm
_METRIC = 2  # of an EvaluationLineage, as JSON


@frozen
class TrainingFacts:
    """None and {} for what no file says."""

    network: str | None = None
    optimizer: str | None = None
    learning_rate: float | None = None
    loss: float | None = None
    metric: dict[str, object] = field(factory=dict)

    def updated(self, data: bytes) -> TrainingFacts:
        """With what one file says, which is newer. What cannot be read of it is left out.

        As in MindInsight, a file with training or a data pipeline is a new beginning, and an evaluation takes
        the place of an earlier one.
        """
        trained: TrainingFacts | None = None
        metric: dict[str, object] | None = None
        begun = False
        for start, end in contents(data, []):  # the lineage plugin is where its damage shows
            try:
                for number, kind, first, last, _ in fields(data, start, end):
                    if kind != LENGTH_DELIMITED:
                        continue
                    if number == _TRAIN:
                        trained = _trained(data, first, last)
                    elif number == _EVALUATION:
                        said = _metric(data, first, last)
                        metric = metric if said is None else said
                    begun |= number in (_TRAIN, _PIPELINE)
            except ValueError:
                continue
        facts = trained or (TrainingFacts() if begun else self)
        return facts if metric is None else evolve(facts, metric=metric)


def file_order(name: str) -> tuple[int, tuple[int, ...]]:
    """Sorts files as MindInsight does: by the time in the name, then names downwards."""
    match = _TIMESTAMP.search(name)
    return int(match[1]) if match else 0, tuple(-ord(mark) for mark in name)


def _trained(event: bytes, start: int, end: int) -> TrainingFacts:
    texts: dict[str, str] = {}
    numbers: dict[str, float] = {}
    for group, kind, first, last, _ in fields(event, start, end):
        names = {
            _HYPER_PARAMETERS: ({_OPTIMIZER: "optimizer"}, {_LEARNING_RATE: "learning_rate"}),
            _ALGORITHM: ({_NETWORK: "network"}, {_LOSS: "loss"}),
        }.get(group)
        if kind != LENGTH_DELIMITED or names is None:
            continue
        for number, form, low, high, _ in fields(event, first, last):
            if form == LENGTH_DELIMITED and number in names[0]:
                texts[names[0][number]] = event[low:high].decode("utf-8", "replace")
            elif form == FOUR_BYTES and number in names[1]:
                numbers[names[1][number]] = struct.unpack_from("<f", event, low)[0]
    return TrainingFacts(
        texts.get("network"), texts.get("optimizer"), numbers.get("learning_rate"), numbers.get("loss")
    )


def _metric(event: bytes, start: int, end: int) -> dict[str, object] | None:
    for number, kind, first, last, _ in fields(event, start, end):
        if number == _METRIC and kind == LENGTH_DELIMITED:
            try:
                found = json.loads(event[first:last])  # ValueError if it is not JSON
            except RecursionError as error:
                raise ValueError("the metrics are nested too deeply") from error
            if isinstance(found, dict):
                return {name: value for name, value in found.items() if isinstance(value, int | float | str)}
    return None
