"""Settings of hosting plugins made for TensorBoard."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from attrs import fields, frozen

from insight_core.plugin.own import GuestSettings, Limits

_LIMITS = Limits(turn=3.0)  # packages of several seconds are common there


@frozen
class TensorBoardSettings(GuestSettings):
    """What the host says, flags of plugins, and how long calls of them may take."""

    flags: Sequence[str] = ()  # of plugins: "--name", "value", ...
    limits: Limits = _LIMITS

    @classmethod
    def of(cls, settings: GuestSettings) -> TensorBoardSettings:
        """Those of a host, with the words of all given ``--plugin-flag`` values."""
        given = {each.name: getattr(settings, each.name) for each in fields(GuestSettings)}
        return cls(**given, flags=plugin_flag_words(settings.options.get("plugin_flag", ())))


def plugin_flag_words(given: Sequence[str]) -> Sequence[str]:
    """The words of all values of ``--plugin-flag``."""
    return [word for text in given for word in shlex.split(text)]
