"""What the host adds through hooks: ``inspect``, ``completion`` and ``plugin ...``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insight_core.plugin import Command, hookimpl

_COMPLETION_HELP = "print a script that completes commands and flags in bash, zsh or fish"
INSPECT_HELP = "load everything once and print runs, tags, points and damage"
_AUTHORING = {
    "new": "write the package of a new plugin",
    "build": "build the front end of a plugin with npm",
    "dev": "show a plugin without installing it, and again after every save",
    "check": "build a plugin, load it and check its names, routes, texts and wheel",
    "types": "give a plugin the types and modules of the installed host, after an upgrade",
}


@hookimpl
def insight_commands() -> Iterable[Command]:
    """Adds ``insight-host inspect``, ``completion`` and ``plugin ...``."""

    def run(arguments: Sequence[str]) -> int:
        from insight_core.cli.flags import INSPECT_FLAGS
        from insight_core.cli.inspect import inspect
        from insight_core.cli.options import read_flags

        return inspect(read_flags("inspect", INSPECT_HELP, INSPECT_FLAGS, arguments))

    def completion(arguments: Sequence[str]) -> int:
        from insight_core.cli.completion import print_script

        return print_script(arguments, _COMPLETION_HELP)

    own = [Command("inspect", INSPECT_HELP, run), Command("completion", _COMPLETION_HELP, completion)]
    return [*own, *(_authoring(*each) for each in _AUTHORING.items())]


def _authoring(name: str, text: str) -> Command:
    def run(arguments: Sequence[str]) -> int:
        from insight_authoring.commands import COMMANDS

        return COMMANDS[name](arguments, text)

    return Command(f"plugin {name}", text, run)
