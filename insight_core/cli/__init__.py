"""The command line. The only package that knows all the others; each command imports what it needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from insight_core.cli.options import Options


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``insight-host``; returns its exit code."""
    try:  # around the imports too: whoever has changed their mind wants no traceback
        return _main(arguments)
    except KeyboardInterrupt:
        return 130


def _main(arguments: Sequence[str] | None) -> int:
    import os
    import sys

    from insight_core.cli.import_tuning import prepare_imports, settle_imports
    from insight_core.cli.options import fail, read_options

    options = read_options(sys.argv[1:] if arguments is None else arguments)
    prepare_imports()
    from insight_core.plugin import InsightError

    command: Callable[[Options], int]
    try:
        if options.command == "serve":
            from insight_core.cli.serve import serve as command
        elif options.command == "demo":
            from insight_core.cli.demo import demo as command
        elif options.command == "inspect":
            from insight_core.cli.inspect import inspect as command
        elif options.command == "plugins":
            from insight_core.cli.plugins import plugins as command
        elif options.command == "cache info":
            from insight_core.cli.cache import info as command
        else:
            from insight_core.cli.cache import delete as command
        if options.command not in ("serve", "demo"):  # which say themselves when all is there
            settle_imports()
        code = command(options)
        sys.stdout.flush()
    except InsightError as error:
        return fail(str(error))
    except BrokenPipeError:  # `insight-host inspect | head`: the reader has what it wants
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code
