# Made from the .proto files by `make proto` (grpcio-tools 1.85.1).
# ruff: noqa
# fmt: off
import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from insight_core.rpc.schema import tensorboard_pb2 as _tensorboard_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetExperimentRequest(_message.Message):
    __slots__ = ("experiment_id",)
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    def __init__(self, experiment_id: _Optional[str] = ...) -> None: ...

class GetExperimentResponse(_message.Message):
    __slots__ = ("data_location", "name", "description", "creation_time")
    DATA_LOCATION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    CREATION_TIME_FIELD_NUMBER: _ClassVar[int]
    data_location: str
    name: str
    description: str
    creation_time: _timestamp_pb2.Timestamp
    def __init__(self, data_location: _Optional[str] = ..., name: _Optional[str] = ..., description: _Optional[str] = ..., creation_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping[str, object]]] = ...) -> None: ...

class PluginFilter(_message.Message):
    __slots__ = ("plugin_name",)
    PLUGIN_NAME_FIELD_NUMBER: _ClassVar[int]
    plugin_name: str
    def __init__(self, plugin_name: _Optional[str] = ...) -> None: ...

class RunTagFilter(_message.Message):
    __slots__ = ("runs", "tags")
    RUNS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    runs: RunFilter
    tags: TagFilter
    def __init__(self, runs: _Optional[_Union[RunFilter, _Mapping[str, object]]] = ..., tags: _Optional[_Union[TagFilter, _Mapping[str, object]]] = ...) -> None: ...

class RunFilter(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class TagFilter(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class Downsample(_message.Message):
    __slots__ = ("num_points",)
    NUM_POINTS_FIELD_NUMBER: _ClassVar[int]
    num_points: int
    def __init__(self, num_points: _Optional[int] = ...) -> None: ...

class ListPluginsRequest(_message.Message):
    __slots__ = ("experiment_id",)
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    def __init__(self, experiment_id: _Optional[str] = ...) -> None: ...

class ListPluginsResponse(_message.Message):
    __slots__ = ("plugins",)
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    plugins: _containers.RepeatedCompositeFieldContainer[Plugin]
    def __init__(self, plugins: _Optional[_Iterable[_Union[Plugin, _Mapping[str, object]]]] = ...) -> None: ...

class Plugin(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class ListRunsRequest(_message.Message):
    __slots__ = ("experiment_id",)
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    def __init__(self, experiment_id: _Optional[str] = ...) -> None: ...

class ListRunsResponse(_message.Message):
    __slots__ = ("runs",)
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[Run]
    def __init__(self, runs: _Optional[_Iterable[_Union[Run, _Mapping[str, object]]]] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("name", "start_time")
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    name: str
    start_time: float
    def __init__(self, name: _Optional[str] = ..., start_time: _Optional[float] = ...) -> None: ...

class ListScalarsRequest(_message.Message):
    __slots__ = ("experiment_id", "plugin_filter", "run_tag_filter")
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_FILTER_FIELD_NUMBER: _ClassVar[int]
    RUN_TAG_FILTER_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    plugin_filter: PluginFilter
    run_tag_filter: RunTagFilter
    def __init__(self, experiment_id: _Optional[str] = ..., plugin_filter: _Optional[_Union[PluginFilter, _Mapping[str, object]]] = ..., run_tag_filter: _Optional[_Union[RunTagFilter, _Mapping[str, object]]] = ...) -> None: ...

class ListScalarsResponse(_message.Message):
    __slots__ = ("runs",)
    class RunEntry(_message.Message):
        __slots__ = ("run_name", "tags")
        RUN_NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        run_name: str
        tags: _containers.RepeatedCompositeFieldContainer[ListScalarsResponse.TagEntry]
        def __init__(self, run_name: _Optional[str] = ..., tags: _Optional[_Iterable[_Union[ListScalarsResponse.TagEntry, _Mapping[str, object]]]] = ...) -> None: ...
    class TagEntry(_message.Message):
        __slots__ = ("tag_name", "metadata")
        TAG_NAME_FIELD_NUMBER: _ClassVar[int]
        METADATA_FIELD_NUMBER: _ClassVar[int]
        tag_name: str
        metadata: ScalarMetadata
        def __init__(self, tag_name: _Optional[str] = ..., metadata: _Optional[_Union[ScalarMetadata, _Mapping[str, object]]] = ...) -> None: ...
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[ListScalarsResponse.RunEntry]
    def __init__(self, runs: _Optional[_Iterable[_Union[ListScalarsResponse.RunEntry, _Mapping[str, object]]]] = ...) -> None: ...

class ReadScalarsRequest(_message.Message):
    __slots__ = ("experiment_id", "plugin_filter", "run_tag_filter", "downsample")
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_FILTER_FIELD_NUMBER: _ClassVar[int]
    RUN_TAG_FILTER_FIELD_NUMBER: _ClassVar[int]
    DOWNSAMPLE_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    plugin_filter: PluginFilter
    run_tag_filter: RunTagFilter
    downsample: Downsample
    def __init__(self, experiment_id: _Optional[str] = ..., plugin_filter: _Optional[_Union[PluginFilter, _Mapping[str, object]]] = ..., run_tag_filter: _Optional[_Union[RunTagFilter, _Mapping[str, object]]] = ..., downsample: _Optional[_Union[Downsample, _Mapping[str, object]]] = ...) -> None: ...

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

class ListTensorsRequest(_message.Message):
    __slots__ = ("experiment_id", "plugin_filter", "run_tag_filter")
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_FILTER_FIELD_NUMBER: _ClassVar[int]
    RUN_TAG_FILTER_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    plugin_filter: PluginFilter
    run_tag_filter: RunTagFilter
    def __init__(self, experiment_id: _Optional[str] = ..., plugin_filter: _Optional[_Union[PluginFilter, _Mapping[str, object]]] = ..., run_tag_filter: _Optional[_Union[RunTagFilter, _Mapping[str, object]]] = ...) -> None: ...

class ListTensorsResponse(_message.Message):
    __slots__ = ("runs",)
    class RunEntry(_message.Message):
        __slots__ = ("run_name", "tags")
        RUN_NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        run_name: str
        tags: _containers.RepeatedCompositeFieldContainer[ListTensorsResponse.TagEntry]
        def __init__(self, run_name: _Optional[str] = ..., tags: _Optional[_Iterable[_Union[ListTensorsResponse.TagEntry, _Mapping[str, object]]]] = ...) -> None: ...
    class TagEntry(_message.Message):
        __slots__ = ("tag_name", "metadata")
        TAG_NAME_FIELD_NUMBER: _ClassVar[int]
        METADATA_FIELD_NUMBER: _ClassVar[int]
        tag_name: str
        metadata: TensorMetadata
        def __init__(self, tag_name: _Optional[str] = ..., metadata: _Optional[_Union[TensorMetadata, _Mapping[str, object]]] = ...) -> None: ...
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[ListTensorsResponse.RunEntry]
    def __init__(self, runs: _Optional[_Iterable[_Union[ListTensorsResponse.RunEntry, _Mapping[str, object]]]] = ...) -> None: ...

class ReadTensorsRequest(_message.Message):
    __slots__ = ("experiment_id", "plugin_filter", "run_tag_filter", "downsample")
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_FILTER_FIELD_NUMBER: _ClassVar[int]
    RUN_TAG_FILTER_FIELD_NUMBER: _ClassVar[int]
    DOWNSAMPLE_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    plugin_filter: PluginFilter
    run_tag_filter: RunTagFilter
    downsample: Downsample
    def __init__(self, experiment_id: _Optional[str] = ..., plugin_filter: _Optional[_Union[PluginFilter, _Mapping[str, object]]] = ..., run_tag_filter: _Optional[_Union[RunTagFilter, _Mapping[str, object]]] = ..., downsample: _Optional[_Union[Downsample, _Mapping[str, object]]] = ...) -> None: ...

class ReadTensorsResponse(_message.Message):
    __slots__ = ("runs",)
    class RunEntry(_message.Message):
        __slots__ = ("run_name", "tags")
        RUN_NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        run_name: str
        tags: _containers.RepeatedCompositeFieldContainer[ReadTensorsResponse.TagEntry]
        def __init__(self, run_name: _Optional[str] = ..., tags: _Optional[_Iterable[_Union[ReadTensorsResponse.TagEntry, _Mapping[str, object]]]] = ...) -> None: ...
    class TagEntry(_message.Message):
        __slots__ = ("tag_name", "data")
        TAG_NAME_FIELD_NUMBER: _ClassVar[int]
        DATA_FIELD_NUMBER: _ClassVar[int]
        tag_name: str
        data: TensorData
        def __init__(self, tag_name: _Optional[str] = ..., data: _Optional[_Union[TensorData, _Mapping[str, object]]] = ...) -> None: ...
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[ReadTensorsResponse.RunEntry]
    def __init__(self, runs: _Optional[_Iterable[_Union[ReadTensorsResponse.RunEntry, _Mapping[str, object]]]] = ...) -> None: ...

class ListBlobSequencesRequest(_message.Message):
    __slots__ = ("experiment_id", "plugin_filter", "run_tag_filter")
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_FILTER_FIELD_NUMBER: _ClassVar[int]
    RUN_TAG_FILTER_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    plugin_filter: PluginFilter
    run_tag_filter: RunTagFilter
    def __init__(self, experiment_id: _Optional[str] = ..., plugin_filter: _Optional[_Union[PluginFilter, _Mapping[str, object]]] = ..., run_tag_filter: _Optional[_Union[RunTagFilter, _Mapping[str, object]]] = ...) -> None: ...

class ListBlobSequencesResponse(_message.Message):
    __slots__ = ("runs",)
    class RunEntry(_message.Message):
        __slots__ = ("run_name", "tags")
        RUN_NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        run_name: str
        tags: _containers.RepeatedCompositeFieldContainer[ListBlobSequencesResponse.TagEntry]
        def __init__(self, run_name: _Optional[str] = ..., tags: _Optional[_Iterable[_Union[ListBlobSequencesResponse.TagEntry, _Mapping[str, object]]]] = ...) -> None: ...
    class TagEntry(_message.Message):
        __slots__ = ("tag_name", "metadata")
        TAG_NAME_FIELD_NUMBER: _ClassVar[int]
        METADATA_FIELD_NUMBER: _ClassVar[int]
        tag_name: str
        metadata: BlobSequenceMetadata
        def __init__(self, tag_name: _Optional[str] = ..., metadata: _Optional[_Union[BlobSequenceMetadata, _Mapping[str, object]]] = ...) -> None: ...
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[ListBlobSequencesResponse.RunEntry]
    def __init__(self, runs: _Optional[_Iterable[_Union[ListBlobSequencesResponse.RunEntry, _Mapping[str, object]]]] = ...) -> None: ...

class ReadBlobSequencesRequest(_message.Message):
    __slots__ = ("experiment_id", "plugin_filter", "run_tag_filter", "downsample")
    EXPERIMENT_ID_FIELD_NUMBER: _ClassVar[int]
    PLUGIN_FILTER_FIELD_NUMBER: _ClassVar[int]
    RUN_TAG_FILTER_FIELD_NUMBER: _ClassVar[int]
    DOWNSAMPLE_FIELD_NUMBER: _ClassVar[int]
    experiment_id: str
    plugin_filter: PluginFilter
    run_tag_filter: RunTagFilter
    downsample: Downsample
    def __init__(self, experiment_id: _Optional[str] = ..., plugin_filter: _Optional[_Union[PluginFilter, _Mapping[str, object]]] = ..., run_tag_filter: _Optional[_Union[RunTagFilter, _Mapping[str, object]]] = ..., downsample: _Optional[_Union[Downsample, _Mapping[str, object]]] = ...) -> None: ...

class ReadBlobSequencesResponse(_message.Message):
    __slots__ = ("runs",)
    class RunEntry(_message.Message):
        __slots__ = ("run_name", "tags")
        RUN_NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        run_name: str
        tags: _containers.RepeatedCompositeFieldContainer[ReadBlobSequencesResponse.TagEntry]
        def __init__(self, run_name: _Optional[str] = ..., tags: _Optional[_Iterable[_Union[ReadBlobSequencesResponse.TagEntry, _Mapping[str, object]]]] = ...) -> None: ...
    class TagEntry(_message.Message):
        __slots__ = ("tag_name", "data")
        TAG_NAME_FIELD_NUMBER: _ClassVar[int]
        DATA_FIELD_NUMBER: _ClassVar[int]
        tag_name: str
        data: BlobSequenceData
        def __init__(self, tag_name: _Optional[str] = ..., data: _Optional[_Union[BlobSequenceData, _Mapping[str, object]]] = ...) -> None: ...
    RUNS_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[ReadBlobSequencesResponse.RunEntry]
    def __init__(self, runs: _Optional[_Iterable[_Union[ReadBlobSequencesResponse.RunEntry, _Mapping[str, object]]]] = ...) -> None: ...

class ScalarMetadata(_message.Message):
    __slots__ = ("max_step", "max_wall_time", "summary_metadata")
    MAX_STEP_FIELD_NUMBER: _ClassVar[int]
    MAX_WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_METADATA_FIELD_NUMBER: _ClassVar[int]
    max_step: int
    max_wall_time: float
    summary_metadata: _tensorboard_pb2.SummaryMetadata
    def __init__(self, max_step: _Optional[int] = ..., max_wall_time: _Optional[float] = ..., summary_metadata: _Optional[_Union[_tensorboard_pb2.SummaryMetadata, _Mapping[str, object]]] = ...) -> None: ...

class ScalarData(_message.Message):
    __slots__ = ("step", "wall_time", "value")
    STEP_FIELD_NUMBER: _ClassVar[int]
    WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    step: _containers.RepeatedScalarFieldContainer[int]
    wall_time: _containers.RepeatedScalarFieldContainer[float]
    value: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, step: _Optional[_Iterable[int]] = ..., wall_time: _Optional[_Iterable[float]] = ..., value: _Optional[_Iterable[float]] = ...) -> None: ...

class TensorMetadata(_message.Message):
    __slots__ = ("max_step", "max_wall_time", "summary_metadata")
    MAX_STEP_FIELD_NUMBER: _ClassVar[int]
    MAX_WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_METADATA_FIELD_NUMBER: _ClassVar[int]
    max_step: int
    max_wall_time: float
    summary_metadata: _tensorboard_pb2.SummaryMetadata
    def __init__(self, max_step: _Optional[int] = ..., max_wall_time: _Optional[float] = ..., summary_metadata: _Optional[_Union[_tensorboard_pb2.SummaryMetadata, _Mapping[str, object]]] = ...) -> None: ...

class TensorData(_message.Message):
    __slots__ = ("step", "wall_time", "value")
    STEP_FIELD_NUMBER: _ClassVar[int]
    WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    step: _containers.RepeatedScalarFieldContainer[int]
    wall_time: _containers.RepeatedScalarFieldContainer[float]
    value: _containers.RepeatedCompositeFieldContainer[_tensorboard_pb2.TensorProto]
    def __init__(self, step: _Optional[_Iterable[int]] = ..., wall_time: _Optional[_Iterable[float]] = ..., value: _Optional[_Iterable[_Union[_tensorboard_pb2.TensorProto, _Mapping[str, object]]]] = ...) -> None: ...

class BlobSequenceMetadata(_message.Message):
    __slots__ = ("max_step", "max_wall_time", "max_length", "summary_metadata")
    MAX_STEP_FIELD_NUMBER: _ClassVar[int]
    MAX_WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    MAX_LENGTH_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_METADATA_FIELD_NUMBER: _ClassVar[int]
    max_step: int
    max_wall_time: float
    max_length: int
    summary_metadata: _tensorboard_pb2.SummaryMetadata
    def __init__(self, max_step: _Optional[int] = ..., max_wall_time: _Optional[float] = ..., max_length: _Optional[int] = ..., summary_metadata: _Optional[_Union[_tensorboard_pb2.SummaryMetadata, _Mapping[str, object]]] = ...) -> None: ...

class BlobSequenceData(_message.Message):
    __slots__ = ("step", "wall_time", "values")
    STEP_FIELD_NUMBER: _ClassVar[int]
    WALL_TIME_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    step: _containers.RepeatedScalarFieldContainer[int]
    wall_time: _containers.RepeatedScalarFieldContainer[float]
    values: _containers.RepeatedCompositeFieldContainer[BlobReferenceSequence]
    def __init__(self, step: _Optional[_Iterable[int]] = ..., wall_time: _Optional[_Iterable[float]] = ..., values: _Optional[_Iterable[_Union[BlobReferenceSequence, _Mapping[str, object]]]] = ...) -> None: ...

class BlobReferenceSequence(_message.Message):
    __slots__ = ("blob_refs",)
    BLOB_REFS_FIELD_NUMBER: _ClassVar[int]
    blob_refs: _containers.RepeatedCompositeFieldContainer[BlobReference]
    def __init__(self, blob_refs: _Optional[_Iterable[_Union[BlobReference, _Mapping[str, object]]]] = ...) -> None: ...

class BlobReference(_message.Message):
    __slots__ = ("blob_key", "url")
    BLOB_KEY_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    blob_key: str
    url: str
    def __init__(self, blob_key: _Optional[str] = ..., url: _Optional[str] = ...) -> None: ...

class ReadBlobRequest(_message.Message):
    __slots__ = ("blob_key",)
    BLOB_KEY_FIELD_NUMBER: _ClassVar[int]
    blob_key: str
    def __init__(self, blob_key: _Optional[str] = ...) -> None: ...

class ReadBlobResponse(_message.Message):
    __slots__ = ("data",)
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    def __init__(self, data: _Optional[bytes] = ...) -> None: ...
