"""The encoder of a dialect, and checked values that wait to be encoded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

from insight_record.formats.protobuf import Pieces

DialectName: TypeAlias = Literal["mindspore", "tensorboard"]
Place: TypeAlias = Literal["summary", "event", "lineage", "other dialect"]


class EncodedValue(NamedTuple):
    """A value that was checked and copied; it is encoded when it is written.

    ``place`` is a value of a summary, another field of an event, the lineage file, or a value of a summary in
    a file of the other dialect next to the record's own. ``encode`` returns the content (of a summary's value
    everything but tag and metadata) and cannot fail for a checked value.
    ``metadata`` is written before the first value of a tag in a file. ``size`` is the approximate memory in
    bytes.
    """

    tag: str
    place: Place
    size: int
    encode: Callable[[], Pieces]
    metadata: bytes = b""


class FileNaming(Protocol):
    """Names the event files of a dialect."""

    def __call__(
        self, prefix: str, suffix: str, seconds: int, rank: int, host: str, process: int, number: int
    ) -> str:
        """The name of an event file.

        ``seconds`` (since the epoch) say when it began; readers take files in their order.
        ``process`` is the id of the process, ``number`` counts the files of that process.
        """


def _as_they_are(values: list[EncodedValue], before: dict[bytes, bytes]) -> list[EncodedValue]:
    return values


class EventEncoder(NamedTuple):
    """Encodes values in the wire format of one dialect, and names its files.

    Attributes
    ----------
    name
        The dialect, as the user calls it.
    version
        The ``file_version`` of the first event of a file.
    suffix
        The end of a file's name, if the user gives no other.
    number_key
        The key of the field of a summary's value that holds a scalar, a float32.
    file_name
        The name of an event file.
    kinds
        For each kind but scalar, a function of name and value that returns encoded values.
    joined
        The values of one record as they are written: the dialect may join several into one, also with those
        of earlier records, of which it keeps parts by key in the mapping that it gets.
    """

    name: str
    version: bytes
    suffix: str
    number_key: bytes
    file_name: FileNaming
    kinds: Mapping[str, Callable[[str, object], list[EncodedValue]]]
    joined: Callable[[list[EncodedValue], dict[bytes, bytes]], list[EncodedValue]] = _as_they_are

    def values(self, kind: str, name: str, value: object) -> list[EncodedValue]:
        """The encoded values for ``value``, of any kind but scalar.

        Raises ValueError or TypeError with the problem, without kind and name.
        """
        if kind not in self.kinds:
            known = ", ".join(["scalar", *self.kinds])
            raise ValueError(f"the {self.name} dialect has no {kind!r}: it has {known}")
        return self.kinds[kind](name, value)
