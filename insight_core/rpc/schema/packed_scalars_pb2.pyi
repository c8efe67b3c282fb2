# Made from the .proto files by `make proto` (grpcio-tools 1.85.1).
# ruff: noqa
# fmt: off
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ReadScalarsResponse(_message.Message):
    __slots__ = ("runs",)
    class RunEntry(_message.Message):
        __slots__ = ("run_name", "tags")
        RUN_NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        run_name: str
        tags: _containers.RepeatedCompositeFieldContainer[ReadScalarsResponse.TagEntry]
        def __init__(self, run_name: _Optional[str] = ..., tags: _Optional[_Iterable[_Union[ReadScalarsResponse.TagEntry, _Mapping[str, object]]]] = ...) -> None: ...
    class TagEntry(_message.Message):
        __slots__ = ("tag_name", "data")
        TAG_NAME_FIELD_NUMBER: _ClassVar[int]
        DATA_FIELD_NUMBER: _ClassVar[int]
        tag_name: str
        data: ScalarData
        def __init__(self, tag_name: _Optional[str] = ..., data: _Optional[_Union[ScalarData, _Mapping[str, object]]] = ...) -> None: ...
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[ReadScalarsResponse.RunEntry]
    def __init__(self, runs: _Optional[_Iterable[_Union[ReadScalarsResponse.RunEntry, _Mapping[str, object]]]] = ...) -> None: ...

class ScalarData(_message.Message):
    __slots__ = ("step", "wall_time", "value")
    STEP_FIELD_NUMBER: _ClassVar[int]
    WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    step: bytes
    wall_time: bytes
    value: bytes
    def __init__(self, step: _Optional[bytes] = ..., wall_time: _Optional[bytes] = ..., value: _Optional[bytes] = ...) -> None: ...
