"""Settings of hosting plugins made for TensorBoard."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from attrs import frozen

from insight_core.isolation import Limits

_LIMITS = Limits(turn=3.0)  # packages of several seconds are common there


@frozen
class TensorBoardSettings:
    """``logdirs`` are pairs of the prefix of the runs and the path.

    ``taken`` are names of our own plugins, ``known`` also those of disabled ones.
    """

    logdirs: Sequence[tuple[str, str]] = ()
    path_prefix: str = ""
    window_title: str = ""
    host: str = "127.0.0.1"
    samples: Mapping[str, int] = {}  # points of a series by plugin, 0: all
    reload_interval: float = 1.0  # seconds
    taken: Collection[str] = ()
    known: Collection[str] = ()
    flags: Sequence[str] = ()  # of plugins: "--name", "value", ...
    disabled: Collection[str] = ()  # names of entry points or plugins
    limits: Limits = _LIMITS
