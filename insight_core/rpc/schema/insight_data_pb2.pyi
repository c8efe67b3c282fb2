# Made from the .proto files by `make proto` (grpcio-tools 1.85.1).
# ruff: noqa
# fmt: off
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Dialect(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DIALECT_UNSPECIFIED: _ClassVar[Dialect]
    DIALECT_TENSORBOARD: _ClassVar[Dialect]
    DIALECT_MINDSPORE: _ClassVar[Dialect]

class X(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    X_STEP: _ClassVar[X]
    X_RELATIVE: _ClassVar[X]
    X_WALL: _ClassVar[X]

class ValueType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VALUE_TYPE_UNSPECIFIED: _ClassVar[ValueType]
    VALUE_TYPE_FLOAT32: _ClassVar[ValueType]
    VALUE_TYPE_FLOAT64: _ClassVar[ValueType]
DIALECT_UNSPECIFIED: Dialect
DIALECT_TENSORBOARD: Dialect
DIALECT_MINDSPORE: Dialect
X_STEP: X
X_RELATIVE: X
X_WALL: X
VALUE_TYPE_UNSPECIFIED: ValueType
VALUE_TYPE_FLOAT32: ValueType
VALUE_TYPE_FLOAT64: ValueType

class InfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class InfoResponse(_message.Message):
    __slots__ = ("version", "boot_id", "location", "generation")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BOOT_ID_FIELD_NUMBER: _ClassVar[int]
    LOCATION_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    version: str
    boot_id: str
    location: str
    generation: int
    def __init__(self, version: _Optional[str] = ..., boot_id: _Optional[str] = ..., location: _Optional[str] = ..., generation: _Optional[int] = ...) -> None: ...

class Claim(_message.Message):
    __slots__ = ("event_field", "summary_plugin", "file_name", "step", "tag")
    class EventField(_message.Message):
        __slots__ = ("dialect", "name", "tags")
        DIALECT_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        TAGS_FIELD_NUMBER: _ClassVar[int]
        dialect: Dialect
        name: str
        tags: str
        def __init__(self, dialect: _Optional[_Union[Dialect, str]] = ..., name: _Optional[str] = ..., tags: _Optional[str] = ...) -> None: ...
    EVENT_FIELD_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_PLUGIN_FIELD_NUMBER: _ClassVar[int]
    FILE_NAME_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    event_field: Claim.EventField
    summary_plugin: str
    file_name: str
    step: str
    tag: str
    def __init__(self, event_field: _Optional[_Union[Claim.EventField, _Mapping[str, object]]] = ..., summary_plugin: _Optional[str] = ..., file_name: _Optional[str] = ..., step: _Optional[str] = ..., tag: _Optional[str] = ...) -> None: ...

class SeriesKey(_message.Message):
    __slots__ = ("run", "tag")
    RUN_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    run: str
    tag: str
    def __init__(self, run: _Optional[str] = ..., tag: _Optional[str] = ...) -> None: ...

class PluginsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PluginsResponse(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class RunsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RunsResponse(_message.Message):
    __slots__ = ("runs", "notices")
    RUNS_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    runs: _containers.RepeatedCompositeFieldContainer[Run]
    notices: _containers.RepeatedCompositeFieldContainer[Notice]
    def __init__(self, runs: _Optional[_Iterable[_Union[Run, _Mapping[str, object]]]] = ..., notices: _Optional[_Iterable[_Union[Notice, _Mapping[str, object]]]] = ...) -> None: ...

class Notice(_message.Message):
    __slots__ = ("text", "code", "details")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    text: str
    code: str
    details: str
    def __init__(self, text: _Optional[str] = ..., code: _Optional[str] = ..., details: _Optional[str] = ...) -> None: ...

class Run(_message.Message):
    __slots__ = ("name", "dialects", "start_time", "loading", "damage")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DIALECTS_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    LOADING_FIELD_NUMBER: _ClassVar[int]
    DAMAGE_FIELD_NUMBER: _ClassVar[int]
    name: str
    dialects: _containers.RepeatedScalarFieldContainer[Dialect]
    start_time: float
    loading: bool
    damage: int
    def __init__(self, name: _Optional[str] = ..., dialects: _Optional[_Iterable[_Union[Dialect, str]]] = ..., start_time: _Optional[float] = ..., loading: _Optional[bool] = ..., damage: _Optional[int] = ...) -> None: ...

class SeriesTablesRequest(_message.Message):
    __slots__ = ("plugin", "runs", "tags", "fields")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    runs: Names
    tags: Names
    fields: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, plugin: _Optional[str] = ..., runs: _Optional[_Union[Names, _Mapping[str, object]]] = ..., tags: _Optional[_Union[Names, _Mapping[str, object]]] = ..., fields: _Optional[_Iterable[str]] = ...) -> None: ...

class Names(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, names: _Optional[_Iterable[str]] = ...) -> None: ...

class SeriesTablesResponse(_message.Message):
    __slots__ = ("tags", "sets", "values", "tables")
    TAGS_FIELD_NUMBER: _ClassVar[int]
    SETS_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tags: _containers.RepeatedScalarFieldContainer[str]
    sets: _containers.RepeatedCompositeFieldContainer[TagSet]
    values: _containers.RepeatedCompositeFieldContainer[SeriesValue]
    tables: _containers.RepeatedCompositeFieldContainer[SeriesTable]
    def __init__(self, tags: _Optional[_Iterable[str]] = ..., sets: _Optional[_Iterable[_Union[TagSet, _Mapping[str, object]]]] = ..., values: _Optional[_Iterable[_Union[SeriesValue, _Mapping[str, object]]]] = ..., tables: _Optional[_Iterable[_Union[SeriesTable, _Mapping[str, object]]]] = ...) -> None: ...

class TagSet(_message.Message):
    __slots__ = ("tags",)
    TAGS_FIELD_NUMBER: _ClassVar[int]
    tags: bytes
    def __init__(self, tags: _Optional[bytes] = ...) -> None: ...

class SeriesValue(_message.Message):
    __slots__ = ("text", "content", "claims", "more")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    text: str
    content: bytes
    claims: Claims
    more: bool
    def __init__(self, text: _Optional[str] = ..., content: _Optional[bytes] = ..., claims: _Optional[_Union[Claims, _Mapping[str, object]]] = ..., more: _Optional[bool] = ...) -> None: ...

class Claims(_message.Message):
    __slots__ = ("claims",)
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    claims: _containers.RepeatedCompositeFieldContainer[Claim]
    def __init__(self, claims: _Optional[_Iterable[_Union[Claim, _Mapping[str, object]]]] = ...) -> None: ...

class SeriesTable(_message.Message):
    __slots__ = ("run", "set", "columns")
    RUN_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    run: str
    set: int
    columns: _containers.RepeatedCompositeFieldContainer[SeriesColumn]
    def __init__(self, run: _Optional[str] = ..., set: _Optional[int] = ..., columns: _Optional[_Iterable[_Union[SeriesColumn, _Mapping[str, object]]]] = ...) -> None: ...

class SeriesColumn(_message.Message):
    __slots__ = ("name", "elements", "missing")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    MISSING_FIELD_NUMBER: _ClassVar[int]
    name: str
    elements: bytes
    missing: bytes
    def __init__(self, name: _Optional[str] = ..., elements: _Optional[bytes] = ..., missing: _Optional[bytes] = ...) -> None: ...

class ScalarQuery(_message.Message):
    __slots__ = ("x", "log_x", "window_low", "window_high", "width", "smoothing", "all_attempts", "nearest")
    X_FIELD_NUMBER: _ClassVar[int]
    LOG_X_FIELD_NUMBER: _ClassVar[int]
    WINDOW_LOW_FIELD_NUMBER: _ClassVar[int]
    WINDOW_HIGH_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    SMOOTHING_FIELD_NUMBER: _ClassVar[int]
    ALL_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    NEAREST_FIELD_NUMBER: _ClassVar[int]
    x: X
    log_x: bool
    window_low: float
    window_high: float
    width: int
    smoothing: float
    all_attempts: bool
    nearest: float
    def __init__(self, x: _Optional[_Union[X, str]] = ..., log_x: _Optional[bool] = ..., window_low: _Optional[float] = ..., window_high: _Optional[float] = ..., width: _Optional[int] = ..., smoothing: _Optional[float] = ..., all_attempts: _Optional[bool] = ..., nearest: _Optional[float] = ...) -> None: ...

class ScalarsRequest(_message.Message):
    __slots__ = ("plugin", "keys", "query")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    keys: _containers.RepeatedCompositeFieldContainer[SeriesKey]
    query: ScalarQuery
    def __init__(self, plugin: _Optional[str] = ..., keys: _Optional[_Iterable[_Union[SeriesKey, _Mapping[str, object]]]] = ..., query: _Optional[_Union[ScalarQuery, _Mapping[str, object]]] = ...) -> None: ...

class ScalarsResponse(_message.Message):
    __slots__ = ("parts",)
    PARTS_FIELD_NUMBER: _ClassVar[int]
    parts: _containers.RepeatedCompositeFieldContainer[ScalarPart]
    def __init__(self, parts: _Optional[_Iterable[_Union[ScalarPart, _Mapping[str, object]]]] = ...) -> None: ...

class ScalarPart(_message.Message):
    __slots__ = ("key", "summary", "steps", "wall_times", "values", "restarts", "breaks")
    KEY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    WALL_TIMES_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    RESTARTS_FIELD_NUMBER: _ClassVar[int]
    BREAKS_FIELD_NUMBER: _ClassVar[int]
    key: int
    summary: ScalarSummary
    steps: bytes
    wall_times: bytes
    values: bytes
    restarts: bytes
    breaks: bytes
    def __init__(self, key: _Optional[int] = ..., summary: _Optional[_Union[ScalarSummary, _Mapping[str, object]]] = ..., steps: _Optional[bytes] = ..., wall_times: _Optional[bytes] = ..., values: _Optional[bytes] = ..., restarts: _Optional[bytes] = ..., breaks: _Optional[bytes] = ...) -> None: ...

class ScalarSummary(_message.Message):
    __slots__ = ("value_type", "points", "total", "hidden", "kept", "origin", "extent_low", "extent_high", "nans", "positive_infinities", "negative_infinities", "purged")
    VALUE_TYPE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    EXTENT_LOW_FIELD_NUMBER: _ClassVar[int]
    EXTENT_HIGH_FIELD_NUMBER: _ClassVar[int]
    NANS_FIELD_NUMBER: _ClassVar[int]
    POSITIVE_INFINITIES_FIELD_NUMBER: _ClassVar[int]
    NEGATIVE_INFINITIES_FIELD_NUMBER: _ClassVar[int]
    PURGED_FIELD_NUMBER: _ClassVar[int]
    value_type: ValueType
    points: int
    total: int
    hidden: int
    kept: int
    origin: float
    extent_low: float
    extent_high: float
    nans: int
    positive_infinities: int
    negative_infinities: int
    purged: int
    def __init__(self, value_type: _Optional[_Union[ValueType, str]] = ..., points: _Optional[int] = ..., total: _Optional[int] = ..., hidden: _Optional[int] = ..., kept: _Optional[int] = ..., origin: _Optional[float] = ..., extent_low: _Optional[float] = ..., extent_high: _Optional[float] = ..., nans: _Optional[int] = ..., positive_infinities: _Optional[int] = ..., negative_infinities: _Optional[int] = ..., purged: _Optional[int] = ...) -> None: ...

class RecordsRequest(_message.Message):
    __slots__ = ("plugin", "key", "all_attempts")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    ALL_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    key: SeriesKey
    all_attempts: bool
    def __init__(self, plugin: _Optional[str] = ..., key: _Optional[_Union[SeriesKey, _Mapping[str, object]]] = ..., all_attempts: _Optional[bool] = ...) -> None: ...

class RecordsResponse(_message.Message):
    __slots__ = ("steps", "wall_times", "sizes", "summary")
    STEPS_FIELD_NUMBER: _ClassVar[int]
    WALL_TIMES_FIELD_NUMBER: _ClassVar[int]
    SIZES_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    steps: bytes
    wall_times: bytes
    sizes: bytes
    summary: RecordSummary
    def __init__(self, steps: _Optional[bytes] = ..., wall_times: _Optional[bytes] = ..., sizes: _Optional[bytes] = ..., summary: _Optional[_Union[RecordSummary, _Mapping[str, object]]] = ...) -> None: ...

class RecordSummary(_message.Message):
    __slots__ = ("total", "kept", "hidden", "purged")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    PURGED_FIELD_NUMBER: _ClassVar[int]
    total: int
    kept: int
    hidden: int
    purged: int
    def __init__(self, total: _Optional[int] = ..., kept: _Optional[int] = ..., hidden: _Optional[int] = ..., purged: _Optional[int] = ...) -> None: ...

class PayloadRequest(_message.Message):
    __slots__ = ("plugin", "key", "index", "all_attempts", "limit", "offset", "length")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ALL_ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    key: SeriesKey
    index: int
    all_attempts: bool
    limit: int
    offset: int
    length: int
    def __init__(self, plugin: _Optional[str] = ..., key: _Optional[_Union[SeriesKey, _Mapping[str, object]]] = ..., index: _Optional[int] = ..., all_attempts: _Optional[bool] = ..., limit: _Optional[int] = ..., offset: _Optional[int] = ..., length: _Optional[int] = ...) -> None: ...

class PayloadResponse(_message.Message):
    __slots__ = ("claim", "size", "data", "whole")
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    WHOLE_FIELD_NUMBER: _ClassVar[int]
    claim: Claim
    size: int
    data: bytes
    whole: int
    def __init__(self, claim: _Optional[_Union[Claim, _Mapping[str, object]]] = ..., size: _Optional[int] = ..., data: _Optional[bytes] = ..., whole: _Optional[int] = ...) -> None: ...

class ComputeRequest(_message.Message):
    __slots__ = ("plugin", "name", "request")
    PLUGIN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    plugin: str
    name: str
    request: bytes
    def __init__(self, plugin: _Optional[str] = ..., name: _Optional[str] = ..., request: _Optional[bytes] = ...) -> None: ...

class ComputeResponse(_message.Message):
    __slots__ = ("data", "more")
    DATA_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    more: bool
    def __init__(self, data: _Optional[bytes] = ..., more: _Optional[bool] = ...) -> None: ...

class DamageRequest(_message.Message):
    __slots__ = ("run",)
    RUN_FIELD_NUMBER: _ClassVar[int]
    run: str
    def __init__(self, run: _Optional[str] = ...) -> None: ...

class DamageResponse(_message.Message):
    __slots__ = ("damage",)
    DAMAGE_FIELD_NUMBER: _ClassVar[int]
    damage: _containers.RepeatedCompositeFieldContainer[Damage]
    def __init__(self, damage: _Optional[_Iterable[_Union[Damage, _Mapping[str, object]]]] = ...) -> None: ...

class Damage(_message.Message):
    __slots__ = ("run", "file", "offset", "reason", "skipped", "code", "details")
    RUN_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    run: str
    file: str
    offset: int
    reason: str
    skipped: int
    code: str
    details: str
    def __init__(self, run: _Optional[str] = ..., file: _Optional[str] = ..., offset: _Optional[int] = ..., reason: _Optional[str] = ..., skipped: _Optional[int] = ..., code: _Optional[str] = ..., details: _Optional[str] = ...) -> None: ...

class ProgressRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ProgressResponse(_message.Message):
    __slots__ = ("bytes_read", "bytes_total", "loaded_once")
    BYTES_READ_FIELD_NUMBER: _ClassVar[int]
    BYTES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    LOADED_ONCE_FIELD_NUMBER: _ClassVar[int]
    bytes_read: int
    bytes_total: int
    loaded_once: bool
    def __init__(self, bytes_read: _Optional[int] = ..., bytes_total: _Optional[int] = ..., loaded_once: _Optional[bool] = ...) -> None: ...

class ChangesRequest(_message.Message):
    __slots__ = ("since", "timeout")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    since: int
    timeout: float
    def __init__(self, since: _Optional[int] = ..., timeout: _Optional[float] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ("since",)
    SINCE_FIELD_NUMBER: _ClassVar[int]
    since: int
    def __init__(self, since: _Optional[int] = ...) -> None: ...

class ChangesResponse(_message.Message):
    __slots__ = ("generation", "runs", "everything", "plugins", "gone")
    class Plugin(_message.Message):
        __slots__ = ("name", "keys")
        NAME_FIELD_NUMBER: _ClassVar[int]
        KEYS_FIELD_NUMBER: _ClassVar[int]
        name: str
        keys: _containers.RepeatedCompositeFieldContainer[SeriesKey]
        def __init__(self, name: _Optional[str] = ..., keys: _Optional[_Iterable[_Union[SeriesKey, _Mapping[str, object]]]] = ...) -> None: ...
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    EVERYTHING_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    generation: int
    runs: bool
    everything: bool
    plugins: _containers.RepeatedCompositeFieldContainer[ChangesResponse.Plugin]
    gone: bool
    def __init__(self, generation: _Optional[int] = ..., runs: _Optional[bool] = ..., everything: _Optional[bool] = ..., plugins: _Optional[_Iterable[_Union[ChangesResponse.Plugin, _Mapping[str, object]]]] = ..., gone: _Optional[bool] = ...) -> None: ...
