"""Runs with hparams, as PyTorch's SummaryWriter writes them."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from insight_core.testing import EventWriter, wire

Hparams = Mapping[str, float | str]


def hparams_value(tag: str, field: int, message: bytes) -> bytes:
    """A value of TensorBoard's hparams plugin: all of it is in the metadata."""
    content = wire.message_field(2, wire.message_field(field, message))
    plugin = wire.message_field(1, wire.message_field(1, b"hparams") + content)
    return wire.message_field(1, f"_hparams_/{tag}".encode()) + wire.message_field(9, plugin)


def write_run(
    directory: Path, hparams: Hparams, metrics: Mapping[str, float], start_time: float = 1.7e9
) -> None:
    """A run as SummaryWriter.add_hparams leaves it."""
    entries = b""
    for name, value in hparams.items():
        kind = (
            wire.message_field(3, value.encode())
            if isinstance(value, str)
            else b"\x11" + struct.pack("<d", value)
        )
        entry = wire.message_field(1, name.encode()) + wire.message_field(2, kind)
        entries += wire.message_field(1, entry)
    infos = b"".join(
        wire.message_field(5, wire.message_field(1, wire.message_field(2, tag.encode()))) for tag in metrics
    )
    with EventWriter(directory, start_time=start_time) as writer:
        writer.values(
            0, [hparams_value("experiment", 2, infos), hparams_value("session_start_info", 3, entries)]
        )
        writer.values(1, [wire.scalar_value(tag, value) for tag, value in metrics.items()])
