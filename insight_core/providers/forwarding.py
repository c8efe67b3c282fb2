"""Methods of ``DataProvider`` that another provider answers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from insight_core.plugin import Plugin
from insight_core.plugin.data import DataProvider

Rest = ParamSpec("Rest")
Answer = TypeVar("Answer")


class StartableProvider(DataProvider, Protocol):
    """A ``DataProvider`` that works in the background once it is started."""

    def start(self) -> None:
        """Starts to load or follow the data in the background."""

    def admit(self, plugin: Plugin) -> None:
        """Adds a plugin after the start: it gets the values that were unclaimed so far."""


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
