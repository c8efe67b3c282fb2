"""Files below a run that belong to an embedding."""

from __future__ import annotations

from insight_core.plugin import FileName, PluginContext
from insight_core.plugin.data import Payload

CONFIG_NAME = "projector_config.pbtxt"
CONFIGS = frozenset(
    {
        FileName(CONFIG_NAME),
        # where TensorBoard's own helper for plugin assets puts the file
        FileName(f"plugins/org_tensorflow_tensorboard_projector/{CONFIG_NAME}", makes_run=False),
    }
)
# A configuration names its files freely; these are the names that writers use.
_NAMED_FILES = ("*.tsv", "*.bytes", "*sprite*.png", "*sprite*.jpg", "*sprite*.jpeg")
CLAIMS = CONFIGS | {FileName(f"**/{name}", makes_run=False, beside=CONFIG_NAME) for name in _NAMED_FILES}


def content_of(payload: Payload) -> bytes:
    """The bytes of the file: what they mean depends on the configuration that names it."""
    return payload.data


def described(content: bytes) -> object:
    """The size in bytes; ``/blob`` has the content."""
    return {"size": len(content)}


def has_embeddings(ctx: PluginContext) -> bool:
    """Whether any run has a configuration of the projector."""
    return any(not CONFIGS.isdisjoint(info.claims) for info in ctx.own.series())
