"""Entry points of TensorBoard's plugins, each loaded on its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points

from attrs import frozen

GROUP = "tensorboard_plugins"
# Names of TensorBoard's own plugins; it does not start if another plugin has one of them.
RESERVED = frozenset(
    {
        *("core", "timeseries", "scalars", "custom_scalars", "images", "audio", "debugger-v2", "graphs"),
        *("distributions", "histograms", "text", "pr_curves", "profile_redirect", "hparams", "mesh"),
        *("wit_redirect", "tensorboard"),
    }
)


@frozen
class TensorBoardModule:
    """One entry point. The plugin may have another name."""

    name: str
    distribution: str
    version: str
    load: Callable[[], object]


def candidates(disabled: Collection[str] = ()) -> list[TensorBoardModule]:
    """The entry points of the group by distribution and name, without the disabled ones."""
    found = {(_distribution(point), point.name): point for point in entry_points(group=GROUP)}
    return [
        TensorBoardModule(
            name, distribution, point.dist.version if point.dist is not None else "", point.load
        )
        for (distribution, name), point in sorted(found.items())
        if name not in disabled
    ]


def has_tensorboard() -> bool:
    """Whether the package is installed; a mere directory of that name is not the package."""
    found = PathFinder.find_spec("tensorboard", sys.path)
    return found is not None and found.origin is not None


def names_of_guests() -> tuple[Collection[str], bool]:
    """Names that users may give, and whether a plugin of another distribution is installed.

    The name of such a plugin is only known after loading.
    """
    return known_names(), any(candidate.distribution != "tensorboard" for candidate in candidates())


def known_names() -> set[str]:
    """Names that the user may use for a plugin before it has loaded."""
    return {point.name for point in entry_points(group=GROUP)} | RESERVED


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""
