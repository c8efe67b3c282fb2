"""The commands with their flags and what may be their values, read from the parsers."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from collections.abc import Callable, Iterator, Sequence

from attrs import frozen

from insight_core.cli.flags import COMMANDS, SERVE_FLAGS
from insight_core.cli.options import read_flags
from insight_core.cli.plugin_commands import contributed_commands, loaded_for

_DIRECTORIES, _FILES = {"DIR", "PLACE", "OUT", "SOURCE"}, {"FILE", "PATH"}  # metavars


@frozen
class CompletedFlag:
    """A flag, or a positional argument without names. ``words``: None if it has no value."""

    names: tuple[str, ...]
    help: str = ""
    words: tuple[str, ...] | None = ()
    path: str = ""  # "directory" or "file", where the value is one


@frozen
class CompletedCommand:
    """A command, "" for that without a name."""

    name: str
    help: str = ""
    flags: Sequence[CompletedFlag] = ()

    @property
    def named(self) -> Iterator[CompletedFlag]:
        """Its flags without positional arguments."""
        return (one for one in self.flags if one.names)

    @property
    def positional(self) -> CompletedFlag:
        """What its first positional argument is."""
        return next((one for one in self.flags if not one.names), CompletedFlag(()))


def completed_commands() -> list[CompletedCommand]:
    """All commands with their flags, those of installed plugins included, in the order of ``--help``."""
    registry = loaded_for([], {})
    texts = {name: text for name, (_, text) in COMMANDS.items()}
    runs: dict[str, Callable[[], object]] = {
        name: lambda name=name: read_flags(name, "", COMMANDS[name][0], ["--help"])  # type: ignore[misc]
        for name in COMMANDS
    }
    for one in contributed_commands(registry):
        texts[one.name] = one.help
        runs[one.name] = lambda one=one: one.run(["--help"])  # type: ignore[misc]
    runs[""] = lambda: read_flags("serve", "", SERVE_FLAGS, ["--help"])
    return [CompletedCommand(name, texts.get(name, ""), _flags(run)) for name, run in runs.items()]


class _Parsing(BaseException):
    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser


def _flags(run: Callable[[], object]) -> list[CompletedFlag]:
    """The flags of the parser to which ``run`` would give ``--help``."""
    original = argparse.ArgumentParser.parse_known_args

    def parse(self: argparse.ArgumentParser, *given: object, **more: object) -> object:
        if self.add_help:
            raise _Parsing(self)
        return original(self, *given, **more)

    argparse.ArgumentParser.parse_known_args = parse  # type: ignore[method-assign,assignment]
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            run()
    except _Parsing as found:
        return [_flag(action) for action in found.parser._actions if action.help != argparse.SUPPRESS]
    except SystemExit:  # a command that reads its arguments in another way
        return []
    finally:
        argparse.ArgumentParser.parse_known_args = original  # type: ignore[method-assign]
    return []


def _flag(action: argparse.Action) -> CompletedFlag:
    text = re.sub(r"\s+", " ", (action.help or "").replace("%%", "%"))
    if action.option_strings and action.nargs == 0:
        return CompletedFlag(tuple(action.option_strings), text, None)
    metavar = str(action.metavar or action.dest.upper())
    words = tuple(map(str, action.choices or ())) or tuple(
        metavar[1:-1].split(",") if re.fullmatch(r"\{[\w,]+\}", metavar) else ()
    )
    last = metavar.rpartition("=")[2].rstrip(".")
    path = "directory" if last in _DIRECTORIES else "file" if last in _FILES else ""
    return CompletedFlag(tuple(action.option_strings), text, words, path)
