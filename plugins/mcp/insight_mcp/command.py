"""``insight-host mcp`` and ``insight-host skill``."""

from __future__ import annotations

import argparse
import os
import re
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stdout
from pathlib import Path

from insight_core.plugin import CommandHost, InsightError, NotFound, Option, PluginContext, Unavailable
from insight_mcp.calling import Tools
from insight_mcp.protocol import Protocol
from insight_mcp.stdio import serve
from insight_mcp.toolbox import TOOLS

_PLUGIN = "mcp"
_LOCATION = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:[^0-9]")  # as insight_host.open tells them from directories
_SOURCES = (Option("logdir", ""), Option("data-provider", ""))  # flags whose variables name logs
_PATIENCE = 60.0  # seconds for logs to be opened


def run(arguments: Sequence[str], host: CommandHost) -> int:
    """Serves the tools over stdin and stdout until stdin ends; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="insight-host mcp",
        description="Lets an agent read logs, by the Model Context Protocol over stdin and stdout."
        " Flags of insight-host, such as --cache-dir, may follow after '--'.",
        allow_abbrev=False,
    )
    parser.add_argument("places", metavar="PLACE", nargs="*", help="a directory, URL or grpc://HOST:PORT")
    parser.add_argument(
        "--logdir", metavar="[NAME:]DIR", action="append", default=[], help="a directory of logs"
    )
    parser.add_argument("--data-provider", metavar="LOCATION", help="a server, or what a plugin opens")
    given, more = _split(list(arguments))
    known = parser.parse_args(given)
    flags = [*_flags(known.places), *(f"--logdir={one}" for one in known.logdir), *more]
    if known.data_provider:
        flags.append(f"--data-provider={known.data_provider}")
    if not (flags or any(os.environ.get(one.variable) for one in _SOURCES)):
        parser.error("no logs: give a directory, a URL, --logdir or --data-provider")
    output = sys.stdout.buffer
    with redirect_stdout(sys.stderr), _Opening(host, flags) as opening:  # stdout is for messages only
        serve(
            Protocol([tool.described() for tool in TOOLS], Tools(opening.context).call),
            sys.stdin.buffer,
            output,
        )
    return 0


def print_skill(arguments: Sequence[str]) -> int:
    """Prints the skill; returns the exit code."""
    argparse.ArgumentParser(
        prog="insight-host skill",
        description="Prints a SKILL.md, which tells an agent how to read logs with the command line.",
    ).parse_args(list(arguments))
    print(Path(__file__).with_name("SKILL.md").read_text(encoding="utf-8"), end="")
    return 0


class _Opening:
    """Opens the logs in a thread, so that a client is answered at once."""

    def __init__(self, host: CommandHost, flags: Sequence[str]) -> None:
        self._host, self._flags = host, flags
        self._opened = threading.Event()
        self._ended = threading.Event()
        self._context: PluginContext | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="logs", daemon=True)

    def __enter__(self) -> _Opening:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._ended.set()
        self._thread.join(1.0)

    def context(self) -> PluginContext:
        """Waits for the logs that tools read. Raises Unavailable if they cannot be opened in a minute."""
        if not self._opened.wait(_PATIENCE):
            raise Unavailable("the logs are still being opened: try again")
        if self._error is not None:
            reason = str(self._error) if isinstance(self._error, InsightError) else "stderr says why"
            raise Unavailable(f"the logs cannot be opened: {reason}") from self._error
        assert self._context is not None
        return self._context

    def _run(self) -> None:
        with ExitStack() as stack:
            try:
                self._context = stack.enter_context(self._host.loaded(self._flags, _PLUGIN, follows=True))
            except (Exception, SystemExit) as error:
                self._error = error
                self._host.print(f"insight-host mcp: {error}")
            self._opened.set()
            self._ended.wait()


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """The arguments before and after ``--``."""
    if "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def _flags(places: Sequence[str]) -> list[str]:
    flags = []
    for place in places:
        if _LOCATION.match(place) and not Path(place).exists():
            flags.append(f"--data-provider={place}")
        elif not Path(place).is_dir():
            raise NotFound(f"{place}: no such directory")
        else:
            flags.append(f"--logdir={place}")
    return flags
