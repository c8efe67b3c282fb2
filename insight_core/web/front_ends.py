"""Front ends of plugins: addresses that change with their content, and whether this page can run them."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from attrs import field, frozen
from werkzeug import Request, Response

from insight_core.web.assets import FOREVER, asset_answer
from insight_core.web.content_tags import content_tag

MANIFEST = "manifest.json"
CONTRIBUTIONS = "contributions.js"
FileState: TypeAlias = tuple[str, int, int]  # path, time of the last change in ns, bytes
_DIGEST = re.compile(r"@([0-9a-f]{16,})/(.+)", re.DOTALL)
_GUIDE = "see docs/writing_a_plugin.md"


@frozen
class Manifest:
    """The file that the build wrote next to its modules; empty without a build.

    ``api`` is the version of the contract between page and plugins, ``kit`` that of ``@insight-host/kit``.
    ``imports`` are the modules of the page that are needed at once, ``later`` those imported on demand.
    """

    api: int | None = None
    kit: str | None = None
    imports: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


@frozen
class SharedModules:
    """What a page shares with plugins: versions of contract and kit, imports of each shared module."""

    api: int | None = None
    kit: str | None = None
    imports: Mapping[str, Sequence[str]] = field(factory=dict)

    def with_imports(self, names: Iterable[str]) -> list[str]:
        """These modules, and those that come with them."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.imports.get(name, ())
        return sorted(found)


@frozen
class FrontEnd:
    """The directory of a plugin with its ``index.js``, and what its manifest says.

    ``contributions.js`` next to it, if there is one, is what the plugin adds to the page beyond its tab.
    Without ``tab`` it is all that the plugin has.
    """

    root: Path
    manifest: Manifest
    error: str | None  # why the page cannot run it
    tab: bool = True

    def module_path(self, plugin: str) -> str:
        """Where its module is, relative to the page: another address whenever one of its files changes."""
        return self._path(plugin, "index.js")

    def mechanism(self, plugin: str, api: int | None) -> dict[str, object]:
        """How the page loads it; ``api`` is the version of the contract between the page and plugins."""
        mechanism: dict[str, object] = {"type": "ES_MODULE"}
        if self.tab:
            mechanism["module_path"] = self.module_path(plugin)
        if (self.root / CONTRIBUTIONS).is_file():
            mechanism["contributions_path"] = self._path(plugin, CONTRIBUTIONS)
        return mechanism | {"api_version": api}

    def _path(self, plugin: str, file: str) -> str:
        return f"data/plugin/{plugin}/static/@{digest_of(self.root)}/{file}"


def front_end(root: Path, shared: SharedModules, *, tab: bool = True) -> FrontEnd:
    """The front end in ``root`` as it is now, for a page that shares these modules.

    ``tab``: it is that of a plugin with a tab, and needs an ``index.js``.
    """
    needed = root / ("index.js" if tab else CONTRIBUTIONS)
    if not needed.is_file():
        return FrontEnd(root, Manifest(), f"its front end is not built: {needed} is missing", tab)
    try:
        manifest = manifest_of(root)
    except ValueError as error:
        return FrontEnd(root, Manifest(), f"its front end cannot be used: {error}", tab)
    return FrontEnd(root, manifest, _misfit(manifest, shared), tab)


def manifest_of(root: Path) -> Manifest:
    """The manifest in the directory of a plugin; raises ValueError for one that is damaged."""
    found = _read(root / MANIFEST)
    try:
        return Manifest(
            api=None if found.get("api") is None else int(found["api"]),
            kit=None if found.get("kit") is None else _version_text(found["kit"]),
            imports=_names(found.get("imports", [])),
            later=_names(found.get("later", [])),
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{root / MANIFEST}: {error}") from error


def shared_modules(page: Path) -> SharedModules:
    """What the page in that directory shares; nothing if it was not built."""
    found = _read(page / MANIFEST)
    modules = found.get("modules", {})
    imports = {name: module["imports"] for name, module in modules.items()}
    return SharedModules(found.get("api"), found.get("kit"), imports)


def front_end_answer(root: Path, request: Request, name: str) -> Response:
    """The file ``name`` below ``root``, to be kept for ever if ``name`` begins with the present digest."""
    found = _DIGEST.fullmatch(name)
    answer = asset_answer(root, request, found[2] if found else name)
    if found:  # the digest is asked for after the file was read: an old name never keeps a new file
        answer.headers["Cache-Control"] = FOREVER if found[1] == digest_of(root) else "no-cache"
    return answer


def digest_of(root: Path) -> str:
    """A hash over names and contents of all files below a directory."""
    return _digest(root, files_of(root))


def files_of(root: Path) -> tuple[FileState, ...]:
    """All files below a directory, in order."""
    state = []
    for directory, _, names in os.walk(root):
        for name in names:
            path = os.path.join(directory, name)
            try:
                found = os.stat(path)
            except OSError:  # it has just gone
                continue
            state.append((path, found.st_mtime_ns, found.st_size))
    return tuple(sorted(state))


@lru_cache(maxsize=64)
def _digest(root: Path, state: tuple[FileState, ...]) -> str:
    parts = []
    for path in (Path(name) for name, _, _ in state):
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        parts += [path.relative_to(root).as_posix().encode(), b"\0", content_tag(content).encode(), b"\n"]
    return content_tag(*parts)


def _misfit(manifest: Manifest, page: SharedModules) -> str | None:
    """Why a page with these modules cannot run a front end with this manifest."""
    if manifest.api is not None and page.api is not None and manifest.api != page.api:
        return _refusal("the page API", manifest.api, page.api, is_newer=manifest.api > page.api)
    if manifest.kit is not None and page.kit is not None:
        built, ours = _numbers(manifest.kit), _numbers(page.kit)
        if built[0] != ours[0] or built > ours:
            return _refusal("@insight-host/kit", manifest.kit, page.kit, is_newer=built > ours)
    missing = [
        name for name in (*manifest.imports, *manifest.later) if page.imports and name not in page.imports
    ]
    if missing:
        return f"its front end imports {', '.join(missing)}, which this insight-host does not have: {_GUIDE}"
    return None


def _refusal(what: str, built: object, ours: object, *, is_newer: bool) -> str:
    advice = "upgrade insight-host" if is_newer else f"build it again, {_GUIDE}"
    return f"its front end was built for {what} {built}, and this insight-host has {ours}: {advice}"


def _read(path: Path) -> dict[str, Any]:
    """A JSON object, empty if the file is missing; raises ValueError for anything else."""
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path} is not an object")
    return found


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("its imports are not a list of names")
    return tuple(value)


def _version_text(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\d+(\.\d+)*", value):
        raise ValueError(f"{value!r} is not a version")
    return value


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
