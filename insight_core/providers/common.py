"""What every provider does alike: order of runs, series of tables, methods that another one answers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, get_args, runtime_checkable

from insight_core.ingest.found import unread_reason
from insight_core.plugin import NotFound, Plugin, Reason
from insight_core.plugin.data import DataProvider, Run, SeriesField, SeriesInfo, SeriesKey, SeriesTable

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")
SERIES_FIELDS: tuple[SeriesField, ...] = get_args(SeriesField)  # as SeriesInfo has them after its key


class StartableProvider(DataProvider, Protocol):
    """A ``DataProvider`` that works in the background once it is started."""

    def start(self) -> None:
        """Starts to load or follow the data in the background."""

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: it gets the values that were unclaimed so far."""


@runtime_checkable
class DirectoryReader(Protocol):
    """A provider that walks over directories of this machine."""

    def unread_files(self) -> Mapping[str, int]:
        """How many files nothing reads, by what they hold, by a new walk over the logdirs."""


def unread_reasons(provider: DataProvider) -> list[Reason]:
    """A text for each kind of files that nothing reads; none for logs that other machines read."""
    if not isinstance(provider, DirectoryReader):
        return []
    return [unread_reason(kind, files) for kind, files in provider.unread_files().items()]


def forwarded(
    method: Callable[Concatenate[Any, Rest], Answer],
) -> Callable[Concatenate[Any, Rest], Answer]:
    """A method with the signature of ``method`` that calls it on ``self.provider_for(...)``.

    ``provider_for`` gets the same arguments and returns the provider that answers.
    """
    name = method.__name__

    @functools.wraps(method)
    def call(self: Any, /, *args: Rest.args, **kwargs: Rest.kwargs) -> Answer:  # noqa: ANN401
        answer: Answer = getattr(self.provider_for(*args, **kwargs), name)(*args, **kwargs)
        return answer

    return call


def by_start_time(runs: Iterable[Run]) -> list[Run]:
    """The runs, earliest first; runs without a start time come last, by name."""
    return sorted(runs, key=lambda run: (math.inf if run.start_time is None else run.start_time, run.name))


def series_of_tables(tables: Iterable[SeriesTable]) -> list[SeriesInfo]:
    """The series of tables with all SERIES_FIELDS."""
    return [
        SeriesInfo(SeriesKey(table.run, tag), *values)
        for table in tables
        for tag, *values in zip(table.tags, *map(table.column, SERIES_FIELDS), strict=True)
    ]


def unknown_series(plugin: str, key: SeriesKey) -> NotFound:
    """The error for a key under which the plugin has no records."""
    text = f"plugin {plugin} has no records under {key.tag!r} of run {key.run!r}"
    return NotFound(text, code="unknown_series", run=key.run, tag=key.tag)
