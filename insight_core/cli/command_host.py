"""Services for commands of plugin modules: serving a host, and terminal output."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import evolve

if TYPE_CHECKING:
    from insight_core.cli.terminal import StatusLine
    from insight_core.plugin import PluginContext


def _nothing() -> None:
    pass


class TerminalHost:
    """Implements ``CommandHost``."""

    def __init__(self) -> None:
        self._line: StatusLine | None = None

    def status(self, text: str) -> None:
        """Shows a status line on stderr, replacing the previous one."""
        self._terminal().show(text)

    def print(self, text: str) -> None:
        """Prints a line on stderr, above the status line."""
        self._terminal().print(text)

    def serve(
        self,
        arguments: Sequence[str],
        *,
        prepare: Callable[[], None] = _nothing,
        at_end: Callable[[], None] = _nothing,
    ) -> int:
        """Runs ``prepare`` in a thread, then serves until the process is asked to end, then calls ``at_end``.

        Returns the exit status. Raises the error of ``prepare``.
        """
        from insight_core.cli.options import read_options
        from insight_core.cli.process import Ending
        from insight_core.cli.serve import serve
        from insight_core.cli.terminal import open_terminal

        failures: list[BaseException] = []
        try:
            options = read_options(["serve", *arguments])
            self._line = open_terminal(options.verbosity)
            with Ending() as ending:

                def run() -> None:
                    try:
                        prepare()
                    except BaseException as error:
                        failures.append(error)
                    finally:
                        ending.ask()

                threading.Thread(target=run, name="preparation", daemon=True).start()
                if number := ending.wait():
                    return 128 + number
                if failures:
                    raise failures[0]
                return serve(options, at_end=at_end, ending=ending)
        finally:
            at_end()

    @contextmanager
    def loaded(
        self,
        arguments: Sequence[str],
        plugin: str,
        *,
        follows: bool = False,
        runs: Callable[[str], bool] | None = None,
    ) -> Iterator[PluginContext]:
        """What routes of a plugin receive, with logs that were read to their end once, or are followed."""
        from insight_core.cli.data_source import open_data
        from insight_core.cli.logdirs import open_logdirs, problems
        from insight_core.cli.options import read_options
        from insight_core.cli.policies import open_whole_registry
        from insight_core.cli.serve import open_host

        options = read_options(["serve", *arguments])
        if not follows:
            options = evolve(options, reload_interval=0.0)
        registry = open_whole_registry(options)
        logdirs = open_logdirs(options)
        provider = open_data(options, registry, logdirs, runs)
        try:
            provider.start()
            for notice in problems(logdirs, follows=follows):
                self.print(f"insight-host: {notice}")
            generation = provider.generation()
            while not (follows or provider.progress().loaded_once):
                generation = provider.changes(generation, timeout=1.0).generation
            for notice in provider.notices():
                self.print(f"insight-host: {notice}")
            host = open_host(options, registry, provider, logdirs)
            try:
                yield host.context_of(plugin)
            finally:
                host.close()
        finally:
            provider.close()

    def _terminal(self) -> StatusLine:
        if self._line is None:
            from insight_core.cli.terminal import open_terminal

            self._line = open_terminal("warning")
        return self._line
