"""Facts of an imported run: hyperparameters, how it ended, and where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self

import attrs

from insight_importers.cells import Cell, utf8
from insight_record.encoders.encoder import EncodedValue
from insight_record.encoders.tensorboard import metadata
from insight_record.formats.protobuf import int_field, message_field, text_field
from insight_record.lineage import hparam_entries

SUMMARY_PLUGIN = "import"
_TAGS = ("_hparams_/experiment", "_hparams_/session_start_info", "_hparams_/session_end_info")
_EXPERIMENT, _START, _END = 2, 3, 4  # of HParamsPluginData
_METRIC, _METRIC_NAME, _METRIC_TAG = 5, 1, 2
_STATUS = 1
STATUSES = {"success": 1, "failure": 2, "running": 3}


@attrs.define
class Facts:
    """``origin`` are cells of the run table (tracker, project, name, ...); ``results`` are numbers that are
    no series, such as W&B's summary; ``texts`` stand for the whole run. Times are in seconds since the
    epoch."""

    config: dict[str, Cell] = attrs.Factory(dict)
    origin: dict[str, Cell] = attrs.Factory(dict)
    results: dict[str, float] = attrs.Factory(dict)
    texts: dict[str, str] = attrs.Factory(dict)
    status: str = ""
    started: float = 0.0
    ended: float = 0.0
    last_step: int = 0

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """The facts that ``kept`` gave."""
        return cls(**kept)

    def kept(self) -> dict[str, Any]:
        """Returns the facts as a JSON object."""
        return attrs.asdict(self)

    def text(self) -> str:
        """Differs where the facts do."""
        return json.dumps(self.kept(), sort_keys=True)


def facts_values(facts: Facts) -> list[EncodedValue]:
    """The facts as values of TensorBoard's hparams, and of this plugin."""
    metrics = b"".join(
        message_field(_METRIC, message_field(_METRIC_NAME, text_field(_METRIC_TAG, utf8(tag))))
        for tag in facts.results
    )
    entries = hparam_entries(facts.config.items())
    contents = [message_field(_EXPERIMENT, metrics), message_field(_START, entries)]
    if facts.status in STATUSES:
        contents.append(message_field(_END, int_field(_STATUS, STATUSES[facts.status])))
    values = [_value(tag, "hparams", content) for tag, content in zip(_TAGS, contents, strict=False)]
    origin = json.dumps(facts.origin).encode()
    return [*values, _value("_import_", SUMMARY_PLUGIN, origin)]


def _value(tag: str, plugin: str, content: bytes) -> EncodedValue:
    return EncodedValue(tag, "summary", len(content), list, metadata(plugin, content=content))
