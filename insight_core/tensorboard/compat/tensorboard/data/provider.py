"""Values and methods by which plugins ask for data, of TensorBoard's ``data/provider.py``."""

from __future__ import annotations

import abc
import enum
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import field, frozen
from numpy.typing import NDArray

Domain: TypeAlias = tuple[float, float] | Collection[float] | Collection[str] | Collection[bool]


def _names(names: Collection[str] | None) -> frozenset[str] | None:
    if names is None:
        return None
    found = None if isinstance(names, str) else frozenset(names)
    if found is None or not all(isinstance(name, str) for name in found):
        raise TypeError(f"runs and tags are None or a collection of strings, not {names!r}")
    return found


@frozen
class RunTagFilter:
    """The series of these runs and tags: None is all of them, empty is none."""

    runs: frozenset[str] | None = field(default=None, converter=_names)
    tags: frozenset[str] | None = field(default=None, converter=_names)


@frozen(kw_only=True)
class ExperimentMetadata:
    data_location: str = ""
    experiment_name: str = ""
    experiment_description: str = ""
    creation_time: float = 0  # seconds since the epoch


@frozen
class Run:
    run_id: str
    run_name: str
    start_time: float | None  # seconds since the epoch; None: no event yet


@frozen(kw_only=True)
class ScalarTimeSeries:
    max_step: int
    max_wall_time: float
    plugin_content: bytes
    description: str
    display_name: str
    last_value: float | None = None


@frozen
class ScalarDatum:
    step: int
    wall_time: float
    value: float


@frozen(kw_only=True)
class TensorTimeSeries:
    max_step: int
    max_wall_time: float
    plugin_content: bytes
    description: str
    display_name: str
    last_value: object = None


@frozen(eq=False)
class TensorDatum:
    step: int
    wall_time: float
    numpy: NDArray[Any]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorDatum):
            return False
        same = self.step == other.step and self.wall_time == other.wall_time
        return same and self.numpy.shape == other.numpy.shape and bool((self.numpy == other.numpy).all())

    __hash__ = None  # type: ignore[assignment]


@frozen(kw_only=True)
class BlobSequenceTimeSeries:
    max_step: int
    max_wall_time: float
    max_length: int
    plugin_content: bytes
    description: str
    display_name: str
    last_value: object = None


@frozen
class BlobReference:
    """``url`` None: the blob is read by its key."""

    blob_key: str
    url: str | None = None


@frozen
class BlobSequenceDatum:
    step: int
    wall_time: float
    values: tuple[BlobReference, ...]


class HyperparameterDomainType(enum.Enum):
    INTERVAL = "interval"
    DISCRETE_FLOAT = "discrete_float"
    DISCRETE_STRING = "discrete_string"
    DISCRETE_BOOL = "discrete_bool"


@frozen
class Hyperparameter:
    hyperparameter_name: str
    hyperparameter_display_name: str
    domain_type: HyperparameterDomainType | None = None
    domain: Domain | None = None
    differs: bool = False


@frozen
class HyperparameterValue:
    hyperparameter_name: str
    domain_type: HyperparameterDomainType | None = None
    value: float | str | bool | None = None


@frozen
class HyperparameterSessionRun:
    experiment_id: str
    run: str


@frozen
class HyperparameterSessionGroup:
    root: HyperparameterSessionRun
    sessions: Sequence[HyperparameterSessionRun]
    hyperparameter_values: Collection[HyperparameterValue]


class HyperparameterFilterType(enum.Enum):
    REGEX = "regex"
    INTERVAL = "interval"
    DISCRETE = "discrete"


@frozen
class HyperparameterFilter:
    hyperparameter_name: str
    filter_type: HyperparameterFilterType
    filter: str | tuple[float, float] | Collection[float | str | bool]


class HyperparameterSortDirection(enum.Enum):
    ASCENDING = "ascending"
    DESCENDING = "descending"


@frozen
class HyperparameterSort:
    hyperparameter_name: str
    sort_direction: HyperparameterSortDirection


@frozen
class ListHyperparametersResult:
    hyperparameters: Collection[Hyperparameter]
    session_groups: Collection[HyperparameterSessionGroup]


class DataProvider(abc.ABC):
    """Series are found by experiment, plugin, run and tag, and their points by step, ascending.

    ``ctx`` is the RequestContext of the request that is answered. Of a series longer than
    ``downsample`` that many points are given, the last always. Raises errors of tensorboard.errors.
    """

    def experiment_metadata(self, ctx: object = None, *, experiment_id: str) -> ExperimentMetadata:
        return ExperimentMetadata()

    def list_plugins(self, ctx: object = None, *, experiment_id: str) -> Collection[str] | None:
        return None

    @abc.abstractmethod
    def list_runs(self, ctx: object = None, *, experiment_id: str) -> Collection[Run]: ...

    @abc.abstractmethod
    def list_scalars(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, ScalarTimeSeries]]: ...

    @abc.abstractmethod
    def read_scalars(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int | None = None,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, Sequence[ScalarDatum]]]: ...

    @abc.abstractmethod
    def read_last_scalars(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, ScalarDatum]]: ...

    def list_tensors(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, TensorTimeSeries]] | None:
        return None

    def read_tensors(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int | None = None,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, Sequence[TensorDatum]]] | None:
        return None

    def list_blob_sequences(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, BlobSequenceTimeSeries]] | None:
        return None

    def read_blob_sequences(
        self,
        ctx: object = None,
        *,
        experiment_id: str,
        plugin_name: str,
        downsample: int | None = None,
        run_tag_filter: RunTagFilter | None = None,
    ) -> Mapping[str, Mapping[str, Sequence[BlobSequenceDatum]]] | None:
        return None

    def read_blob(self, ctx: object = None, *, blob_key: str) -> bytes | None:
        return None

    def list_hyperparameters(
        self, ctx: object = None, *, experiment_ids: Collection[str], limit: int | None = None
    ) -> ListHyperparametersResult:
        return ListHyperparametersResult((), ())

    def read_hyperparameters(
        self,
        ctx: object = None,
        *,
        experiment_ids: Collection[str],
        filters: Collection[HyperparameterFilter] | None = None,
        sort: Sequence[HyperparameterSort] | None = None,
        hparams_to_include: Collection[str] | None = None,
    ) -> Sequence[HyperparameterSessionGroup]:
        return ()
