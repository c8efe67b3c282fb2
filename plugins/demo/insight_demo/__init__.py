"""Demo: the command ``insight-host demo``, which trains small networks and serves what they recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, CommandHost, hookimpl

_HELP = "train some small networks, record them and serve that: a first look"


@hookimpl
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """Adds ``insight-host demo``."""

    def run(arguments: Sequence[str]) -> int:
        from insight_demo.command import demo  # numpy: only where there is something to train

        return demo(host, arguments, _HELP)

    return [Command("demo", _HELP, run)]
