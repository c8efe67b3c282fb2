"""Writes the listings of the public surface next to this file: what others may rely on, a line for each name;
and the reference page of flags, flags.md, with what each does.

Run it after a change of the API: ``python docs/reference/surface/write.py``. A test compares the listings, so
that a change that breaks others shows as a removed or changed line. stability.md says what is promised;
write_javascript.mjs writes the listing of the JavaScript packages.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import re
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from insight_core.cli import main as insight_host
from insight_core.cli.built_in import INSPECT_HELP
from insight_core.cli.data_server_flags import OWN_FLAGS, SHARED_FLAGS
from insight_core.cli.flags import COMMANDS, INSPECT_FLAGS, SERVE_FLAGS
from insight_core.cli.plugin_commands import contributed_commands, discovered
from insight_core.plugin import Option
from insight_core.plugin.testing import host_of
from insight_core.registry import DISTRIBUTION

PLACE = Path(__file__).parent
HOOKS = "insight_core.plugin.hooks"


@cache
def _api() -> ModuleType:
    """The writer of the reference of the Python API, which knows modules, names and signatures."""
    spec = importlib.util.spec_from_file_location("api_pages", PLACE.parent / "api" / "write.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python() -> Iterator[str]:
    """Names, signatures, fields and methods of the public modules, and the arguments of hooks."""
    api = _api()
    for module in dict.fromkeys(module for modules in api.PAGES.values() for module in modules):
        for name in sorted(api.public_names(module)):
            place, nodes = api.definitions(module, name)
            for node in nodes:
                prefix = "hook" if module == HOOKS else module
                yield from (_one_line(f"{prefix} {line}") for line in _lines(api, place, name, node))


def names_of(module: str) -> list[str]:
    """The names that a module offers, without the modules among them."""
    api = _api()
    return [name for name in api.public_names(module) if api.definitions(module, name)[1]]


def _lines(api: ModuleType, place: str, name: str, node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield api._signature(node, name)
    elif isinstance(node, ast.ClassDef):
        yield f"class {name}"
        for field in api._fields(place, node):
            yield f"{name}.{field.partition('  # ')[0]}"
        for method in api._methods(node):
            decorators = {ast.unparse(one) for one in method.decorator_list}
            head = f"{name}.{method.name}"
            yield (
                f"{head} -> {ast.unparse(method.returns) if method.returns else 'None'}"
                if "property" in decorators
                else api._signature(method, head)
            )
    else:
        yield ast.unparse(node)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def http() -> Iterator[str]:
    """Routes of the host and its plugins with their parameters; ``*``: a request must have it."""
    with tempfile.TemporaryDirectory() as empty, host_of(logdir=empty, built_ins=True) as host:
        paths: dict[str, dict[str, Any]] = host.get("/openapi.json").json()["paths"]
    for path, methods in sorted(paths.items()):
        shared = methods.pop("parameters", ())  # those in the path
        assert all(one["in"] == "path" for one in shared)
        for method, operation in sorted(methods.items()):
            parameters = [
                one["name"] + ("*" if one.get("required") else "")
                for one in operation.get("parameters", ())
                if one["in"] == "query"
            ]
            yield " ".join([method.upper(), path, *sorted(parameters)])


def flags() -> Iterator[str]:
    """Flags of commands, with their environment variables."""
    registry = discovered((), {})
    own = [module for module in registry.modules if module.candidate.origin.distribution == DISTRIBUTION]
    for command, (options, _) in sorted(COMMANDS.items()):
        more = [one for module in own for one in module.options] if command == "serve" else []
        yield from (_flag(command, option) for option in sorted((*options, *more), key=_name_of))
    for one in sorted(contributed_commands(registry), key=_name_of):
        yield f"insight-host {one.name}"
        yield from (f"insight-host {one.name} {flag}" for flag in sorted(_flags_in_help(one.name)))


def page_of_flags() -> str:
    """The text of flags.md, of the declarations."""
    modules = [one for one in discovered((), {}).modules if one.candidate.origin.distribution == DISTRIBUTION]
    own = sorted((option for one in modules for option in one.options), key=_name_of)
    commands = {name: each for name, each in COMMANDS.items() if name != "serve"}
    commands["inspect"] = INSPECT_FLAGS, INSPECT_HELP
    lists = [
        f"- `insight-host {name}` ({text}): {', '.join(f'`--{one.name}`' for one in flags)}"
        for name, (flags, text) in sorted(commands.items())
    ]
    shared = ", ".join(f"`--{one.name}`" for one in SHARED_FLAGS)
    parts = [
        "# Flags",
        "Written by [surface/write.py](surface/write.py) from the declarations that parsers, `--help` and "
        "environment variables come from, too.",
        "`--like-this` and `--like_this` are the same. A flag wins over its variable; lists in variables are "
        "separated by commas or as `PATH` is. Switches have a counterpart: `--no-cache`.",
        "## `insight-host`",
        _table_of_flags(SERVE_FLAGS),
        "## Of plugins that come with it",
        _table_of_flags(own),
        "## Of its other commands",
        "\n".join(lists),
        "The other commands print their flags: `insight-host get --help`.",
        "## `insight-data-server`",
        _table_of_flags(OWN_FLAGS, variables=False),
        f"As of `insight-host`, and with its variables: {shared}.",
    ]
    return "\n\n".join(parts) + "\n"


def _table_of_flags(flags: Iterable[Option], *, variables: bool = True) -> str:
    head = ["| flag | variable | |", "|---|---|---|"] if variables else ["| flag | |", "|---|---|"]
    for one in flags:
        value = "" if one.type is bool else f" {one.metavar or one.key.upper()}"
        off = [f"no-{one.name}"] if one.type is bool and one.default else []
        names = ", ".join(f"`--{name}{value}`" for name in (one.name, *one.aliases, *off))
        text = one.help.replace("%%", "%").replace("|", "\\|")
        head.append(f"| {names} | `{one.variable}` | {text} |" if variables else f"| {names} | {text} |")
    return "\n".join(head)


def _name_of(value: Any) -> str:  # noqa: ANN401
    return str(value.name)


def _flag(command: str, option: Option) -> str:
    names = ", ".join(f"--{name}" for name in (option.name, *option.aliases))
    value = "" if option.type is bool else f" {option.metavar or option.key.upper()}"
    return f"insight-host {command} {names}{value} [{option.variable}]"


def _flags_in_help(command: str) -> set[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        insight_host([*command.split(), "--help"])
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", printed.getvalue())) - {"--help"}


LISTINGS = {"python": python, "http": http, "flags": flags}


def text_of(lines: Iterable[str]) -> str:
    """The text of a listing."""
    return "".join(f"{line}\n" for line in lines)


def main() -> None:
    for name, lines in LISTINGS.items():
        (PLACE / f"{name}.txt").write_text(text_of(lines()), encoding="utf-8")
    (PLACE.parent / "flags.md").write_text(page_of_flags(), encoding="utf-8")


if __name__ == "__main__":
    main()
