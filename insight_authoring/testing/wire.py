"""Bytes of event files, built field by field, so that tests can also build what no writer would."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from insight_core.plugin import Dialect
from insight_record.encoders import encoder_of
from insight_record.encoders.tensorboard import metadata as metadata
from insight_record.events import SUMMARY, VALUE, VERSION
from insight_record.events import event as event
from insight_record.formats import framing
from insight_record.formats.crc32c import masked_crc32c as masked_crc32c
from insight_record.formats.image_messages import image_message
from insight_record.formats.protobuf import encoded_varint as encoded_varint
from insight_record.formats.protobuf import int_field as int_field
from insight_record.formats.protobuf import message_field as message_field
from insight_record.formats.tensor_messages import string_tensor, tensorflow_head

VERSIONS = {dialect: encoder_of(dialect.value).version for dialect in Dialect}  # Text of the first event.


def record(payload: bytes, *, bad_length_crc: bool = False, bad_data_crc: bool = False) -> bytes:
    """A framed record; either checksum can be made wrong by one bit."""
    whole = bytearray(framing.record(payload))
    whole[framing.HEADER_SIZE - 4] ^= bad_length_crc
    whole[-framing.FOOTER_SIZE] ^= bad_data_crc
    return bytes(whole)


def version_event(dialect: Dialect, wall_time: float) -> bytes:
    """The first event of a file, which names its version."""
    return event(0, wall_time, message_field(VERSION, VERSIONS[dialect]))


def session_event(step: int, wall_time: float, status: int = 1) -> bytes:
    """A TensorFlow ``SessionLog``: status 1 is START, 2 STOP, 3 CHECKPOINT."""
    return event(step, wall_time, message_field(7, int_field(1, status)))


def summary(values: Iterable[bytes]) -> bytes:
    """The ``summary`` field of an event, out of encoded ``Summary.Value`` messages."""
    return message_field(SUMMARY, b"".join(message_field(VALUE, value) for value in values))


def _tag_bytes(tag: str | bytes) -> bytes:
    return tag if isinstance(tag, bytes) else tag.encode("utf-8", "surrogateescape")


def scalar_value(tag: str | bytes, number: float, dialect: Dialect = Dialect.TENSORBOARD) -> bytes:
    """``simple_value`` (TensorBoard) or ``scalar_value`` (MindSpore): a float32 in either dialect."""
    key = encoder_of(dialect.value).number_key
    return message_field(1, _tag_bytes(tag)) + key + np.float32(number).tobytes()


def number_tensor(number: float, *, double: bool = False, packed: bool = False) -> bytes:
    """A rank-0 ``TensorProto`` of one number, in ``tensor_content`` or in the typed field."""
    data = np.float64(number).tobytes() if double else np.float32(number).tobytes()
    typed_field = 6 if double else 5
    return tensorflow_head("float64" if double else "float32", ()) + message_field(
        typed_field if packed else 4, data
    )


def text_tensor(texts: Iterable[bytes], *, rank: int = 1) -> bytes:
    """A string ``TensorProto``: a vector, or with ``rank=0`` a single text."""
    return string_tensor(texts, None if rank else ())


def tensor_value(tag: str | bytes, tensor: bytes, first: bytes = b"") -> bytes:
    """A value that holds a tensor; ``first`` is its encoded metadata, if any."""
    return message_field(1, _tag_bytes(tag)) + first + message_field(8, tensor)


def value(tag: str | bytes, field: int, message: bytes) -> bytes:
    """A value that holds an encoded message in this field, such as a histogram."""
    return message_field(1, _tag_bytes(tag)) + message_field(field, message)


def image_value(tag: str | bytes, encoded: bytes, width: int, height: int, channels: int = 3) -> bytes:
    """An ``Image`` value; both dialects number it alike."""
    return value(tag, 4, image_message(encoded, width, height, channels))
