"""The subcommands of ``insight-host plugin``, with their arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from insight_authoring.check import check as check_plugin
from insight_authoring.development import develop
from insight_authoring.node import NodeTools, renew_packages, require_sources
from insight_authoring.scaffold import copy_packages, copy_types, write_plugin


def new(arguments: Sequence[str], text: str) -> int:
    """Writes a new plugin into a directory of its name. Returns the exit status."""
    parser = _parser("new", text)
    parser.add_argument("name", metavar="NAME", help="of the plugin, and of its new directory: loss_notes")
    parser.add_argument(
        "--javascript", action="store_true", help="a tab in plain JavaScript, without Node.js and a build"
    )
    given = parser.parse_args(arguments)
    target = write_plugin(given.name, Path(), javascript=given.javascript)
    print(f"wrote {target}; next:")
    if not given.javascript:
        print(f"  insight-host plugin build {target}")
    print(f"  pip install --editable {target}")
    return 0


def build(arguments: Sequence[str], text: str) -> int:
    """Installs npm packages where they are missing, checks types and builds. Returns the exit status."""
    plugin = _directory("build", text, arguments)
    node = NodeTools.find()
    node.install(plugin)
    node.run_npm(plugin, "run", "build")
    return 0


def types(arguments: Sequence[str], text: str) -> int:
    """Replaces the npm packages or types of the host in a plugin by those of the installed host."""
    plugin = _given("types", text, arguments)
    if (plugin / "jsconfig.json").is_file():  # of plain JavaScript
        copy_types(plugin)
    else:
        require_sources(plugin)
        renew_packages(plugin, copy_packages(plugin))
    return 0


def check(arguments: Sequence[str], text: str) -> int:
    """Checks a plugin and prints what is wrong. Returns the exit status."""
    parser = _parser("check", text)
    parser.epilog = "The exit status is 0 without faults, 1 with faults, 2 for wrong arguments."
    parser.add_argument("directory", metavar="DIR", type=Path, help="of the plugin")
    return check_plugin(parser.parse_args(arguments).directory)


def dev(arguments: Sequence[str], text: str) -> int:
    """Serves a plugin from its directory until a signal arrives. Returns the exit status."""
    parser = _parser("dev", text)
    parser.epilog = "All flags of insight-host are accepted too: --logdir, --port, --open and so on."
    parser.add_argument("directory", metavar="DIR", type=Path, help="of the plugin")
    given, flags = parser.parse_known_args(arguments)
    return develop(given.directory, flags)


def _directory(command: str, text: str, arguments: Sequence[str]) -> Path:
    plugin = _given(command, text, arguments)
    require_sources(plugin)
    return plugin


def _given(command: str, text: str, arguments: Sequence[str]) -> Path:
    parser = _parser(command, text)
    parser.add_argument("directory", metavar="DIR", type=Path, help="of the plugin")
    plugin: Path = parser.parse_args(arguments).directory
    return plugin


def _parser(command: str, text: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"insight-host plugin {command}", description=f"{text.capitalize()}.", allow_abbrev=False
    )


COMMANDS = {"new": new, "build": build, "dev": dev, "check": check, "types": types}
