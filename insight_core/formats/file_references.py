"""Values of translated stores that name a file of the store instead of holding its bytes."""

from __future__ import annotations

import json
import os
from typing import Self

from attrs import frozen

from insight_record.formats.protobuf import LENGTH_DELIMITED, encoded_varint, fields, message_field
from insight_record.formats.reason import Reason

LONGEST = 16 << 10  # bytes of a message that refers to a file
_REFERENCE = 100_000  # a field that no message of an event has
_KEY = encoded_varint(_REFERENCE << 3 | LENGTH_DELIMITED)


@frozen
class FileReference:
    """A message whose last field is the content of a file, and of which ``beginning`` has the other fields.

    ``size`` is in bytes, ``mtime_ns`` the file's time when it was named: another version of the file counts
    as gone.
    """

    beginning: bytes
    field: int
    path: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, message: bytes) -> Self | None:
        """The reference in a message; None if the message holds its bytes itself."""
        if len(message) > LONGEST or _KEY not in message:
            return None
        for number, kind, start, end, _ in fields(message):
            if number == _REFERENCE and kind == LENGTH_DELIMITED and end == len(message):
                beginning = message[: message.rindex(_KEY, 0, start)]
                field, path, size, mtime_ns = json.loads(message[start:end])
                return cls(beginning, int(field), str(path), int(size), int(mtime_ns))
        return None

    @property
    def whole(self) -> int:
        """Bytes of the message with the content of the file."""
        return len(self.beginning) + len(self._header) + self.size

    def message(self, content: bytes) -> bytes:
        """The message with the content of the file."""
        return b"".join((self.beginning, self._header, content))

    def is_version(self, info: os.stat_result) -> bool:
        """Whether a file is the one that was named."""
        return (info.st_size, info.st_mtime_ns) == (self.size, self.mtime_ns)

    @property
    def _header(self) -> bytes:
        return encoded_varint(self.field << 3 | LENGTH_DELIMITED) + encoded_varint(self.size)


def file_reference(field: int, path: str) -> bytes:
    """The last field of a message, in the place of its field ``field`` with the content of a file.

    For the event files of a ``StoreFormat``: the host reads the file when the value is asked for, so that
    pictures are not copied. The file has to keep its size and time. Raises OSError, and ValueError for a
    path that is too long.
    """
    path = os.path.realpath(path)
    info = os.stat(path)
    message = message_field(
        _REFERENCE, json.dumps([field, path, info.st_size, info.st_mtime_ns]).encode("ascii")
    )
    if len(message) > LONGEST // 2:
        raise ValueError(Reason("the path of its file is too long", "store_path_long"))
    return message
