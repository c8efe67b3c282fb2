"""Protobuf messages of the graph formats, as ``messages.proto`` declares them."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.message import Message

from insight_core.plugin.payloads import MessageTypes

_TYPES = MessageTypes(Path(__file__).with_name("messages.binpb"))
parsed, empty = _TYPES.parse, _TYPES.new


def is_set(message: Message, field: str) -> bool:
    """Whether an optional field is present."""
    return message.HasField(field)
