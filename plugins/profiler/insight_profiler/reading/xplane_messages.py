"""Message classes of TensorFlow's ``xplane.proto``, in a separate descriptor pool. Only the fields in use
are declared; texts are bytes, because files may contain invalid UTF-8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

_PACKAGE = "insight.profiler.v1"
_SCALARS = {
    "bytes": FieldDescriptorProto.TYPE_BYTES,
    "int64": FieldDescriptorProto.TYPE_INT64,
    "uint64": FieldDescriptorProto.TYPE_UINT64,
    "double": FieldDescriptorProto.TYPE_DOUBLE,
}

# message -> field -> (number, type); a type with a star is repeated. Maps are repeated entries.
_SCHEMA: Mapping[str, Mapping[str, tuple[int, str]]] = {
    "Space": {
        "planes": (1, "Plane*"),
        "errors": (2, "bytes*"),
        "warnings": (3, "bytes*"),
        "hostnames": (4, "bytes*"),
    },
    "Plane": {
        "id": (1, "int64"),
        "name": (2, "bytes"),
        "lines": (3, "Line*"),
        "event_metadata": (4, "EventEntry*"),
        "stat_metadata": (5, "StatEntry*"),
        "stats": (6, "Stat*"),
    },
    "Line": {
        "id": (1, "int64"),
        "name": (2, "bytes"),
        "timestamp_ns": (3, "int64"),
        "events": (4, "Event*"),
        "duration_ps": (9, "int64"),
        "display_id": (10, "int64"),
        "display_name": (11, "bytes"),
    },
    "Event": {
        "metadata_id": (1, "int64"),
        "offset_ps": (2, "int64"),
        "duration_ps": (3, "int64"),
        "stats": (4, "Stat*"),
        "num_occurrences": (5, "int64"),
    },
    "Stat": {
        "metadata_id": (1, "int64"),
        "double_value": (2, "double"),
        "uint64_value": (3, "uint64"),
        "int64_value": (4, "int64"),
        "str_value": (5, "bytes"),
        "bytes_value": (6, "bytes"),
        "ref_value": (7, "uint64"),
    },
    "EventEntry": {"key": (1, "int64"), "value": (2, "EventMetadata")},
    "EventMetadata": {
        "id": (1, "int64"),
        "name": (2, "bytes"),
        "display_name": (4, "bytes"),
        "stats": (5, "Stat*"),
    },
    "StatEntry": {"key": (1, "int64"), "value": (2, "StatMetadata")},
    "StatMetadata": {"id": (1, "int64"), "name": (2, "bytes")},
}


def _classes() -> dict[str, type[Any]]:
    file = FileDescriptorProto(name="insight_profiler/xplane.proto", package=_PACKAGE, syntax="proto2")
    for name, fields in _SCHEMA.items():
        message = file.message_type.add(name=name)
        for field, (number, kind) in fields.items():
            bare = kind.removesuffix("*")
            label = (
                FieldDescriptorProto.LABEL_REPEATED if bare != kind else FieldDescriptorProto.LABEL_OPTIONAL
            )
            declared = message.field.add(name=field, number=number, label=label)
            if bare in _SCALARS:
                declared.type = _SCALARS[bare]
            else:
                declared.type, declared.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".{_PACKAGE}.{bare}"
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    found = pool.FindFileByName(file.name).message_types_by_name
    return {name: GetMessageClass(descriptor) for name, descriptor in found.items()}


CLASSES = _classes()


def parsed(name: str, data: bytes) -> Any:  # noqa: ANN401  made at run time: nothing static knows its fields
    """The message of that name. Raises ValueError for bytes that are none."""
    try:
        return CLASSES[name].FromString(data)
    except DecodeError as error:
        raise ValueError(f"the bytes are no {name}") from error
