"""What the lineage files beside a landscape say of the training: network, optimiser, learning rate, result.

Format: ``LineageEvent`` of MindSpore's lineage.proto, in records as event files have them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator

from attrs import evolve, field, frozen

from insight_core.values.wire import FOUR_BYTES, LENGTH_DELIMITED, fields

_HEADER, _FOOTER = 12, 4  # bytes around an event
_TRAIN, _EVALUATION = 6, 7  # of a LineageEvent
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
        """With what one file says, which is newer. What cannot be read of it is left out."""
        facts = self
        for event in _events(data):
            try:
                for number, kind, start, end, _ in fields(event):
                    if kind == LENGTH_DELIMITED and number == _TRAIN:
                        facts = _trained(event, start, end)
                    elif kind == LENGTH_DELIMITED and number == _EVALUATION:
                        facts = evolve(facts, metric=facts.metric | _metric(event, start, end))
            except ValueError:
                continue  # the lineage plugin is where its damage shows
        return facts


def _events(data: bytes) -> Iterator[bytes]:
    position = 0
    while position + _HEADER <= len(data):
        (length,) = struct.unpack_from("<Q", data, position)
        start = position + _HEADER
        position = start + length + _FOOTER
        if position <= len(data):
            yield data[start : start + length]


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


def _metric(event: bytes, start: int, end: int) -> dict[str, object]:
    for number, kind, first, last, _ in fields(event, start, end):
        if number == _METRIC and kind == LENGTH_DELIMITED:
            found = json.loads(event[first:last])  # ValueError for what is no JSON
            return found if isinstance(found, dict) else {}
    return {}
