"""Under which name the data are, and what their metadata say."""

from __future__ import annotations

from attrs import frozen
from tensorboard.compat.proto import summary_pb2

PLUGIN_NAME = "scalars"
PROTO_VERSION = 0


@frozen
class ScalarPluginData:
    version: int = PROTO_VERSION


def create_summary_metadata(display_name: str, description: str) -> summary_pb2.SummaryMetadata:
    return summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=PLUGIN_NAME),
        display_name=display_name,
        summary_description=description,
    )


def parse_plugin_metadata(content: bytes) -> ScalarPluginData:
    """Of the only version there is, nothing is written."""
    if not isinstance(content, bytes):
        raise TypeError("Content type must be bytes")
    return ScalarPluginData()
