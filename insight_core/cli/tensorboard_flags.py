"""The flag ``--plugin-flag``, which passes flags to plugins made for TensorBoard."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence

from insight_core.plugin import Option, hookimpl
from insight_core.registry import Registry

MODULE = "tensorboard-plugins"  # the name of this module in the registry
_OPTION = "plugin-flag"


def _plugin_flag(text: str) -> str:
    """Checks that the text is a flag with hyphens and its value, quoted as in a shell."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} has an open quotation") from error
    if not words or not words[0].startswith("-"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a flag such as '--name value'")
    return text


@hookimpl
def insight_options() -> Iterable[Option]:
    """Adds ``--plugin-flag``."""
    return [
        Option(
            _OPTION,
            "a flag of a plugin made for TensorBoard: --plugin-flag='--greeting hello'; may be repeated",
            type=_plugin_flag,
            metavar="'--NAME VALUE'",
            split=lambda text: [text],
            default=(),
        )
    ]


def plugin_flags(registry: Registry) -> Sequence[str]:
    """The words of all given ``--plugin-flag`` values."""
    given = registry.options.get(MODULE, {}).get(_OPTION.replace("-", "_"), ())
    return [word for text in given for word in shlex.split(text)]
