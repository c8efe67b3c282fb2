"""3D: point clouds and meshes of runs, step by step, seen by one camera."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Plugin, RecordDecoder, SummaryPlugin, hookimpl


@hookimpl
def insight_plugin() -> Plugin:
    """Values of TensorBoard's summary plugin ``mesh``, and plain tensors of points."""
    return Plugin(
        name="mesh",
        title="3D",
        tab_group="media",
        titles={"zh-CN": "3D"},
        decoder=RecordDecoder(
            claims={SummaryPlugin("mesh")},
            decode="insight_mesh.parts:part_of",
            encode="insight_mesh.parts:described",
        ),
        cache=CachePolicy(payload_bytes=128 << 20),
        routes="insight_mesh.routes:routes",
        frontend=Path(__file__).parent / "static",
        step_state={"step": "{step}", "link": "1"},
        tag_state={"tags": "{pattern}"},
        is_active="insight_mesh.clouds:has_shapes",
    )
