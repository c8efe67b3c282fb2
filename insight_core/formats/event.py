"""Locates time, step and values of an encoded event; copies only tags.

Field numbers: TensorFlow's event.proto, summary.proto, tensor.proto; MindSpore's
mindinsight_summary.proto and mindinsight_anf_ir.proto (reference: docs/reference/formats.md).
"""

from __future__ import annotations

import functools
import struct

from attrs import define, evolve, field, frozen

from insight_core.formats.dialects import Dialect
from insight_record.formats.protobuf import Buffer, fields, signed, varint
from insight_record.formats.protobuf import Malformed as Malformed
from insight_record.formats.reason import ReasonKind

VALUE_FIELDS: dict[Dialect, dict[int, str]] = {
    Dialect.TENSORBOARD: {2: "simple_value", 4: "image", 5: "histo", 6: "audio", 8: "tensor"},
    Dialect.MINDSPORE: {3: "scalar_value", 4: "image", 8: "tensor", 9: "histogram", 10: "loss_landscape"},
}
EVENT_FIELDS: dict[Dialect | None, dict[int, str]] = {
    None: {3: "version"},
    Dialect.TENSORBOARD: {
        3: "version",
        4: "graph_def",
        5: "summary",
        8: "tagged_run_metadata",
        9: "meta_graph_def",
    },
    Dialect.MINDSPORE: {3: "version", 4: "graph_def", 5: "summary", 6: "explain"},
}
_NO_VALUES = ("version", "summary")  # fields of an event that hold none themselves
NUMBER_FIELDS = frozenset({"simple_value", "scalar_value"})
METADATA_FIELD = 9
SESSION_FIELD = 7  # of an event in TensorBoard's dialect: a SessionLog
SESSION_START = 1  # its status (field 1) where a session begins
_LAST_FIELD = (1 << 29) - 1  # the largest number that a field may have
_WALL_TIME_FIELD = 9  # bytes of it, which most events begin with
_SHORT_EVENT = 256  # bytes
_FLOAT, _DOUBLE = 1, 2  # DataType of tensorflow/core/framework/types.proto
_EVENT_FIELD_TYPE = ReasonKind("event_field_type", "{name} has wire type {kind}")


@frozen
class Metadata:
    """Summary metadata; the first value of a tag carries it for all values of the tag."""

    plugin: str
    display_name: str
    description: str
    content: bytes = b""  # plugin data for all values of the tag
    data_class: int = 0  # 1 scalar, 2 tensor, 3 blob sequence, 0 unknown
    last: bytes | None = None  # plugin data of the last value, if they differ from ``content``

    @property
    def last_content(self) -> bytes:
        """Plugin data of the last value of the tag."""
        return self.content if self.last is None else self.last

    def continued(self, later: Metadata) -> Metadata:
        """The metadata of a tag with values of ``later`` metadata after these; itself if nothing differs.

        Those of another plugin do not count.
        """
        content = later.last_content
        if content == self.last_content or later.plugin != self.plugin:
            return self
        return evolve(self, last=None if content == self.content else content)


@define
class Value:
    """One value of an event. Positions count from the start of the event."""

    tag: bytes = b""
    tag_start: int = 0
    field: str = ""  # oneof field: simple_value, image, ...; its number if it has no name here;
    # "metadata" if the value has only metadata
    start: int = 0  # of the message, its length prefix left out
    size: int = 0
    number: str = ""  # struct format of a number found in place: "<f", "<d"
    number_start: int = 0
    number_value: float | None = None  # also for numbers in other formats
    metadata: Metadata | None = None


@define
class Event:
    """The fields of an event and their positions; -1: the field is absent."""

    wall_time: float = 0.0
    wall_start: int = -1  # -1: the field is absent
    step: int = 0
    step_start: int = -1
    step_size: int = 0
    version: str | None = None
    starts_session: bool = False  # at this step: what earlier sessions recorded from there on is stale
    values: list[Value] = field(factory=list)


def _fields(buffer: Buffer, position: int, end: int) -> list[tuple[int, int, int, int]]:
    """(number, wire type, start, size) of each field of the message at [position, end), all of them sound."""
    return [
        (number, kind, start, stop - start) for number, kind, start, stop, _ in fields(buffer, position, end)
    ]


def read_event(buffer: Buffer, dialect: Dialect | None) -> Event:
    """The layout of the event that fills ``buffer``; raises Malformed.

    Without a dialect only the version is read, which tells the dialect.
    """
    event = Event()
    end = len(buffer)
    for number, kind, start, size in _fields(buffer, 0, end):
        if number == 1 and kind == 1:
            event.wall_start = start
            event.wall_time = struct.unpack("<d", bytes(buffer[start : start + 8]))[0]
        elif number == 2 and kind == 0:
            event.step_start, event.step_size = start, size
            event.step = signed(varint(buffer, start, end)[0])
        elif number == SESSION_FIELD and kind == 2 and dialect is Dialect.TENSORBOARD:
            event.starts_session = _starts_session(buffer, start, size)
        elif number in EVENT_FIELDS[dialect]:
            name = EVENT_FIELDS[dialect][number]
            _check_wire_type(name, kind, 2)
            if name == "version":
                event.version = _text(buffer, start, min(size, 64))
            elif name == "summary" and dialect is not None:
                _read_summary(buffer, start, size, dialect, event)
            elif name == "tagged_run_metadata":
                event.values.append(_read_tagged(buffer, start, size))
            else:
                event.values.append(Value(field=name, start=start, size=size))
    return event


def claimable_fields(dialect: Dialect) -> list[str]:
    """Names of the fields that hold values: those of a summary value, then those of an event."""
    fields_of_events = EVENT_FIELDS[dialect].values()
    return [*VALUE_FIELDS[dialect].values(), *(name for name in fields_of_events if name not in _NO_VALUES)]


def is_nameless_field(dialect: Dialect, name: str) -> bool:
    """Whether this is the number of a field of values that has no name here, as ``Value.field`` has it."""
    if dialect is not Dialect.MINDSPORE or not name.isdecimal() or name != str(int(name)):
        return False
    return 1 < int(name) <= _LAST_FIELD and int(name) not in VALUE_FIELDS[dialect]


def _starts_session(buffer: Buffer, start: int, size: int) -> bool:
    status = 0
    for number, kind, at, length in _fields(buffer, start, start + size):
        if number == 1 and kind == 0:
            status = varint(buffer, at, at + length)[0]
    return status == SESSION_START


def dialect_of(buffer: Buffer) -> Dialect | None:
    """The dialect of a file whose first event fills ``buffer``; None if the event has no version."""
    if len(buffer) > _SHORT_EVENT:
        return _dialect_of(buffer)
    event = bytes(buffer)
    return _known_dialect_of(event[_WALL_TIME_FIELD:] if event[:1] == b"\x09" else event)


def _dialect_of(event: Buffer) -> Dialect | None:
    try:
        version = read_event(event, None).version
    except Malformed:
        return None
    if version is None:
        return None
    return Dialect.MINDSPORE if "mindspore" in version.lower() else Dialect.TENSORBOARD


# Files of one writer start with equal bytes, except for the time.
_known_dialect_of = functools.lru_cache(maxsize=64)(_dialect_of)


def _check_wire_type(name: str, kind: int, wanted: int) -> None:
    if kind != wanted:
        raise Malformed(_EVENT_FIELD_TYPE(name=name, kind=kind))


def _read_summary(buffer: Buffer, start: int, size: int, dialect: Dialect, event: Event) -> None:
    for number, kind, value_start, value_size in _fields(buffer, start, start + size):
        if number == 1 and kind == 2:
            event.values += _read_value(buffer, value_start, value_size, dialect)


def _read_tagged(buffer: Buffer, start: int, size: int) -> Value:
    """A TaggedRunMetadata, 1 tag, 2 run_metadata; the latter is the payload."""
    value = Value(field="tagged_run_metadata", start=start)
    for number, kind, at, length in _fields(buffer, start, start + size):
        if number == 1 and kind == 2:
            value.tag, value.tag_start = bytes(buffer[at : at + length]), at
        elif number == 2 and kind == 2:
            value.start, value.size = at, length
    return value


def _read_value(buffer: Buffer, start: int, size: int, dialect: Dialect) -> list[Value]:
    """The value, and what MindSpore's has in fields that have no name here: TensorBoard's has fields next
    to the value."""
    value = Value()
    nameless: list[Value] = []
    names = VALUE_FIELDS[dialect]
    for number, kind, at, length in _fields(buffer, start, start + size):
        if number == 1 and kind == 2:
            value.tag, value.tag_start = bytes(buffer[at : at + length]), at
        elif number == METADATA_FIELD and dialect is Dialect.TENSORBOARD and kind == 2:
            value.metadata = read_metadata(bytes(buffer[at : at + length]))
        elif number in names:
            name = names[number]
            _check_wire_type(name, kind, 5 if name in NUMBER_FIELDS else 2)
            value.field, value.start, value.size = name, at, length
        elif number != 1 and dialect is Dialect.MINDSPORE:
            nameless.append(Value(field=str(number), start=at, size=length))
    if value.field in NUMBER_FIELDS:
        _place_number(buffer, value, "<f", value.start)
    elif value.field == "tensor" and dialect is Dialect.TENSORBOARD and value.size <= 256:
        _find_number(buffer, value)
    elif not value.field and value.metadata is not None and value.metadata.plugin:
        value.field, value.start = "metadata", start
    for each in nameless:
        each.tag, each.tag_start = value.tag, value.tag_start
    return [value, *nameless]


@functools.lru_cache(maxsize=1024)
def read_metadata(data: bytes) -> Metadata:
    """Parses a SummaryMetadata; raises Malformed. Cached, because most writers repeat the same metadata."""
    plugin = display_name = description = ""
    content, data_class = b"", 0
    for number, kind, at, length in _fields(data, 0, len(data)):
        if number == 4 and kind == 0:
            data_class = varint(data, at, at + length)[0]
        if kind != 2:
            continue
        if number == 1:
            for inner, inner_kind, inner_at, inner_length in _fields(data, at, at + length):
                if inner == 1 and inner_kind == 2:
                    plugin = _text(data, inner_at, inner_length)
                elif inner == 2 and inner_kind == 2:
                    content = data[inner_at : inner_at + inner_length]
        elif number == 2:
            display_name = _text(data, at, length)
        elif number == 3:
            description = _text(data, at, length)
    return Metadata(plugin, display_name, description, content, data_class)


def _find_number(buffer: Buffer, value: Value) -> None:
    """Notes where the number of a one-element TensorProto is: 1 dtype, 2 shape, 4 content, 5 to 17 typed."""
    dtype, is_one = 0, True
    typed: dict[int, tuple[int, int, int]] = {}
    for number, kind, at, length in _fields(buffer, value.start, value.start + value.size):
        if number == 1 and kind == 0:
            dtype = varint(buffer, at, at + length)[0]
        elif number == 2 and kind == 2:
            is_one = _is_of_one(buffer, at, length)
        else:
            typed[number] = (kind, at, length)
    if not is_one or not dtype:
        return
    wanted = {_FLOAT: (5, "<f", 4), _DOUBLE: (6, "<d", 8)}
    if dtype in wanted:
        number, form, width = wanted[dtype]
        for candidate in (number, 4):
            kind, at, length = typed.get(candidate, (0, 0, 0))
            if kind != 0 and length == width:
                _place_number(buffer, value, form, at)
                return
        if not typed:  # writers may omit a default value
            value.number_value = 0.0
        return
    value.number_value = _other_number(buffer, dtype, typed)


def _is_of_one(buffer: Buffer, start: int, size: int) -> bool:
    """Whether all dimensions of a TensorShapeProto (2 dim {1 size}) are 1; there may be none."""
    is_one = True
    for number, kind, at, length in _fields(buffer, start, start + size):
        if number == 2:
            count = 0
            for inner, inner_kind, place, width in _fields(buffer, at, at + length) if kind == 2 else ():
                if inner == 1 and inner_kind == 0:
                    count = varint(buffer, place, place + width)[0]
            is_one &= count == 1
    return is_one


def _place_number(buffer: Buffer, value: Value, form: str, start: int) -> None:
    value.number, value.number_start = form, start
    (value.number_value,) = struct.unpack(form, bytes(buffer[start : start + struct.calcsize(form)]))


def _other_number(buffer: Buffer, dtype: int, typed: dict[int, tuple[int, int, int]]) -> float | None:
    """One number of another type: half 19, bfloat16 14, integers 3 4 5 6 9 17 22 23, bool 10."""
    contents = {19: "<e", 3: "<i", 4: "<B", 5: "<h", 6: "<b", 9: "<q", 17: "<H", 22: "<I", 23: "<Q", 10: "<?"}
    if 4 in typed:
        _, at, length = typed[4]
        form = contents.get(dtype)
        if form and struct.calcsize(form) == length:
            return float(struct.unpack(form, bytes(buffer[at : at + length]))[0])
        if dtype == 14 and length == 2:
            return float(struct.unpack("<f", b"\0\0" + bytes(buffer[at : at + 2]))[0])
        return None
    numbers = {7: "int", 10: "int", 11: "int", 13: "half", 16: "unsigned", 17: "unsigned"}
    for number, form in numbers.items():
        if number in typed:
            _, at, length = typed[number]
            raw = varint(buffer, at, at + length)[0]
            if form == "half":
                packed = raw.to_bytes(8, "little")[:2]
                layout, packed = ("<e", packed) if dtype == 19 else ("<f", b"\0\0" + packed)
                return float(struct.unpack(layout, packed)[0])
            return float(signed(raw) if form == "int" else raw)
    return None


def _text(buffer: Buffer, start: int, size: int) -> str:
    return bytes(buffer[start : start + size]).decode("utf-8", "backslashreplace")
