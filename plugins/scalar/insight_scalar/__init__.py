"""Scalars: loss curves and every other number that a run records by step."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import (
    CachePolicy,
    DataKind,
    Dialect,
    EventField,
    Keep,
    Plugin,
    PluginNameEnum,
    RecordDecoder,
    SummaryPlugin,
    hookimpl,
)


@hookimpl
def insight_plugin() -> Plugin:
    """Scalars of both dialects."""
    return Plugin(
        name=PluginNameEnum.SCALAR,
        title="Metrics",
        titles={"zh-CN": "指标"},
        decoder=RecordDecoder(
            claims={
                EventField(Dialect.MINDSPORE, "scalar_value"),
                EventField(Dialect.TENSORBOARD, "simple_value"),
                SummaryPlugin("scalars"),
            },
            kind=DataKind.SCALAR,
        ),
        cache=CachePolicy(payload_bytes=0),
        presets={"mindinsight": CachePolicy(Keep.UNIFORM, points=1000, series=300)},
        routes="insight_scalar.routes:routes",
        frontend=Path(__file__).parent / "static",
        computations={
            "cards": "insight_scalar.cards:cards",
            "bands": "insight_scalar.band_routes:bands",
            "series": "insight_scalar.routes:series",
            "nearest": "insight_scalar.routes:nearest",
        },
        tag_state={"tags": "{pattern}"},
        order=100,
    )
