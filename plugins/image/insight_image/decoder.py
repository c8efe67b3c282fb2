"""The pictures in an image value.

Formats: ``Image`` of TensorFlow's summary.proto and of MindSpore's mindinsight_summary.proto, which number
their fields alike; a string ``TensorProto`` of width, height and one picture after the other, as the plugin
``images`` of TensorFlow 2 has it, and TensorBoard's data servers make of every image.
"""

from __future__ import annotations

from attrs import frozen

from insight_core.plugin import FileName, Reason, ReasonKind
from insight_core.plugin.data import Payload
from insight_core.plugin.payloads import LENGTH_DELIMITED, VARINT, fields, header_of, signed
from insight_image.claims import BATCHES

_HEIGHT, _WIDTH, _CHANNELS, _ENCODED = 1, 2, 3, 4  # of an Image
_DTYPE, _STRING_VAL = 1, 8  # of a TensorProto
_DT_STRING = 7
_MOST_DIGITS = 10  # of a width or height
_PICTURE = 64  # bytes in memory of the object that a picture is in

MAX_PICTURES = 1_000_000  # of one record
_TOO_MANY = ReasonKind("image_too_many", "the tensor has more than {most:,} pictures")
_NOT_STRINGS = ReasonKind("image_not_strings", "the tensor holds no strings but values of type {type}")
_SIZES_MISSING = ReasonKind(
    "image_sizes_missing", "the tensor must hold width, height and pictures, but has {strings} strings"
)


@frozen
class Pictures:
    """The pictures of one record as they are stored, and what their writer says of them.

    ``width`` and ``height`` are in pixels, 0 where the writer says nothing of use; ``channels`` is 1 for
    gray, 2 with alpha, 3 for colour, 4 with alpha (TensorFlow and MindSpore: ``colorspace``).
    """

    encoded: tuple[bytes, ...]
    width: int = 0
    height: int = 0
    channels: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(map(len, self.encoded)) + _PICTURE * len(self.encoded)


def pictures_of(payload: Payload) -> Pictures:
    """The encoded pictures of a record. Raises ValueError for bytes that are not an image message.

    A claimed file is one picture.
    """
    if isinstance(payload.claim, FileName):
        return Pictures((payload.data,))
    return _batch(payload.data) if payload.claim == BATCHES else _image(payload.data)


def _image(data: bytes) -> Pictures:
    numbers = dict.fromkeys((_HEIGHT, _WIDTH, _CHANNELS), 0)
    encoded: bytes | None = None
    for number, wire_type, start, end, value in fields(data):
        if wire_type == VARINT and number in numbers:
            numbers[number] = max(0, signed(value))
        elif wire_type == LENGTH_DELIMITED and number == _ENCODED:
            encoded = data[start:end]
    if encoded is None:
        raise ValueError(Reason("the image has no picture", "image_no_picture"))
    return Pictures((encoded,), numbers[_WIDTH], numbers[_HEIGHT], numbers[_CHANNELS])


def _batch(data: bytes) -> Pictures:
    dtype, strings = 0, []
    for number, wire_type, start, end, value in fields(data):
        if wire_type == VARINT and number == _DTYPE:
            dtype = value
        elif wire_type == LENGTH_DELIMITED and number == _STRING_VAL:
            strings.append(data[start:end])
            if len(strings) > 2 + MAX_PICTURES:
                raise ValueError(_TOO_MANY(most=MAX_PICTURES))
    if dtype != _DT_STRING:
        raise ValueError(_NOT_STRINGS(type=dtype))
    if len(strings) < 2:
        raise ValueError(_SIZES_MISSING(strings=len(strings)))
    width, height, *encoded = strings
    return Pictures(tuple(encoded), _whole(width), _whole(height))


def _whole(text: bytes) -> int:
    """A width or height in ASCII digits; 0 for anything else, as the picture itself tells."""
    return int(text) if text.isdigit() and len(text) <= _MOST_DIGITS else 0


def described(pictures: Pictures) -> object:
    """The size that the writer recorded, and format and size of each picture; null where unreadable."""
    return {
        "width": pictures.width,
        "height": pictures.height,
        "channels": pictures.channels,
        "pictures": [_header(encoded) for encoded in pictures.encoded],
    }


def _header(encoded: bytes) -> object:
    found: dict[str, object] = {"size": len(encoded), "mimetype": None, "width": None, "height": None}
    try:
        header = header_of(encoded)
    except ValueError:
        return found
    return found | {"mimetype": header.mimetype, "width": header.width, "height": header.height}
