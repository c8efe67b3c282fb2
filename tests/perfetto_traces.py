"""Writes traces of Perfetto with protobuf's own runtime, from the published fields
(https://perfetto.dev/docs/reference/trace-packet-proto), and reads them event by event."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

# name: number, type, and ``*`` for repeated fields
_MESSAGES: Mapping[str, Mapping[str, tuple[int, str]]] = {
    "Trace": {"packet": (1, "*TracePacket")},
    "TracePacket": {
        "ftrace_events": (1, "Empty"),
        "clock_snapshot": (6, "ClockSnapshot"),
        "timestamp": (8, "uint64"),
        "trusted_packet_sequence_id": (10, "uint32"),
        "track_event": (11, "TrackEvent"),
        "interned_data": (12, "InternedData"),
        "sequence_flags": (13, "uint32"),
        "incremental_state_cleared": (41, "bool"),
        "previous_packet_dropped": (42, "bool"),
        "compressed_packets": (50, "bytes"),
        "timestamp_clock_id": (58, "uint32"),
        "trace_packet_defaults": (59, "Defaults"),
        "track_descriptor": (60, "TrackDescriptor"),
    },
    "Empty": {},
    "Clock": {
        "clock_id": (1, "uint32"),
        "timestamp": (2, "uint64"),
        "is_incremental": (3, "bool"),
        "unit_multiplier_ns": (4, "uint64"),
    },
    "ClockSnapshot": {"clocks": (1, "*Clock")},
    "Defaults": {"track_event_defaults": (11, "EventDefaults"), "timestamp_clock_id": (58, "uint32")},
    "EventDefaults": {"track_uuid": (11, "uint64")},
    "Interned": {"iid": (1, "uint64"), "name": (2, "string")},
    "InternedData": {"event_categories": (1, "*Interned"), "event_names": (2, "*Interned")},
    "Annotation": {"name": (10, "string"), "string_value": (6, "string"), "int_value": (4, "int64")},
    "TrackEvent": {
        "category_iids": (3, "*uint64"),
        "debug_annotations": (4, "*Annotation"),
        "type": (9, "int32"),
        "name_iid": (10, "uint64"),
        "track_uuid": (11, "uint64"),
        "categories": (22, "*string"),
        "name": (23, "string"),
        "counter_value": (30, "int64"),
        "flow_ids_old": (36, "*uint64"),
        "double_counter_value": (44, "double"),
        "flow_ids": (47, "*fixed64"),
        "terminating_flow_ids": (48, "*fixed64"),
    },
    "Process": {"pid": (1, "int32"), "process_name": (6, "string")},
    "Thread": {"pid": (1, "int32"), "tid": (2, "int32"), "thread_name": (5, "string")},
    "CounterDescriptor": {
        "unit": (3, "int32"),
        "unit_multiplier": (4, "int64"),
        "is_incremental": (5, "bool"),
        "unit_name": (6, "string"),
    },
    "TrackDescriptor": {
        "uuid": (1, "uint64"),
        "name": (2, "string"),
        "process": (3, "Process"),
        "thread": (4, "Thread"),
        "parent_uuid": (5, "uint64"),
        "counter": (8, "CounterDescriptor"),
        "static_name": (10, "string"),
    },
}
_KINDS = descriptor_pb2.FieldDescriptorProto
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


@cache
def _pool() -> Mapping[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="perfetto_for_tests.proto", package="tests", syntax="proto2"
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for own, (number, kind) in fields.items():
            plain = kind.lstrip("*")
            label = _KINDS.LABEL_REPEATED if kind.startswith("*") else _KINDS.LABEL_OPTIONAL
            field = message.field.add(name=own, number=number, label=label)
            if plain in _MESSAGES:
                field.type, field.type_name = _KINDS.TYPE_MESSAGE, f".tests.{plain}"
            else:
                field.type = getattr(_KINDS, f"TYPE_{plain.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    names = {name: pool.FindMessageTypeByName(f"tests.{name}") for name in _MESSAGES}
    return {name: message_factory.GetMessageClass(one) for name, one in names.items()}


class PerfettoTrace:
    """A trace in the making."""

    def __init__(self) -> None:
        self.message = _pool()["Trace"]()

    def packet(self, *, sequence: int = 1, **fields: Any) -> Any:  # noqa: ANN401  a message
        packet = self.message.packet.add(trusted_packet_sequence_id=sequence)
        for name, value in fields.items():
            if isinstance(value, dict):
                getattr(packet, name).MergeFrom(_message(type(getattr(packet, name)), value))
                getattr(packet, name).SetInParent()
            else:
                setattr(packet, name, value)
        return packet

    def track(self, uuid: int, **fields: Any) -> None:  # noqa: ANN401
        self.packet(track_descriptor={"uuid": uuid, **fields})

    def event(
        self,
        time: int,
        kind: int,
        track: int,
        name: str = "",
        category: str = "",
        **fields: Any,  # noqa: ANN401
    ) -> None:
        event: dict[str, Any] = {"type": kind, "track_uuid": track, **fields}
        if name:
            event["name"] = name
        if category:
            event["categories"] = [category]
        self.packet(timestamp=time, track_event=event)

    def slice(self, start: int, end: int, track: int, name: str, category: str = "", **fields: Any) -> None:  # noqa: ANN401
        self.event(start, BEGIN, track, name, category, **fields)
        self.event(end, END, track)

    def data(self) -> bytes:
        return self.message.SerializeToString()  # type: ignore[no-any-return]


def _message(kind: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    found = kind()
    for name, value in values.items():
        if isinstance(value, dict):
            getattr(found, name).CopyFrom(_message(type(getattr(found, name)), value))
            getattr(found, name).SetInParent()
        elif isinstance(value, list):
            for one in value:
                if isinstance(one, dict):
                    field = found.DESCRIPTOR.fields_by_name[name].message_type
                    getattr(found, name).append(_message(message_factory.GetMessageClass(field), one))
                else:
                    getattr(found, name).append(one)
        else:
            setattr(found, name, value)
    return found


def slices_of(data: bytes) -> list[tuple[int, int, int, str, str]]:
    """Track, start, end, name and category of the slices of a trace whose times are of one clock: event by
    event, as the format's documentation says."""
    trace = _pool()["Trace"].FromString(data)
    states: dict[int, dict[str, dict[int, str]]] = {}
    events = []
    for packet in trace.packet:
        sequence = packet.trusted_packet_sequence_id
        if packet.sequence_flags & 1 or packet.incremental_state_cleared:
            states[sequence] = {"names": {}, "categories": {}}
        state = states.setdefault(sequence, {"names": {}, "categories": {}})
        for entry in packet.interned_data.event_names:
            state["names"][entry.iid] = entry.name
        for entry in packet.interned_data.event_categories:
            state["categories"][entry.iid] = entry.name
        if packet.HasField("track_event"):
            event = packet.track_event
            name = event.name or state["names"].get(event.name_iid, "")
            category = next(iter(event.categories), "") or state["categories"].get(
                next(iter(event.category_iids), 0), ""
            )
            events.append((packet.timestamp, event.type, event.track_uuid, name, category))
    events.sort(key=lambda event: event[0])
    open_slices: dict[int, list[tuple[int, str, str]]] = {}
    found = []
    for time, kind, track, name, category in events:
        if kind == BEGIN:
            open_slices.setdefault(track, []).append((time, name, category))
        elif kind == END and open_slices.get(track):
            start, own, its = open_slices[track].pop()
            found.append((track, start, time, own, its))
        elif kind == INSTANT:
            found.append((track, time, time, name, category))
    last = max((event[0] for event in events), default=0)
    for track, stack in open_slices.items():
        found += [(track, start, last, name, category) for start, name, category in stack]
    return sorted(found)
