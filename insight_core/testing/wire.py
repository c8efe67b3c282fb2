"""Bytes of event files, built field by field, so that tests can also build what no writer would."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from insight_core.api import Dialect
from insight_core.summary.fields import int_field as int_field
from insight_core.summary.fields import message_field as message_field
from insight_core.summary.fields import varint as varint

VERSIONS = {Dialect.TENSORBOARD: b"brain.Event:2", Dialect.MINDSPORE: b"MindSpore.Event:1"}

_POLYNOMIAL = 0x82F63B78  # CRC-32C (Castagnoli), reflected
_MASK_DELTA = 0xA282EAD8
_DT_FLOAT, _DT_DOUBLE, _DT_STRING = 1, 2, 7


@cache
def _table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


@cache
def _table_list() -> list[int]:
    return [int(entry) for entry in _table()]


def masked_crc32c(data: bytes) -> int:
    """The checksum of a record: CRC-32C, rotated and offset as the TFRecord format asks for."""
    table, crc = _table_list(), 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def masked_crc32c_rows(rows: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The checksum of every row of a byte matrix, all rows at once."""
    table = _table()
    crc = np.full(len(rows), 0xFFFFFFFF, np.uint32)
    for column in np.ascontiguousarray(rows.T):
        crc = table[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
    crc ^= np.uint32(0xFFFFFFFF)
    masked: NDArray[np.uint32] = ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(_MASK_DELTA)
    return masked


def record(payload: bytes, *, bad_length_crc: bool = False, bad_data_crc: bool = False) -> bytes:
    """A framed record; either checksum can be made wrong by one bit."""
    header = struct.pack("<Q", len(payload))
    return (
        header
        + struct.pack("<I", masked_crc32c(header) ^ bad_length_crc)
        + payload
        + struct.pack("<I", masked_crc32c(payload) ^ bad_data_crc)
    )


def event(step: int, wall_time: float, *body: bytes) -> bytes:
    """An ``Event``; both dialects number its fields alike. Step 0 is left out, as writers do."""
    step_field = int_field(2, step) if step else b""
    return b"\x09" + struct.pack("<d", wall_time) + step_field + b"".join(body)


def version_event(dialect: Dialect, wall_time: float) -> bytes:
    return event(0, wall_time, message_field(3, VERSIONS[dialect]))


def session_event(step: int, wall_time: float, status: int = 1) -> bytes:
    """A TensorFlow ``SessionLog``: status 1 is START, 2 STOP, 3 CHECKPOINT."""
    return event(step, wall_time, message_field(7, int_field(1, status)))


def summary(values: Iterable[bytes]) -> bytes:
    """The ``summary`` field of an event, out of encoded ``Summary.Value`` messages."""
    return message_field(5, b"".join(message_field(1, value) for value in values))


def _tag_bytes(tag: str | bytes) -> bytes:
    return tag if isinstance(tag, bytes) else tag.encode("utf-8", "surrogateescape")


def scalar_value(tag: str | bytes, number: float, dialect: Dialect = Dialect.TENSORBOARD) -> bytes:
    """``simple_value`` (TensorBoard) or ``scalar_value`` (MindSpore): a float32 in either dialect."""
    key = b"\x15" if dialect is Dialect.TENSORBOARD else b"\x1d"
    return message_field(1, _tag_bytes(tag)) + key + np.float32(number).tobytes()


def metadata(
    plugin: str, data_class: int = 0, display_name: str = "", description: str = "", *, content: bytes = b""
) -> bytes:
    """The ``metadata`` field of a value, which only the first value of a tag carries.

    ``content`` is what the plugin says of all values.
    """
    own = message_field(1, plugin.encode()) + (message_field(2, content) if content else b"")
    said = message_field(1, own)
    if display_name:
        said += message_field(2, display_name.encode())
    if description:
        said += message_field(3, description.encode())
    return message_field(9, said + (int_field(4, data_class) if data_class else b""))


def number_tensor(number: float, *, double: bool = False, packed: bool = False) -> bytes:
    """A rank-0 ``TensorProto`` of one number, in ``tensor_content`` or in the typed field."""
    data = np.float64(number).tobytes() if double else np.float32(number).tobytes()
    typed_field = 6 if double else 5
    head = int_field(1, _DT_DOUBLE if double else _DT_FLOAT) + message_field(2, b"")
    return head + message_field(typed_field if packed else 4, data)


def text_tensor(texts: Iterable[bytes], *, rank: int = 1) -> bytes:
    """A string ``TensorProto``: a vector, or with ``rank=0`` a single text."""
    strings = list(texts)
    shape = message_field(2, int_field(1, len(strings))) if rank else b""
    head = int_field(1, _DT_STRING) + message_field(2, shape)
    return head + b"".join(message_field(8, text) for text in strings)


def tensor_value(tag: str | bytes, tensor: bytes, first: bytes = b"") -> bytes:
    """A value that holds a tensor; ``first`` is its encoded metadata, if any."""
    return message_field(1, _tag_bytes(tag)) + first + message_field(8, tensor)


def value(tag: str | bytes, field: int, message: bytes) -> bytes:
    """A value that holds an encoded message in this field, such as a histogram."""
    return message_field(1, _tag_bytes(tag)) + message_field(field, message)


def image_value(tag: str | bytes, encoded: bytes, width: int, height: int, channels: int = 3) -> bytes:
    """An ``Image`` value; both dialects number it alike."""
    image = int_field(1, height) + int_field(2, width) + int_field(3, channels) + message_field(4, encoded)
    return value(tag, 4, image)
