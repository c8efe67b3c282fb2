"""Flags and subcommands that plugins add to the command line; plugins of one file (``--plugin-file``)."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from attrs import evolve

from insight_core.cli.flags import COMMANDS, FLAGS
from insight_core.cli.text_table import printable
from insight_core.isolation import DEFAULT_LIMITS, Limits
from insight_core.plugin import Command, CommandHost, InvalidArgument, Option
from insight_core.registry import DISTRIBUTION, Contribution, Registry
from insight_core.registry.modules import Candidate, Origin

log = logging.getLogger(__name__)
_BUILT_IN = {  # imported like modules of other distributions, by name
    "insight-host": "insight_core.cli.built_in",
    "insight-host-reading": "insight_host.commands",
}
_PATIENCE = 5.0  # seconds for all modules to load, if a flag or command may be one of theirs


def discovered(
    disabled: Collection[str],
    choices: Mapping[str, str],
    limits: Limits = DEFAULT_LIMITS,
    flags: Collection[str] = (),
    files: Collection[str] = (),
) -> Registry:
    """The registry of the installed modules, those of plugin files and the host's own.

    Raises InvalidArgument for a plugin file that does not load.
    """
    built_in = [(name, partial(import_module, module)) for name, module in _BUILT_IN.items()]
    registry = Registry.discover(
        disabled, limits, built_in=built_in, files=plugin_files(files), choices=choices, flags=flags
    )
    for failure in registry.lost_files():
        raise InvalidArgument(f"--plugin-file {failure.distribution}: {failure.reason}")
    return registry


def loaded_for(
    words: Sequence[str], environment: Mapping[str, str], host_flags: Iterable[Option] = ()
) -> Registry:
    """The modules that a command line leaves enabled; waits up to 5 seconds for their imports."""
    choosing = [FLAGS[key] for key in ("disable_plugin", "plugin", "plugin_file")]
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for flag in choosing:
        flag.add_to(parser)
    given = vars(parser.parse_known_args(words)[0])
    values: dict[str, Any] = {
        flag.key: given[flag.key] or flag.from_environment(environment) or () for flag in choosing
    }
    limits = evolve(DEFAULT_LIMITS, start=_PATIENCE)
    registry_log = logging.getLogger("insight_core.registry")
    level = registry_log.level
    registry_log.setLevel(logging.CRITICAL)  # tell_failures reports failures without tracebacks
    try:
        with redirect_stdout(sys.stderr):  # plugins may print what they like
            return discovered(
                values["disable_plugin"],
                dict(values["plugin"]),
                limits,
                [flag.key for flag in host_flags],
                values["plugin_file"],
            )
    finally:
        registry_log.setLevel(level)


def tell_failures(registry: Registry, *, with_tracebacks: bool = False) -> None:
    """Reports on stderr the failed modules, one of which may define the missing flag or command."""
    for failure in registry.failures.values():
        text = f"plugin {failure.entry_point} of {failure.distribution} did not load: {failure.reason}"
        print(f"insight-host: {printable(text)}", file=sys.stderr)
        if with_tracebacks:
            for line in failure.traceback.splitlines():
                print(f"  {printable(line)}", file=sys.stderr)
    for name in sorted(registry.pending - {each.entry_point for each in registry.failures.values()}):
        print(f"insight-host: plugin {printable(name)} has not loaded yet", file=sys.stderr)


def add_flags(parser: argparse.ArgumentParser, registry: Registry) -> None:
    """Adds the flags of the modules to a parser, a group for each module."""
    for module in registry.modules:
        if module.options:
            group = parser.add_argument_group(f"flags of {module.name}")
            for option in module.options:
                option.add_to(group)


def contributed_commands(registry: Registry, host: CommandHost | None = None) -> list[Command]:
    """The commands of the modules, without those whose name another module has, with a warning.

    Commands of the host and its own modules win; of two others with one name neither is taken.
    """
    given = registry.collected("insight_commands", Command, host=host)
    by_name: dict[str, list[Contribution]] = {}
    for one in given:
        by_name.setdefault(one.value.name, []).append(one)
    groups = {name.split()[0] for name in COMMANDS}
    found = []
    for name, same in by_name.items():
        own = [one for one in same if one.distribution == DISTRIBUTION]
        others = [one for one in same if one not in own]
        is_reserved = bool(own) or name.split()[0] in groups
        if is_reserved:
            for one in others:
                log.warning(
                    "the command %s of %s of %s is left out: the name belongs to insight-host",
                    name,
                    one.owner,
                    one.distribution,
                )
        winners = own if is_reserved else others
        if len(winners) > 1:
            owners = " and ".join(f"{one.owner} of {one.distribution}" for one in winners)
            log.warning("the command %s is defined by %s: disable one with --disable-plugin", name, owners)
        else:
            found += [one.value for one in winners]
    return found


def command_in(arguments: Sequence[str], names: Iterable[str]) -> str | None:
    """The command of two words or one at the start of the arguments; None if it is unknown."""
    known = set(names)
    return next((one for one in (" ".join(arguments[:2]), " ".join(arguments[:1])) if one in known), None)


def plugin_files(paths: Iterable[str]) -> list[Candidate]:
    """The modules in these files, each once. Raises InvalidArgument if two have one name."""
    by_name: dict[str, str] = {}
    for path in paths:
        other = by_name.setdefault(Path(path).stem, path)
        if other != path:
            raise InvalidArgument(f"{path} and {other} are modules of one name: rename one")
    return [
        Candidate(name, Origin(path), partial(_module_of, name, path), is_file=True)
        for name, path in by_name.items()
    ]


def _module_of(name: str, path: str) -> object:
    """Imports the file under its name, so that functions in it have the name ``file:function``.

    Its directory is the last on the path: the file can import others there, and workers can import the file.
    """
    place = str(Path(path).parent)
    if place not in sys.path:
        sys.path.append(place)
    found = find_spec(name)
    if found is not None and not (found.origin and Path(found.origin).resolve() == Path(path).resolve()):
        raise InvalidArgument(f"{name} is also the name of a module in {found.origin}: rename {path}")
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
