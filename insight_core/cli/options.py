"""What the user asked for: command, flags and environment to one value."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from attrs import field, frozen

from insight_core.cli.flags import (
    Flag,
    memory_size,
    merged_counts,
    nonempty,
    one_of,
    page_source,
    plugin_flag,
    port_number,
    sample_counts,
    seconds,
    server_location,
    split_commas,
    split_list,
    split_logdirs,
    url_prefix,
    with_hyphens,
)
from insight_core.cli.table import printable

LOGDIR = Flag(
    "logdir",
    "directory of training logs, searched to any depth; repeat it for several, name one as name:DIR",
    nonempty,
    metavar="DIR",
    aliases=("summary-base-dir",),
    split=split_logdirs,
    default=(),
)
DATA_PROVIDER = Flag(
    "data-provider",
    "data server to ask instead of reading logs: insight-data-server, or any other that has the service of "
    "TensorBoard",
    server_location,
    metavar="grpc://HOST:PORT",
)
LOAD = Flag(
    "load",
    "who reads the logs: inprocess: this process (default); server: an insight-data-server, started and kept "
    "alive; rust: a tensorboard-data-server for each logdir, and this process what MindSpore wrote",
    one_of("inprocess", "server", "rust"),
    "inprocess",
    "{inprocess,server,rust}",
)
DISABLE_PLUGIN = Flag(
    "disable-plugin",
    "leave this plugin out; may be repeated",
    nonempty,
    metavar="NAME",
    split=split_list,
    default=(),
)
PLUGIN_FLAG = Flag(
    "plugin-flag",
    "a flag of a plugin made for TensorBoard, as in --plugin-flag='--greeting hello'; may be repeated",
    plugin_flag,
    metavar="'--NAME VALUE'",
    split=lambda text: [text],
    default=(),
)
SAMPLES = Flag(
    "samples-per-plugin",
    "points of a series to keep, by plugin (0: all of them)",
    sample_counts,
    metavar="NAME=N,...",
    split=lambda text: [text],
    default=(),
)
CACHE_PRESET = Flag(
    "cache-preset",
    "all: keep every point of every plugin; mindinsight: the limits that MindInsight documents "
    "(default: as each plugin says; the built-in ones keep all)",
    one_of("all", "mindinsight"),
    metavar="{all,mindinsight}",
)
CACHE_DIR = Flag(
    "cache-dir",
    "where what was read is kept for the next start (default: the user's cache directory)",
    nonempty,
    metavar="DIR",
)
CACHE = Flag("cache", "keep what was read for the next start (default)", switch=True, default=True)
STATE_DIR = Flag(
    "state-dir",
    "where names and notes of runs are kept, for several hosts too (default: the user's state directory)",
    nonempty,
    metavar="DIR",
)
READ_ONLY = Flag("read-only", "let nobody write names and notes of runs", switch=True, default=False)
MAX_MEMORY = Flag(
    "max-memory",
    "memory for columns, as in 4G, 512M or 50%%; the rest lies in a file in the cache directory "
    "(default: half of the memory)",
    memory_size,
    metavar="SIZE",
)
VERBOSITY = Flag(
    "verbosity",
    "what is logged to the terminal: error, warning (default), info or debug",
    one_of("error", "warning", "info", "debug"),
    default="warning",
    metavar="LEVEL",
)
JSON = Flag("json", "print JSON", switch=True, default=False)

SERVE_FLAGS = (
    LOGDIR,
    DATA_PROVIDER,
    LOAD,
    Flag(
        "host",
        "address to listen at (default 127.0.0.1: this machine only)",
        nonempty,
        "127.0.0.1",
        "ADDRESS",
    ),
    Flag("port", "port (default 6006, or the next free one; 0: any free one)", port_number, None, "PORT"),
    Flag(
        "path-prefix",
        "path of the URL below which everything is served",
        url_prefix,
        "",
        "PATH",
        aliases=("url-path-prefix",),
    ),
    Flag(
        "reload-interval",
        "seconds between looks for new data (default 1; 0: load once)",
        seconds,
        1.0,
        "SECONDS",
    ),
    SAMPLES,
    CACHE_PRESET,
    CACHE_DIR,
    CACHE,
    MAX_MEMORY,
    STATE_DIR,
    READ_ONLY,
    DISABLE_PLUGIN,
    PLUGIN_FLAG,
    Flag("window-title", "title of the browser window", str, "", "TEXT"),
    Flag(
        "allowed-host",
        "name by which browsers may address this host, besides its own; may be repeated",
        nonempty,
        (),
        "NAME",
        split=split_commas,
    ),
    Flag(
        "frame-ancestor",
        "site whose pages may show this host in a frame, besides its own, like https://example.org; may be "
        "repeated",
        page_source,
        (),
        "ORIGIN",
        split=split_commas,
    ),
    Flag("open", "open the page in a browser", switch=True, default=False),
    VERBOSITY,
)
_SERVED = (
    "host",
    "port",
    "path-prefix",
    "window-title",
    "allowed-host",
    "open",
    "disable-plugin",
    "verbosity",
)
DEMO_FLAGS = (
    Flag("live", "go on training while it is served, so that the page grows", switch=True, default=False),
    Flag(
        "keep",
        "write the logs here, into a new or empty directory, and leave them (default: a temporary one, "
        "removed at the end)",
        nonempty,
        metavar="DIR",
    ),
    *(flag for flag in SERVE_FLAGS if flag.name in _SERVED),
)
INSPECT_FLAGS = (LOGDIR, JSON, DISABLE_PLUGIN, VERBOSITY)
CACHE_FLAGS = (CACHE_DIR, JSON, VERBOSITY)
PLUGINS_FLAGS = (JSON, DISABLE_PLUGIN, SAMPLES, CACHE_PRESET, VERBOSITY)

COMMANDS: Mapping[str, tuple[tuple[Flag, ...], str]] = {
    "serve": (SERVE_FLAGS, "serve logs to a browser (the command when none is given)"),
    "demo": (DEMO_FLAGS, "train some small networks, record them and serve that: a first look"),
    "inspect": (INSPECT_FLAGS, "load everything once and print runs, tags, points and damage"),
    "plugins": (PLUGINS_FLAGS, "list the plugins, and why others failed to load"),
    "cache info": (CACHE_FLAGS, "say what is kept for the next start, and where"),
    "cache clear": (CACHE_FLAGS, "delete what is kept for the next start"),
}


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(texts)


@frozen(kw_only=True)
class Options:
    """Flags by name; those that the command does not have keep their default. ``port`` None: not given."""

    command: str
    logdir: tuple[str, ...] = field(default=(), converter=_words)
    data_provider: str | None = None  # HOST:PORT
    load: str = "inprocess"
    host: str = "127.0.0.1"
    port: int | None = None
    path_prefix: str = ""
    reload_interval: float = 1.0
    samples_per_plugin: Mapping[str, int] = field(default=(), converter=merged_counts)
    cache_preset: str | None = None
    cache_dir: str | None = None
    cache: bool = True
    max_memory: int | None = None  # bytes
    state_dir: str | None = None
    read_only: bool = False
    disable_plugin: tuple[str, ...] = field(default=(), converter=_words)
    plugin_flag: tuple[str, ...] = field(default=(), converter=_words)
    window_title: str = ""
    allowed_host: tuple[str, ...] = field(default=(), converter=_words)
    frame_ancestor: tuple[str, ...] = field(default=(), converter=_words)
    open: bool = False
    verbosity: str = "warning"
    json: bool = False
    live: bool = False
    keep: str | None = None
    origins: Mapping[str, str] = {}  # of each value, by name: the flag or variable that gave it

    def origin(self, name: str) -> str:
        return self.origins.get(name, "--" + name.replace("_", "-"))


class _VersionAction(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from insight_core.cli.version import version_text

        print(version_text())
        parser.exit(0)


def read_options(arguments: Sequence[str], environment: Mapping[str, str] | None = None) -> Options:
    """Parses a command line. Prints and exits (SystemExit: 0 help, 2 usage error) as argparse does."""
    environment = os.environ if environment is None else environment
    command, rest = _command(list(arguments))
    flags, _ = COMMANDS[command]
    parser = _parser(command, flags)
    given = vars(parser.parse_args(with_hyphens(rest)))
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for flag in flags:
        value, origin = given[flag.destination], f"--{flag.name}"
        if value is None:
            try:
                value, origin = flag.from_environment(environment), flag.variable
            except argparse.ArgumentTypeError as error:
                parser.error(str(error))
        if value is not None:
            values[flag.destination], origins[flag.destination] = value, origin
        else:
            values[flag.destination] = flag.default
    if "data_provider" in origins:
        _settle_source(parser, values, origins, {flag.destination: flag.default for flag in flags})
    if LOGDIR in flags and not values["logdir"] and not values.get("data_provider"):
        parser.error(f"no log directory: give --logdir DIR (or set {LOGDIR.variable})")
    return Options(command=command, origins=origins, **values)


def _settle_source(
    parser: argparse.ArgumentParser,
    values: dict[str, Any],
    origins: dict[str, str],
    defaults: Mapping[str, Any],
) -> None:
    """Logs or a data server, not both: a flag wins over the variable of the other, else it is an error."""
    for name in ("logdir", "load"):
        if name not in origins or "data_provider" not in origins:
            continue
        by_flag = {source for source in (name, "data_provider") if origins[source].startswith("--")}
        if len(by_flag) != 1:
            parser.error(f"{origins[name]} makes no sense beside {origins['data_provider']}")
        loser = "data_provider" if name in by_flag else name
        values[loser] = defaults[loser]
        del origins[loser]


def _command(arguments: list[str]) -> tuple[str, list[str]]:
    if not arguments or arguments[0].startswith("-"):
        return "serve", arguments
    command = next((c for c in (" ".join(arguments[:2]), arguments[0]) if c in COMMANDS), None)
    if command is None:
        group = [known for known in COMMANDS if known.startswith(f"{arguments[0]} ")]
        if group and all(argument.startswith("-") for argument in arguments[1:]):
            _show_group(arguments[0], group, arguments[1:])
        _refuse(" ".join(arguments[:2]) if group else arguments[0])
    return command, arguments[len(command.split()) :]


def _show_group(word: str, group: Sequence[str], arguments: Sequence[str]) -> NoReturn:
    """``insight-host cache``: which commands there are; asked for that is an answer, else an error."""
    parser = argparse.ArgumentParser(
        prog=f"insight-host {word}",
        usage=f"insight-host {word} COMMAND [FLAGS]",
        epilog="commands (each with --help tells more):\n" + _listed(group),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.parse_args(arguments)
    parser.print_help(sys.stderr)
    parser.exit(2)


def _listed(commands: Iterable[str]) -> str:
    return "\n".join(f"  {name:<12}{COMMANDS[name][1]}" for name in commands)


def _refuse(word: str) -> NoReturn:
    parser = _parser("serve", SERVE_FLAGS)
    hint = f"; to serve this directory: --logdir {word}" if os.path.isdir(word) else ""
    parser.error(f"unknown command {word!r}, the commands are {', '.join(COMMANDS)}{hint}")


def _parser(command: str, flags: Sequence[Flag]) -> argparse.ArgumentParser:
    if command == "serve":
        title, usage = "Serves training logs to a browser.", "insight-host [COMMAND] --logdir DIR [FLAGS]"
        epilog = (
            f"commands (insight-host COMMAND --help tells more):\n{_listed(COMMANDS)}\n\n"
            "Each flag can also be an environment variable: INSIGHT_HOST_LOGDIR and so on.\n"
            "A flag wins over its variable. Lists in variables are separated by commas or as PATH is."
        )
    else:
        title, usage, epilog = COMMANDS[command][1].capitalize() + ".", None, ""
    parser = argparse.ArgumentParser(
        prog="insight-host" if command == "serve" else f"insight-host {command}",
        usage=usage,
        description=title,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for flag in flags:
        flag.add_to(parser)
    parser.add_argument("--version", action=_VersionAction, nargs=0, help="print the versions and exit")
    return parser


def fail(text: str) -> int:
    """Says on stderr why the command ends, and returns its exit code."""
    print(f"insight-host: error: {printable(text)}", file=sys.stderr)
    return 1
