"""Parses command, flags and environment variables into ``Options``, and prints what is wrong with them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from insight_core.cli.flag_types import with_hyphens
from insight_core.cli.flags import COMMANDS, FLAGS, SERVE_FLAGS, Options
from insight_core.cli.plugin_commands import (
    add_flags,
    command_in,
    contributed_commands,
    loaded_for,
    tell_failures,
)
from insight_core.cli.text_table import printable
from insight_core.plugin import Option

if TYPE_CHECKING:
    from insight_core.registry import Registry


_OF_TENSORBOARD = {  # flags that it has and this host does not: what to type instead
    "--bind-all": "--host 0.0.0.0",
    "--db": "--logdir DIR",
    "--detect-file-replacement": "nothing: files that are replaced are read again",
    "--grpc-data-provider": "--data-provider grpc://HOST:PORT",
    "--inspect": "insight-host inspect DIR",
    "--load-fast": "nothing: files are always read fast",
    "--logdir-spec": "--logdir NAME:DIR, once for each directory",
    "--purge-orphaned-data": "nothing: what was recorded before a restart is an attempt of its run",
    "--reload-multifile": "nothing: all files of a run are followed",
}


class _VersionAction(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from insight_core.cli.version import version_text

        print(version_text())
        parser.exit(0)


def read_options(
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    registry: Registry | None = None,
) -> Options:
    """Parses a command line. Prints and exits (SystemExit: 0 help, 2 usage error) as argparse does.

    Plugin modules are loaded for ``--help``, and for flags and commands that the host does not define;
    ``registry`` has those that were loaded for a command already.
    """
    command, rest = _command(list(arguments), registry)
    if command not in COMMANDS:  # of a plugin module, which reads its arguments itself
        return Options(command=command)
    flags, help_text = COMMANDS[command]
    return read_flags(command, help_text, flags, rest, environment)


def read_flags(
    command: str,
    help_text: str,
    flags: Sequence[Option],
    arguments: Sequence[str],
    environment: Mapping[str, str] | None = None,
) -> Options:
    """Parses the flags of a command; ``serve`` also accepts flags of plugin modules."""
    environment = os.environ if environment is None else environment
    words = with_hyphens(arguments)
    parser = _parser(command, help_text, flags)
    registry = found = None
    if command in ("serve", "inspect"):
        parser.add_argument(
            "directories",
            nargs="*",
            metavar="DIR",
            type=FLAGS["logdir"].type,
            help="a directory of training logs, as with --logdir",
        )
    if command == "serve":
        is_help = {"-h", "--help"}.intersection(words)
        found = None if is_help else _known(parser, words)
        if found is None:
            for flag in {word.partition("=")[0] for word in words} & _OF_TENSORBOARD.keys():
                parser.error(f"{flag} is a flag of TensorBoard; here: {_OF_TENSORBOARD[flag]}")
            registry = loaded_for(words, environment, flags)
            add_flags(parser, registry)
            if is_help:
                parser.epilog = _epilog([(one.name, one.help) for one in contributed_commands(registry)])
            # `insight-host plugin dev` gives this flag: the author needs to see where it failed
            tell_failures(registry, with_tracebacks="--watch-front-ends" in words)
    if found is None:
        found = parser.parse_intermixed_args(words)
    given = vars(found)
    if directories := given.pop("directories", None):
        given["logdir"] = (*(given["logdir"] or ()), *directories)
    values, origins = flag_values(parser, given, flags, environment)
    defaults = {flag.key: flag.default for flag in flags}
    _settle(parser, values, origins, defaults, ("logdir",), "data_provider", together=True)
    if not values.get("logdir"):
        _settle(parser, values, origins, defaults, ("load",), "data_provider")
    _settle(parser, values, origins, defaults, ("host", "port"), "unix_socket")
    logdir = FLAGS["logdir"]
    is_missing = logdir in flags and not values["logdir"] and not values.get("data_provider")
    if is_missing and command == "serve" and registry is None:
        registry = loaded_for(words, environment, flags)
    if registry is not None:
        registry.take_flags(given)
    if is_missing and registry is not None:
        from insight_core.cli.logdirs import filled_directories  # late: it imports what reads logs

        is_missing = not filled_directories(registry)
    if is_missing:
        parser.error(f"no log directory: give one, as in 'insight-host runs/' (or set {logdir.variable})")
    return Options(command=command, origins=origins, registry=registry, **values)


def _known(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace | None:
    """What the words say; None if there are flags among them that the host does not define."""
    found, others = parser.parse_known_intermixed_args(words)
    # one with a space in its value passes for a directory
    return None if others or any(word.startswith("-") for word in found.directories) else found


def flag_values(
    parser: argparse.ArgumentParser,
    given: Mapping[str, Any],
    flags: Iterable[Option],
    environment: Mapping[str, str],
) -> tuple[dict[str, Any], dict[str, str]]:
    """Values by name, from the command line, else the environment, else the default; and their origins.

    An origin is the flag or variable that set the value. Exits as ``parser.error`` for an invalid variable.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for flag in flags:
        value, origin = given[flag.key], f"--{flag.name}"
        if value is None:
            try:
                value, origin = flag.from_environment(environment), flag.variable
            except argparse.ArgumentTypeError as error:
                parser.error(str(error))
        if value is not None:
            origins[flag.key] = origin
        values[flag.key] = flag.default if value is None else value
    return values, origins


def _settle(
    parser: argparse.ArgumentParser,
    values: dict[str, Any],
    origins: dict[str, str],
    defaults: Mapping[str, Any],
    names: Sequence[str],
    alternative: str,
    *,
    together: bool = False,
) -> None:
    """Chooses between options and their alternative, as between a port and a unix socket.

    A flag wins over a variable; two flags or two variables are an error, or are both taken ``together``.
    """
    for name in names:
        if name not in origins or alternative not in origins:
            continue
        by_flag = {source for source in (name, alternative) if origins[source].startswith("--")}
        if len(by_flag) != 1 and together:
            continue
        if len(by_flag) != 1:
            parser.error(f"{origins[name]} cannot be combined with {origins[alternative]}")
        loser = alternative if name in by_flag else name
        values[loser] = defaults[loser]
        del origins[loser]


def _command(arguments: list[str], registry: Registry | None) -> tuple[str, list[str]]:
    if not arguments or arguments[0].startswith("-") or is_place(arguments[0]):
        return "serve", arguments
    command = command_in(arguments, COMMANDS)
    if command is None:
        texts = {name: text for name, (_, text) in COMMANDS.items()}
        _show_group(arguments, texts)
        registry = loaded_for(arguments, os.environ) if registry is None else registry
        texts |= {one.name: one.help for one in contributed_commands(registry)}
        command = command_in(arguments, texts)
        if command is None:
            if os.path.isdir(arguments[0]):
                return "serve", arguments
            _show_group(arguments, texts)
            tell_failures(registry)
            _refuse(arguments, texts)
    return command, arguments[len(command.split()) :]


def is_place(word: str) -> bool:
    """Whether the first word of a command line is a log directory, and no command: ``./runs``, ``runs/``, ``s3://b/p``."""
    return word.startswith((".", "~")) or "/" in word or os.sep in word


def _group(word: str, texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if name.startswith(f"{word} ")}


def _show_group(arguments: Sequence[str], texts: Mapping[str, str]) -> None:
    """Prints the commands of a group, for ``insight-host cache`` without a second word, and exits.

    The status is 0 for ``--help``, else 2.
    """
    word, *others = arguments
    group = _group(word, texts)
    if not group or not all(argument.startswith("-") for argument in others):
        return
    listed = _listed(group.items())
    parser = argparse.ArgumentParser(
        prog=f"insight-host {word}",
        usage=f"insight-host {word} COMMAND [FLAGS]",
        epilog=f"commands (add --help for details):\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.parse_args(others)
    parser.print_help(sys.stderr)
    parser.exit(2)


def _listed(commands: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"  {name:<14}{text}" for name, text in commands)


def _epilog(contributed: Iterable[tuple[str, str]] = ()) -> str:
    commands = [*((name, text) for name, (_, text) in COMMANDS.items()), *contributed]
    return (
        f"commands (insight-host COMMAND --help for details):\n{_listed(commands)}\n\n"
        "Each flag can also be an environment variable: INSIGHT_HOST_LOGDIR and so on.\n"
        "A flag wins over its variable. Lists in variables are separated by commas or as PATH is."
    )


def _refuse(arguments: Sequence[str], texts: Mapping[str, str]) -> NoReturn:
    """Names the commands: those of the group if the first word is one."""
    parser = _parser("serve", "", SERVE_FLAGS)
    group = _group(arguments[0], texts)
    word = " ".join(arguments[:2]) if group else arguments[0]
    known = ", ".join(group or texts)
    parser.error(f"no directory and no command is called {word!r}, the commands are {known}")


def _parser(command: str, help_text: str, flags: Sequence[Option]) -> argparse.ArgumentParser:
    is_serve = command == "serve"
    parser = argparse.ArgumentParser(
        prog="insight-host" if is_serve else f"insight-host {command}",
        usage="insight-host DIR... [FLAGS]\n       insight-host COMMAND [FLAGS]" if is_serve else None,
        description="Serves training logs to a browser." if is_serve else help_text.capitalize() + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for flag in flags:
        flag.add_to(parser)
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="print the versions and exit")
    return parser


def fail(text: str) -> int:
    """Prints an error on stderr and returns the exit code."""
    print(f"insight-host: error: {printable(text)}", file=sys.stderr)
    return 1
