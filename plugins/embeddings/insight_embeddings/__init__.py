"""Embeddings: points of TensorBoard's projector files in three dimensions, their neighbours and groups."""

from __future__ import annotations

from pathlib import Path

from insight_core.plugin import CachePolicy, Plugin, RecordDecoder, hookimpl
from insight_embeddings.claims import CLAIMS


@hookimpl
def insight_plugin() -> Plugin:
    """Files that ``projector_config.pbtxt`` names: tensors, metadata and sprites."""
    return Plugin(
        name="embeddings",
        title="Embeddings",
        tab_group="model",
        titles={"zh-CN": "嵌入"},
        decoder=RecordDecoder(
            claims=CLAIMS,
            decode="insight_embeddings.claims:content_of",
            encode="insight_embeddings.claims:described",
        ),
        cache=CachePolicy(payload_bytes=256 << 20),
        routes="insight_embeddings.routes:routes",
        frontend=Path(__file__).parent / "static",
        is_active="insight_embeddings.claims:has_embeddings",
    )
