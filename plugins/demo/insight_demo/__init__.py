"""Demo: the command ``insight-host demo``, which serves recorded logs and a run that is training."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, CommandHost, hookimpl

_HELP = "serve the logs of a sweep, a GPU profile and a run that is training: a first look"


@hookimpl
def insight_commands(host: CommandHost) -> Iterable[Command]:
    """Adds ``insight-host demo``."""

    def run(arguments: Sequence[str]) -> int:
        from insight_demo.command import demo  # numpy: only where there is something to train

        return demo(host, arguments, _HELP)

    return [Command("demo", _HELP, run)]
