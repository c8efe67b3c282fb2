"""The command line. The only package that imports all others; each command imports only what it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insight_core.cli.flags import Options
    from insight_core.registry import Registry


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``insight-host``; returns the exit code of given arguments, ends the process after its own."""
    import sys

    words = sys.argv[1:] if arguments is None else list(arguments)
    try:  # around the imports too: Ctrl-C must not print a traceback
        code = _main(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # `insight-host inspect | head`
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    if arguments is None:
        from insight_core.cli.process import end_now

        end_now(code)
    return code


def _main(words: list[str]) -> int:
    if words[:1] == ["--version"]:  # fast: imports no parser
        from insight_core.cli.version import version_text

        print(version_text())
        return 0
    from insight_core.cli.process import prepare_imports, settle_imports, spare_memory

    prepare_imports()
    spare_memory()
    from insight_core.cli.options import fail, read_options
    from insight_core.formats.compiled import NotCompiled
    from insight_core.plugin import InsightError

    command: Callable[[Options], int]
    try:
        contributed, registry = _contributed(words)
        if contributed is not None:
            settle_imports()
            return contributed()
        options = read_options(words, registry=registry)
        if options.command == "serve":
            from insight_core.cli.serve import serve as command
        elif options.command == "plugins":
            from insight_core.cli.plugins import plugins as command
        elif options.command == "cache info":
            from insight_core.cli.cache import info as command
        else:
            from insight_core.cli.cache import delete as command
        if options.command != "serve":  # serve calls it after its own imports
            settle_imports()
        return command(options)
    except (InsightError, NotCompiled) as error:
        return fail(str(error))


def _contributed(words: list[str]) -> tuple[Callable[[], int] | None, Registry | None]:
    """The plugin module's command with its arguments, None for commands of the host; the modules, if any
    had to be loaded to know."""
    import os

    from insight_core.cli.flags import COMMANDS
    from insight_core.cli.options import is_place
    from insight_core.cli.plugin_commands import command_in, contributed_commands, loaded_for

    groups = {name.split()[0] for name in COMMANDS}
    if not words or words[0].startswith("-") or is_place(words[0]) or words[0] in groups:
        return None, None
    from insight_core.cli.command_host import TerminalHost

    registry = loaded_for(words, os.environ)
    commands = {one.name: one for one in contributed_commands(registry, TerminalHost())}
    name = command_in(words, commands)
    if name is None:
        return None, registry
    return lambda: commands[name].run(words[len(name.split()) :]), registry
