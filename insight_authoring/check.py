"""``insight-host plugin check``: what would go wrong with a plugin for its users, before they have it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

from insight_authoring.development import OTHERS, import_paths, write_metadata
from insight_authoring.node import NodeTools
from insight_core.cli.text_table import printable
from insight_core.plugin import Unavailable
from insight_core.plugin.messages import REASON_PREFIX

_LOAD = "from insight_authoring.loading import main; main()"
_LOADING = 180.0  # seconds that a plugin may take to be loaded and looked at
_LINES = 30  # of the output of a tool that failed
_PLURALS = (".zero", ".one", ".two", ".few", ".many")  # categories, which languages do not share


class _Skipped(Exception):
    """A part cannot be checked here; the text says why."""


def check(plugin: Path) -> int:
    """Checks the plugin in a directory and prints what is wrong. Returns the exit status: 1 with faults.

    Raises InvalidArgument for a directory without a plugin.
    """
    with TemporaryDirectory(prefix="insight-host-check-") as place:
        distribution = write_metadata(plugin, Path(place))
        loaded: dict[str, Any] = {}

        def load() -> Iterator[str]:
            loaded.update(_loaded(plugin, Path(place), distribution))
            yield from loaded["faults"]

        parts: list[tuple[str, Callable[[], Iterator[str]]]] = [
            ("front end", lambda: _front_end(plugin)),
            ("plugin", load),
            ("texts", lambda: texts(plugin)),
            ("wheel", lambda: _wheel(plugin, Path(place), loaded)),
        ]
        count = sum(_told(name, find) for name, find in parts)
    print(f"{count} fault{'s' if count > 1 else ''} in {plugin}" if count else f"no faults in {plugin}")
    return 1 if count else 0


def _told(name: str, find: Callable[[], Iterator[str]]) -> int:
    """Prints the faults of one part, and returns how many there are."""
    try:
        faults = list(find())
    except _Skipped as reason:
        print(f"{name:<11}not checked: {reason}", flush=True)
        return 0
    except Unavailable as error:
        faults = [str(error)]
    print(f"{name:<11}{'failed' if faults else 'ok'}", flush=True)
    for fault in faults:
        for number, line in enumerate(fault.splitlines()):
            print(f"  {'- ' if number == 0 else '    '}{printable(line)}", flush=True)
    return len(faults)


def _front_end(plugin: Path) -> Iterator[str]:
    """Types, and the build."""
    package = plugin / "package.json"
    if not package.is_file():
        raise _Skipped("no package.json, so nothing is built")
    node = NodeTools.find()
    node.install(plugin)
    if (plugin / "tsconfig.json").is_file():
        compiler = [node.node, "node_modules/typescript/bin/tsc", "--noEmit"]
        if not (plugin / compiler[1]).is_file():
            yield "package.json has no devDependency typescript, which checks the types"
        elif wrong := _failure(compiler, plugin, node):
            yield f"types: {wrong}"
            return
    if wrong := _failure([*node.npm, "run", "--silent", "build"], plugin, node):
        yield f"npm run build: {wrong}"


def _failure(command: Sequence[str], plugin: Path, node: NodeTools) -> str:
    """What a tool printed if it failed, else an empty text."""
    done = subprocess.run(
        command,
        cwd=plugin,
        env=node.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if not done.returncode:
        return ""
    lines = done.stdout.strip().splitlines() or [f"it ended with status {done.returncode}"]
    more = len(lines) - _LINES
    return "\n".join([*lines[:_LINES], f"and {more} lines more"] if more > 0 else lines)


def _loaded(plugin: Path, place: Path, distribution: str) -> dict[str, Any]:
    """What a process that loads the plugin found: see ``loading.Loaded``."""
    path = [*import_paths(plugin), str(place), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-P", "-c", _LOAD, distribution]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LOADING,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"it was not loaded within {_LOADING:g} s") from None
    try:
        found: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        end = "\n".join(done.stderr.strip().splitlines()[-_LINES:])
        raise Unavailable(f"loading it ended the process, with status {done.returncode}:\n{end}") from None
    return found


def texts(plugin: Path) -> Iterator[str]:
    """Files of texts that cannot be read, and keys that not every language has."""
    folders = [Path(at) for at, _, _ in _walk(plugin) if Path(at).name == "locales"]
    for folder in sorted(folders):
        where = folder.relative_to(plugin).as_posix()
        read: dict[str, dict[str, str]] = {}
        for path in sorted(folder.glob("*.json")):
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                yield f"{where}/{path.name}: {error}"
                continue
            if isinstance(found, dict) and all(isinstance(group, dict) for group in found.values()):
                found = {
                    f"{name}: {key}": text for name, group in found.items() for key, text in group.items()
                }
            if isinstance(found, dict) and all(isinstance(text, str) for text in found.values()):
                read[path.name] = found
            else:
                yield f"{where}/{path.name}: not an object of texts, or of groups of texts"
        every = {key for found in read.values() for key in found}
        for name, found in read.items():
            missing = [key for key in sorted(every - found.keys()) if not _may_miss(key, name, every)]
            for key in missing:
                others = ", ".join(other for other in read if key in read[other])
                yield f"{where}/{name}: no text {key!r}, which {others} has"
            for key, text in found.items():
                if unknown := _details(text) - _details(read.get("en.json", {}).get(key, text)):
                    named = ", ".join(f"{{{one}}}" for one in sorted(unknown))
                    yield f"{where}/{name}: {key!r} has {named}, which en.json does not have there"


def _may_miss(key: str, name: str, every: set[str]) -> bool:
    own = key.rpartition(": ")[2]  # without the name of its group
    if name == "en.json" and own.startswith(REASON_PREFIX):  # their English may be in Python alone
        return True
    stem, dot, category = key.rpartition(".")
    return f"{dot}{category}" in _PLURALS and stem in every


def _details(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def _walk(plugin: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    for directory, below, names in os.walk(plugin):
        below[:] = [name for name in below if name not in OTHERS and not name.startswith(".")]
        yield directory, below, names


def _wheel(plugin: Path, place: Path, loaded: dict[str, Any]) -> Iterator[str]:
    """Files that the plugin needs and its wheel does not have."""
    if not loaded.get("packages"):
        raise _Skipped("the plugin did not load")
    if find_spec("pip") is None:
        raise _Skipped("pip is not installed")
    wheels = place / "wheels"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels)]
    if _has_backend(plugin):
        command.append("--no-build-isolation")
    done = subprocess.run(
        [*command, str(plugin.absolute())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        end = "\n".join(done.stdout.strip().splitlines()[-_LINES:])
        raise Unavailable(f"it does not build:\n{end}")
    with ZipFile(next(wheels.glob("*.whl"))) as wheel:
        there = set(wheel.namelist())
    for name in sorted(there):
        if "node_modules/" in name:
            yield f"it has {name}: leave node_modules out"
            break
    for root, name in _needed(plugin, loaded):
        if name not in there:
            yield f"{root / name} is not in it{_hint(name)}"


def _hint(name: str) -> str:
    folder = re.match(r".*/static(?=/)", name)
    if folder is None:
        return ""
    # what git ignores is left out unless it is named
    return f': with hatchling, [tool.hatch.build] artifacts = ["{folder[0]}/**"]'


def _needed(plugin: Path, loaded: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Modules, texts and front ends below the packages: the directory of a package, and its file there."""
    front_ends = [Path(one).resolve() for one in loaded["front_ends"]]
    for file in loaded["packages"]:
        package = Path(file).resolve()
        root = package.parents[1] if package.name == "__init__.py" else package.parent
        if not root.is_relative_to(plugin.resolve()):
            continue
        if package.name != "__init__.py":
            yield root, package.name
            continue
        for directory, _, names in _walk(package.parent):
            at = Path(directory)
            is_front_end = any(at.is_relative_to(one) for one in front_ends)
            is_texts = at.name == "locales"
            for name in sorted(names):
                if is_front_end or name.endswith(".py") or (is_texts and fnmatch(name, "*.json")):
                    yield root, (at / name).relative_to(root).as_posix()


def _has_backend(plugin: Path) -> bool:
    """Whether what builds the wheel is installed, so that pip need not fetch it."""
    project = tomllib.loads((plugin / "pyproject.toml").read_text(encoding="utf-8"))
    backend = project.get("build-system", {}).get("build-backend", "setuptools")
    return find_spec(re.split(r"[.:]", backend)[0]) is not None
