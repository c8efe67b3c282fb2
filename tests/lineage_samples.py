"""Runs with hparams, as PyTorch's SummaryWriter writes them, and with MindSpore's lineage files."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import insight_lineage
import insight_scalar

from insight_authoring.testing import wire
from insight_core.ingest.logdir import Logdir
from insight_core.plugin.testing import EventWriter
from insight_core.providers.local import LocalProvider

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


def field(number: int, value: bytes | str | int | float) -> bytes:
    """A field of a message; a ``float`` is a double."""
    if isinstance(value, int):
        return wire.encoded_varint(number << 3) + wire.encoded_varint(value)
    if isinstance(value, float):
        return wire.encoded_varint(number << 3 | 1) + struct.pack("<d", value)
    return wire.message_field(number, value.encode() if isinstance(value, str) else value)


class LineageLogs:
    """Writes runs with lineage files of MindSpore below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def opened(self) -> Iterator[LocalProvider]:
        """A provider over what is written; ``load`` reads it."""
        self.root.mkdir()
        plugins = [insight_scalar.insight_plugin(), insight_lineage.insight_plugin()]
        provider = LocalProvider([Logdir(str(self.root))], plugins, reload_interval=0)
        yield provider
        provider.close()

    def file(self, run: str, content: bytes, second: int = 1) -> Path:
        """A lineage file, and an event file that makes the directory a run."""
        directory = self.root / run
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "events.out.events.summary.1.0.host_MS").touch()
        path = directory / f"events.out.events.summary.{second}.0.host_lineage"
        path.write_bytes(content)
        return path

    def trained(self, epoch: int = 3, learning_rate: float = 0.5, network: str = "Net") -> bytes:
        hyper = (
            field(1, "Adam")
            + wire.encoded_varint(2 << 3 | 5)
            + struct.pack("<f", learning_rate)
            + field(4, epoch)
        )
        return wire.record(field(6, field(1, hyper) + field(3, field(1, network))))

    def evaluated(self, metrics: object) -> bytes:
        text = metrics if isinstance(metrics, str) else json.dumps(metrics)
        return wire.record(field(7, field(2, text)))

    def added(self, **values: str | int | float) -> bytes:
        numbers = {int: 3, str: 4, float: 5}
        items = [
            field(1, field(numbers[type(value)], field(1, name) + field(2, value)))
            for name, value in values.items()
        ]
        return wire.record(field(10, b"".join(items)))

    def scalars(self, run: str, values: Mapping[str, list[float]]) -> None:
        with EventWriter(self.root / run) as writer:
            for tag, listed in values.items():
                for step, value in enumerate(listed):
                    writer.scalar(tag, step, value)
