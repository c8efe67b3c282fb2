"""A new event file, in the format that TensorBoard reads.

Formats: records as in ``insight_core.records.framing``; ``Event``, ``Summary``, ``SummaryMetadata`` and
``TensorProto`` of TensorFlow's event.proto, summary.proto and tensor.proto.
"""

from __future__ import annotations

import itertools
import os
import socket
import struct
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from insight_core.records.crc32c import masked_crc32c
from insight_core.summary.fields import int_field, message_field

_VERSION = b"brain.Event:2"
_STEP, _FILE_VERSION, _SUMMARY = 2, 3, 5  # of an Event, with the wall time in field 1
_VALUE = 1  # of a Summary
_TAG, _TENSOR, _METADATA = 1, 8, 9  # of a value
_PLUGIN_DATA, _PLUGIN_NAME, _DATA_CLASS = 1, 1, 4  # of a SummaryMetadata
_TENSOR_CLASS = 2
_DTYPE, _SHAPE, _DIM, _SIZE, _STRINGS = 1, 2, 2, 1, 8  # of a TensorProto
_DT_STRING = 7
_numbers = itertools.count()


class EventFile:
    """Writes one file, in a directory that is made if need be. Not thread-safe.

    Its name is one that no other file has: time, host, process and a number. OSError when the directory
    cannot be written to.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        now = time.time()
        name = f"events.out.tfevents.{int(now)}.{socket.gethostname()}.{os.getpid()}.{next(_numbers)}"
        self.path = Path(directory) / name
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file: BinaryIO = open(self.path, "xb")  # noqa: SIM115
        self._tags: set[str] = set()
        self._event(now, message_field(_FILE_VERSION, _VERSION))

    def strings(
        self, plugin: str, tag: str, step: int, strings: Sequence[bytes], wall_time: float | None = None
    ) -> None:
        """A string tensor of rank 1; the metadata of the first value of a tag names ``plugin``.

        ``wall_time`` is in seconds since the epoch, now by default.
        """
        shape = message_field(_SHAPE, message_field(_DIM, int_field(_SIZE, len(strings))))
        tensor = (
            int_field(_DTYPE, _DT_STRING)
            + shape
            + b"".join(message_field(_STRINGS, text) for text in strings)
        )
        value = message_field(_TAG, tag.encode())
        if tag not in self._tags:
            self._tags.add(tag)
            name = message_field(_PLUGIN_DATA, message_field(_PLUGIN_NAME, plugin.encode()))
            value += message_field(_METADATA, name + int_field(_DATA_CLASS, _TENSOR_CLASS))
        summary = message_field(_SUMMARY, message_field(_VALUE, value + message_field(_TENSOR, tensor)))
        self._event(time.time() if wall_time is None else wall_time, int_field(_STEP, step) + summary)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _event(self, wall_time: float, body: bytes) -> None:
        event = b"\x09" + struct.pack("<d", wall_time) + body
        length = struct.pack("<Q", len(event))
        parts = (length, _checksum(length), event, _checksum(event))
        self._file.write(b"".join(parts))
        self._file.flush()


def _checksum(data: bytes) -> bytes:
    return struct.pack("<I", masked_crc32c(data))
