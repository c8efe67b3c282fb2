"""What the scalar plugin claims of an event."""

from __future__ import annotations

from insight_core.plugin import DataKind, Dialect, EventField, RecordDecoder, SummaryPlugin

DECODER = RecordDecoder(
    claims={
        EventField(Dialect.MINDSPORE, "scalar_value"),
        EventField(Dialect.TENSORBOARD, "simple_value"),
        SummaryPlugin("scalars"),
    },
    kind=DataKind.SCALAR,
)
