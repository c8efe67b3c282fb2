"""The commands that print and export logs. Nothing else is imported until one runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, hookimpl

_COMMANDS = {
    "runs": "print the runs of logs",
    "series": "print the series of logs: tags with points, steps and last values",
    "get": "print the points of scalar series",
    "compare": "print last, smallest and largest values of scalar series",
    "diagnose": "look for faults in runs: what is wrong, why it matters and what to change",
    "sql": "ask in SQL: select run, min(value) from scalars group by run",
    "export": "write all tables of logs, or their scalars as event files, into a new directory",
}


@hookimpl
def insight_commands() -> Iterable[Command]:
    """``insight-host runs``, ``series``, ``get``, ``compare``, ``diagnose``, ``sql`` and ``export``."""
    return [_command(name, text) for name, text in _COMMANDS.items()]


def _command(name: str, text: str) -> Command:
    def run(arguments: Sequence[str]) -> int:
        from insight_host.command_line import run_command

        return run_command(name, text, arguments)

    return Command(name, text, run)
