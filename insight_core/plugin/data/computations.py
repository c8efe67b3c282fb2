"""Work of plugins that is done where the data is: in the data server, if the host has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TypeAlias

from insight_core.errors import InsightError
from insight_core.plugin.data.provider import DataProvider

Computation: TypeAlias = Callable[[DataProvider, bytes], Iterable[bytes]]  # A request, and its answers.


class NotComputed(InsightError):
    """A provider does not have this computation of this plugin."""


def compute(data: DataProvider, plugin: str, name: str, request: bytes, here: Computation) -> Iterator[bytes]:
    """The answers of ``Plugin.computations[name]`` of a plugin, as they come.

    They are computed by the data server that has the data of the host, so that points need not be sent that
    the answers do not show. Without one, or if it does not have this computation, ``here`` answers. Raises
    what the computation raises: an InsightError keeps its class, text, code and details.
    """
    with suppress(NotComputed):
        return (yield from data.compute(plugin, name, request))
    yield from here(data, request)
